"""Shell commands, bounded in time and output, in a sandbox or not."""

import os
import secrets
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Final, Self

from planmode.core.wire import clean

_SYSTEM: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC: Final = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime")
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_PASSED: Final = ("PATH", "HOME", "LANG", "TERM")
_MARK: Final = "PLANMODE_CALL"
_CHUNK: Final = 64 * 1024
_POLL_S: Final = 0.05
_PROBE_S: Final = 10
_MOST_OUTPUT: Final = 64 * 1024 * 1024
"""Bytes after which a command that only prints is ended; until then the rest is thrown away."""


class SandboxMissingError(Exception):
    """A command had to run in the sandbox, and this host has none."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended.

    ``exit_code`` is ``None`` when it was ended from here, and 128 + n after signal n. ``output``
    holds its beginning and its end when ``cut``.
    """

    exit_code: int | None
    output: str
    timed_out: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Runs commands; ``bwrap`` is a bubblewrap that was seen to work, or ``None``."""

    bwrap: str | None = None

    @classmethod
    def probe(cls) -> Self:
        """Return what this host offers to this process; tried once a process."""
        return cls(_working_bwrap())

    @property
    def available(self) -> bool:
        """Whether commands can be kept from changing anything."""
        return self.bwrap is not None

    def run(
        self, command: str, *, cwd: Path, sandboxed: bool, timeout_s: float, output_limit: int
    ) -> Finished:
        """Run ``command`` in a shell and end everything that it started.

        ``sandboxed``: the file system is read-only and holds the system and ``cwd`` alone, and
        there is no network. ``output_limit`` is in bytes. The environment is clean either way:
        nothing of the server's own reaches the command.

        Raises:
            SandboxMissingError: it has to be sandboxed, and can't.
            OSError: it can't be started.
        """
        mark = secrets.token_hex(16)
        argv, environment = self._prepared(command, cwd, mark, sandboxed=sandboxed)
        kept = _Kept(output_limit)
        with subprocess.Popen(  # noqa: S603 - running what the agent asks for is the purpose
            argv,
            cwd="/" if sandboxed else cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                timed_out = _follow(process, kept, time.monotonic() + timeout_s)
                by_itself = _exited(process)
            finally:
                _end(process, None if sandboxed else mark)
            _drain(process.stdout, kept)
        return Finished(
            exit_code=_code(process.returncode) if by_itself else None,
            output=kept.text(),
            timed_out=timed_out,
            cut=kept.cut,
        )

    def _prepared(
        self, command: str, cwd: Path, mark: str, *, sandboxed: bool
    ) -> tuple[list[str], dict[str, str]]:
        shell = [_shell(), "-c", command]
        if not sandboxed:
            passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
            return shell, {"PATH": _PATH, "HOME": "/tmp", **passed, _MARK: mark}  # noqa: S108 - home of nobody
        if self.bwrap is None:
            raise SandboxMissingError("this host has no sandbox for commands")
        return [*_wrapped(self.bwrap, cwd), *shell], {}


@dataclass(slots=True)
class _Kept:
    """The beginning and the end of an output, ``limit`` bytes together at most."""

    limit: int
    total: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def take(self, chunk: bytes) -> None:
        room = self.limit // 2 - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:]
        self.total += len(chunk)
        del self.tail[: -(self.limit - self.limit // 2)]

    @property
    def cut(self) -> bool:
        return self.total > self.limit

    def text(self) -> str:
        left_out = f"\n[… {self.total - self.limit} bytes left out …]\n" if self.cut else ""
        content = bytes(self.head) + left_out.encode() + bytes(self.tail)
        return clean(content.decode("utf-8", "replace"))


def _follow(process: subprocess.Popen[bytes], kept: _Kept, deadline: float) -> bool:
    """Take the output until the shell itself ends; return whether time ran out first.

    A child in the background may keep the pipe open for ever, so its end is not waited for.
    """
    if process.stdout is None:
        raise RuntimeError("the command was started without a pipe")
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not _exited(process) and kept.total < _MOST_OUTPUT:
            left = deadline - time.monotonic()
            if left <= 0:
                return True
            if not selector.get_map():
                time.sleep(min(left, _POLL_S))
            elif selector.select(min(left, _POLL_S)):
                chunk = os.read(process.stdout.fileno(), _CHUNK)
                kept.take(chunk)
                if not chunk:
                    selector.unregister(process.stdout)
    return False


def _exited(process: subprocess.Popen[bytes]) -> bool:
    """Return whether the shell has ended, without reaping it: its group's number stays taken."""
    try:
        seen = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return seen is not None


def _end(process: subprocess.Popen[bytes], mark: str | None) -> None:
    """Kill the command's group, and all that left the group but still carries ``mark``.

    In the sandbox the first kill is enough: all its processes die with it.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for _ in range(5):  # one that forks while we look is found in the next round
        strays = [] if mark is None else list(_marked(mark))
        for pid in strays:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not strays:
            break
    process.wait()


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes that inherited the environment of the command."""
    needle = f"{_MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if needle in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def _drain(stream: IO[bytes] | None, kept: _Kept) -> None:
    """Take what still lies in the pipe; nobody is left to fill it."""
    with suppress(BlockingIOError):
        while (
            stream is not None
            and kept.total < _MOST_OUTPUT
            and (chunk := os.read(stream.fileno(), _CHUNK))
        ):
            kept.take(chunk)


def _code(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode


def _shell() -> str:
    return "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"


def _wrapped(bwrap: str, workspace: Path) -> list[str]:
    """Return the bubblewrap call: nothing is there but what stands here."""
    place = os.path.realpath(workspace)
    return [
        bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv",
        "--setenv", "PATH", _PATH, "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8",  # noqa: S108 - the sandbox's own
        "--ro-bind", "/usr", "/usr", *_system(),
        *(word for path in _ETC for word in ("--ro-bind-try", path, path)),
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",  # noqa: S108 - the sandbox's own
        "--ro-bind", place, place, "--chdir", place, "--",
    ]  # fmt: skip


def _system() -> Iterator[str]:
    """Yield the system folders beside /usr as this host has them: folders, or links into it."""
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


@cache
def _working_bwrap() -> str | None:
    """Return the bubblewrap that really runs a command for this process, or ``None``."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    argv = [*_wrapped(bwrap, Path("/usr")), _shell(), "-c", "true"]
    try:
        tried = subprocess.run(  # noqa: S603 - the fixed call of this file
            argv, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PROBE_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return bwrap if tried.returncode == 0 else None
