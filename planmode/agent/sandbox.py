"""Shell commands, bounded in time and output, in a sandbox."""

import errno
import os
import re
import secrets
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Self

from django.conf import settings

from planmode.agent.bubblewrap import ENVIRONMENT, SandboxError, Sight, wrapped
from planmode.agent.following import MARK, Prepared, follow
from planmode.agent.limits import MIB, Limit, Limits
from planmode.agent.output import Kept
from planmode.agent.usage import watchable
from planmode.core.errors import WorkspaceRefusedError
from planmode.store import workspaces

_PASSED: Final = ("PATH", "HOME", "LANG", "TERM")
_PROBE_S: Final = 10
_KEYS: Final = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh",
    ".password-store", ".netrc", ".git-credentials", ".pgpass", ".npmrc", ".pypirc",
)  # fmt: skip
"""What a home holds that no command is shown, not even where the home itself is the workspace."""


class SandboxMissingError(SandboxError):
    """A command had to run in the sandbox, and this host has none."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended.

    ``exit_code`` is ``None`` when it was ended from here, and 128 + n after signal n; ``limit`` is
    what it had too much of, if that is known. ``output`` holds its beginning and its end when
    ``cut``.
    """

    exit_code: int | None
    output: str
    limit: Limit | None = None
    cut: bool = False

    @property
    def timed_out(self) -> bool:
        """Whether its time was over."""
        return self.limit is Limit.TIME


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Runs commands; ``bwrap`` is a bubblewrap that was seen to work, or ``None``.

    A command ends when ``abandoned`` is set: nobody will hear of it any more.
    """

    bwrap: str | None = None
    sight: Sight = field(default_factory=Sight)
    limits: Limits = field(default_factory=Limits)
    abandoned: threading.Event = field(default_factory=threading.Event, compare=False)

    @classmethod
    def probe(cls) -> Self:
        """Return what this host offers to this process; tried once a process."""
        bwrap = working_bwrap()
        return cls(bwrap, _sight(bwrap), _limits())

    @property
    def available(self) -> bool:
        """Whether commands run where they see and change nothing but the workspace."""
        return self.bwrap is not None

    def starts(self, program: str) -> bool:
        """Return whether a command can start ``program`` (an absolute path)."""
        return self.bwrap is None or self.sight.shows(program)

    def run(
        self, command: str, *, cwd: Path, sandboxed: bool, timeout_s: float, output_limit: int
    ) -> Finished:
        """Run ``command`` in a shell and end everything that it started.

        Where there is a sandbox it sees the system and ``cwd`` alone, with processes and a /tmp
        of its own. ``sandboxed``: nothing of that can be changed, and there is no network; else
        ``cwd`` can be changed, and this host may lack a sandbox (then the command sees what this
        process sees). ``output_limit`` is in bytes. The environment is clean either way: nothing
        of the server's own reaches the command. ``cwd`` is a real path, the one that was accepted
        as workspace.

        Raises:
            SandboxError: it has to be sandboxed, and can't, or not in time; or ``cwd`` has become
                a link, or lies behind one, or is a place that no session may work in.
            OSError: it can't be started.
        """
        kept = Kept(output_limit)
        call = self.prepared(command, cwd, sandboxed=sandboxed)
        ending = follow(call, kept, timeout_s=timeout_s, abandoned=self.abandoned)
        return Finished(ending.exit_code, kept.text(), ending.limit, kept.cut)

    def prepared(self, command: str, cwd: Path, *, sandboxed: bool) -> "Prepared":
        """Return what ``run`` would start, for a process that lives longer than this one's call.

        Raises:
            SandboxError: as ``run``.
            OSError: ``cwd`` is gone.
        """
        place = _named(cwd)
        shell = self.limits.call(_shell(), command, apart=self.available)
        if self.bwrap is not None:
            box = wrapped(self.bwrap, place, self.sight, writable=not sandboxed)
            return Prepared([*box, *shell], limits=self.limits)
        if sandboxed:
            raise SandboxMissingError("this host has no sandbox for commands")
        mark = secrets.token_hex(16)
        passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
        return Prepared(shell, place, {**ENVIRONMENT, **passed, MARK: mark}, mark, self.limits)

    def unheld(self) -> list[str]:
        """Return what keeps a command here from being held to its limits; nothing where it is."""
        return [*self._unset(), *self._unseen()]

    def _unset(self) -> Iterator[str]:
        """Yield the kernel's limits that a command does not find set."""
        apart, shell = self.available, _shell()
        call = self.limits.call(shell, "cat /proc/self/limits", apart=apart)
        box = [] if self.bwrap is None else wrapped(self.bwrap, "/etc", self.sight, writable=False)
        tried = _tried([*box, *call], ENVIRONMENT)
        lines = tried.stdout.decode().splitlines() if tried else []
        found = {name: soft for name, soft, *_ in (re.split(r"\s{2,}", line) for line in lines)}
        for row in self.limits.rows(shell, apart=apart):
            if found.get(row.name) != str(row.possible(row.soft) // row.unit * row.unit):
                yield f"{row.name} is {found.get(row.name, 'not known')}"

    def _unseen(self) -> Iterator[str]:
        if not watchable():
            yield "the kernel does not name the children of a process (CONFIG_PROC_CHILDREN)"
        if self.available and not self.sight.scratch:
            yield "bubblewrap before 0.7 can't bound /tmp and /dev/shm"


def _named(cwd: Path) -> str:
    """Return ``cwd`` when it still is the folder that was accepted under this name.

    Who can change the folder around it could have put a link there, to the server's own folders.
    Some of these a person on this machine may name as workspace; the data never, whoever asks.
    """
    place = str(cwd)
    if os.path.realpath(place) != place:
        raise SandboxError(f"{place} is a link or lies behind one, and links are not followed")
    if not cwd.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place)
    try:
        return workspaces.checked(place, local=True)
    except WorkspaceRefusedError as error:
        raise SandboxError(str(error)) from error


