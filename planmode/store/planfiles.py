"""Where plan files lie, and the rows that can put them back."""

import hashlib
import logging
from collections.abc import Callable, Collection
from pathlib import Path, PurePosixPath
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, transaction

from planmode.core import slugs
from planmode.core.errors import StoredDataError
from planmode.models import PlanFile, Session
from planmode.store import blobs
from planmode.store.confined import ConfinedFolder, PathRefusedError

logger = logging.getLogger(__name__)

MAIN_AGENT = "main"
MOST_OF_ONE_NAME = 100
FOR_US = (0o600, 0o700)
FOR_ALL = (0o666, 0o777)
"""Modes of files and folders: in the session's own folder, and in a workspace."""
LARGEST = 1024 * 1024
"""The most bytes of a plan, and of any file that a tool writes."""


def session_folder(session_id: UUID) -> Path:
    """Return the folder that holds what one session keeps on disk; made when it is missing.

    Raises:
        PathRefusedError: it can't be made.
    """
    folder = _place(session_id)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise PathRefusedError(f"{folder} can't be made: {error.strerror}") from error
    return folder


def _place(session_id: UUID) -> Path:
    place: Path = settings.DATA_DIR / "sessions" / str(session_id)
    return place


# ``below`` is the folder below the workspace that holds the plan file: what the log says of the
# plan; empty for the session's own folder.


def path(session_id: UUID, plan_id: str, below: str = "") -> Path:
    """Return where the plan file lies, whether or not it is there."""
    root = _workspace(session_id) if below else _place(session_id)
    return root / relative(plan_id, below)


def relative(plan_id: str, below: str = "") -> PurePosixPath:
    """Return where the plan file lies below the session's folder, or below the workspace."""
    name = f"{slugs.checked(plan_id)}.md"
    return PurePosixPath(below or f"agents/{MAIN_AGENT}/plans", name)


def _workspace(session_id: UUID) -> Path:
    return Path(Session.objects.values_list("workspace", flat=True).get(pk=session_id))


def reserve(workspace: Path, below: str, plan_id: str, taken: Collection[str]) -> str:
    """Make an empty plan file that nobody had, and return its plan id.

    That is ``plan_id``, or it with a number where the name is in the folder already, or in
    ``taken``: sessions that share a folder never share a file.

    Raises:
        PathRefusedError: ``below`` names no folder inside the workspace, or it can't be used.
    """
    root = ConfinedFolder(workspace)
    place = _inside(root, below)
    for candidate in (plan_id, *(f"{plan_id}-{n}" for n in range(2, MOST_OF_ONE_NAME))):
        file = place / f"{candidate}.md"
        if candidate not in taken and root.create(file, mode=0o666, folders=0o777):
            return candidate
    raise PathRefusedError(f"{below!r} holds too many plans called {plan_id}")


def _inside(root: ConfinedFolder, below: str) -> PurePosixPath:
    """Return ``below`` as a path that counts from the workspace, and is none that git owns."""
    place = root.relative_to_root(below)
    if below.startswith(("/", "~")) or not place.parts or ".git" in place.parts:
        raise PathRefusedError(f"{below!r} is no folder for plans")
    return place


def folder(session_id: UUID, check: Callable[[], None] | None = None) -> ConfinedFolder:
    """Return the session's folder; ``check`` as in ``ConfinedFolder``.

    Raises:
        PathRefusedError: it can't be made.
    """
    return ConfinedFolder(session_folder(session_id), check=check)


def keep(session_id: UUID, plan_id: str, content: bytes) -> None:
    """Write the row that mirrors the plan file, in the caller's transaction.

    The bytes become a blob, too: the row holds the newest ones only, and an undo or a fork goes
    back to older ones. A blob that can't be kept stops nobody from planning.
    """
    try:
        with transaction.atomic():
            blobs.store().put(content)
    except (StoredDataError, DatabaseError):
        logger.warning("the bytes of plan %s can't be kept for an undo", plan_id, exc_info=True)
    PlanFile.objects.update_or_create(
        session_id=session_id,
        agent=MAIN_AGENT,
        plan_id=plan_id,
        defaults={"content": content, "sha256": hashlib.sha256(content).hexdigest()},
    )


def kept(session_id: UUID, plan_id: str) -> bytes | None:
    """Return the bytes that the row holds, ``None`` without a row."""
    row = PlanFile.objects.filter(session_id=session_id, agent=MAIN_AGENT, plan_id=plan_id).first()
    return bytes(row.content) if row else None


def restore(
    session_id: UUID, plan_id: str, check: Callable[[], None] | None = None, *, below: str = ""
) -> None:
    """Put the plan file back as the row has it, when this disk lacks it or holds other bytes.

    The row tells what the log tells. Other bytes are those of a worker that died before it could
    say what it wrote, or of another machine. ``check`` is asked right before.
    """
    content = kept(session_id, plan_id)
    if content is None:
        return
    try:
        own = folder(session_id, check) if not below else None
        plans = own or ConfinedFolder(_workspace(session_id), check=check)
        place = relative(plan_id, below)
        if not plans.exists(place) or plans.read(place, LARGEST + 1) != content:
            modes = FOR_US if own else FOR_ALL
            plans.write(place, content, mode=modes[0], folders=modes[1])
    except PathRefusedError:
        return  # the tools will say so, in words that the agent can act on
