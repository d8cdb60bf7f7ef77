"""Every file that an agent can reach: its workspace and its plans."""

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

from planmode.core.events import PlanFileWritten
from planmode.core.guard import CallFacts
from planmode.store.confined import ConfinedFolder, PathMissingError, PathRefusedError

LARGEST_FILE: Final = 1024 * 1024
"""Bytes of a file that a tool reads whole or writes."""

PlaceKind = Literal["workspace", "plan_file", "plans"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: ``relative`` to ``folder``.

    ``plan_file`` is the agent's current plan file, ``plans`` anything else in a plans folder of
    the session.
    """

    folder: ConfinedFolder
    relative: PurePosixPath
    kind: PlaceKind

    def named(self, relative: PurePosixPath) -> str:
        """Return the path by which an agent names ``relative`` of the same folder."""
        return str(relative if self.kind == "workspace" else self.folder.root / relative)


@dataclass(frozen=True, slots=True)
class Reach:
    """The files of one agent.

    ``plans`` is the session's folder (``None`` where it is not available), ``plan_file`` the
    current plan file (``None`` when no plan is under way): in that folder, or, where
    ``in_workspace``, below the workspace. What may happen when is the guard's business.
    """

    workspace: ConfinedFolder
    plans: ConfinedFolder | None
    plan_file: PurePosixPath | None
    in_workspace: bool = False

    @property
    def plan_place(self) -> Place | None:
        """Where the current plan file lies."""
        home = self.workspace if self.in_workspace else self.plans
        if home is None or self.plan_file is None:
            return None
        return Place(home, self.plan_file, "plan_file")

    @property
    def plan_path(self) -> str | None:
        """The absolute path of the current plan file."""
        place = self.plan_place
        return None if place is None else str(place.folder.root / place.relative)

    def locate(self, path: str) -> Place:
        """Return where ``path`` leads; relative ones count from the workspace.

        Raises:
            PathRefusedError: it is not acceptable, or leads outside.
        """
        place = self._in_session(path)
        if place is not None:
            return place
        relative = self.workspace.relative_to_root(path)
        if self.in_workspace and relative == self.plan_file and not _names_folder(path):
            return Place(self.workspace, relative, "plan_file")
        return Place(self.workspace, relative, "workspace")

    def read(self, place: Place, limit: int = LARGEST_FILE) -> bytes:
        """Return the file's bytes.

        Raises:
            PathMissingError: there is no such file.
            PathRefusedError: it can't be read, or holds more than ``limit`` bytes.
        """
        return place.folder.read(place.relative, limit)

    def write(self, place: Place, content: bytes) -> None:
        """Replace the file's bytes, with all the folders that are missing.

        Raises:
            PathRefusedError: it is another plan than the current one, can't be written, or
                ``content`` is larger than 1 MiB.
        """
        name = place.folder.root / place.relative
        if len(content) > LARGEST_FILE:
            raise PathRefusedError(f"{name} would be larger than {LARGEST_FILE} bytes")
        match place.kind:
            case "workspace":
                place.folder.write(place.relative, content, mode=0o666, folders=0o777)
            case "plan_file" if place.folder is self.workspace:
                place.folder.write(place.relative, content, mode=0o666, folders=0o777)
            case "plan_file":
                place.folder.make()
                place.folder.write(place.relative, content, mode=0o600, folders=0o700)
            case "plans":
                raise PathRefusedError(f"{name} is not the current plan file")

    def read_plan(self) -> bytes | None:
        """Return the current plan file's bytes, ``None`` when there is no such file.

        Raises:
            PathRefusedError: something is there that can't be read as a plan file.
        """
        place = self.plan_place
        if place is None:
            return None
        try:
            return place.folder.read(place.relative, LARGEST_FILE)
        except PathMissingError:
            return None

    def _in_session(self, path: str) -> Place | None:
        """Return the place when it lies in the session's folder.

        Asked first: should the folder lie inside a workspace, it is still no part of it.
        """
        if self.plans is None:
            return None
        whole = path if path.startswith("/") else f"{self.workspace.root}/{path}"
        try:
            relative = self.plans.relative_to_root(whole)
        except PathRefusedError:
            return None
        own = not self.in_workspace and relative == self.plan_file
        if own and not _names_folder(path):
            return Place(self.plans, relative, "plan_file")
        match relative.parts:
            case ("agents", _, "plans", *_):
                return Place(self.plans, relative, "plans")
            case _:
                raise PathRefusedError("the path lies outside the workspace and the plans")


def _names_folder(path: str) -> bool:
    """Return whether ``path`` has a slash at its end: it names a folder, the plan file is none."""
    return path.endswith(("/", "/."))


def writing(name: str, path: str, reach: Reach) -> CallFacts:
    """Return what the guard must know of a tool that writes ``path``; never raises."""
    try:
        place = reach.locate(path)
    except PathRefusedError:
        return CallFacts(name, targets=(path,))
    return CallFacts(
        name,
        plan_file=place.kind == "plan_file",
        workspace=place.kind == "workspace",
        targets=(_target(place, reach),),
    )


def _target(place: Place, reach: Reach) -> str:
    """Return the path that rules are compared with: below the workspace a relative one."""
    inside = place.folder is reach.workspace
    return str(place.relative) if inside else place.named(place.relative)


def reading(name: str, path: str, reach: Reach) -> CallFacts:
    """Return what the guard must know of a tool that reads ``path``; never raises."""
    return CallFacts(name, targets=writing(name, path, reach).targets)


def written(place: Place, content: bytes) -> tuple[PlanFileWritten, ...]:
    """Return what the log must hold once ``place`` has new bytes: only plan files count."""
    if place.kind != "plan_file":
        return ()
    sha256 = hashlib.sha256(content).hexdigest()
    return (PlanFileWritten(place.relative.stem, sha256, len(content)),)