def _shell() -> str:
    return "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"


@cache
def _limits() -> Limits:
    """Return the limits that the settings name."""
    return Limits(
        cpu_s=settings.SHELL_CPU_S,
        memory=settings.SHELL_MEMORY_MB * MIB,
        processes=settings.SHELL_PROCESSES,
        file_size=settings.SHELL_FILE_MB * MIB,
    )


def homes_own(home: str) -> set[str]:
    """Return what of ``home`` no command is shown: all of it, and its keys wherever it is shown."""
    return {os.path.realpath(os.path.join(home, name)) for name in ("", *_KEYS)}  # noqa: PTH118 - text, as its neighbours


@cache
def _sight(bwrap: str | None) -> Sight:
    """Return what the settings let commands see; the server's own folders never belong to it."""
    own = (str(settings.DATA_DIR), str(settings.BASE_DIR))
    return Sight(
        tuple(map(str, settings.SANDBOX_READABLE)),
        tuple(sorted({*map(os.path.realpath, own), *homes_own(os.path.expanduser("~"))})),  # noqa: PTH111 - Path.home raises for who has none
        # /tmp and /dev/shm lie in memory, too: together they hold as much as processes may.
        _limits().memory // 2 if bwrap is not None and _sizes_scratch(bwrap) else 0,
    )


@cache
def working_bwrap() -> str | None:
    """Return the bubblewrap that really runs a command for this process, or ``None``."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    argv = [*wrapped(bwrap, "/etc", Sight(), writable=False), _shell(), "-c", "true"]
    return bwrap if _tried(argv, {}) else None


def _sizes_scratch(bwrap: str) -> bool:
    """Return whether bubblewrap can say how much a file system in memory holds."""
    told = _tried([bwrap, "--help"], {})
    return told is not None and b"--size" in told.stdout


def _tried(
    argv: list[str], environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes] | None":
    """Run one of this file's fixed calls; ``None`` when it fails."""
    try:
        tried = subprocess.run(  # noqa: S603 - as the docstring says
            argv,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PROBE_S,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return tried if tried.returncode == 0 else None
