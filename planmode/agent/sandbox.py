"""Shell commands, bounded in time and output, in a sandbox."""

import errno
import json
import os
import secrets
import select
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Final, Protocol, Self

from django.conf import settings

from planmode.agent.bubblewrap import SYSTEM_PATH, SandboxError, Sight, wrapped
from planmode.core.errors import WorkspaceRefusedError
from planmode.core.wire import clean
from planmode.store import workspaces

_PASSED: Final = ("PATH", "HOME", "LANG", "TERM")
_MARK: Final = "PLANMODE_CALL"
_CHUNK: Final = 64 * 1024
_POLL_S: Final = 0.05
_PROBE_S: Final = 10
_END_S: Final = 5
_MOST_OUTPUT: Final = 64 * 1024 * 1024
"""Bytes after which a command that only prints is ended; until then the rest is thrown away."""


class SandboxMissingError(SandboxError):
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
    """Runs commands; ``bwrap`` is a bubblewrap that was seen to work, or ``None``.

    A command ends when ``abandoned`` is set: nobody will hear of it any more.
    """

    bwrap: str | None = None
    sight: Sight = field(default_factory=Sight)
    abandoned: threading.Event = field(default_factory=threading.Event, compare=False)

    @classmethod
    def probe(cls) -> Self:
        """Return what this host offers to this process; tried once a process."""
        return cls(working_bwrap(), _sight())

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
        kept = _Kept(output_limit)
        call = self.prepared(command, cwd, sandboxed=sandboxed)
        ending = follow(call, kept, timeout_s=timeout_s, abandoned=self.abandoned)
        return Finished(ending.exit_code, kept.text(), ending.timed_out, kept.cut)

    def prepared(self, command: str, cwd: Path, *, sandboxed: bool) -> "Prepared":
        """Return what ``run`` would start, for a process that lives longer than this one's call.

        Raises:
            SandboxError: as ``run``.
            OSError: ``cwd`` is gone.
        """
        shell = [_shell(), "-c", command]
        place = _named(cwd)
        if self.bwrap is not None:
            return Prepared(
                [*wrapped(self.bwrap, place, self.sight, writable=not sandboxed), *shell]
            )
        if sandboxed:
            raise SandboxMissingError("this host has no sandbox for commands")
        mark = secrets.token_hex(16)
        passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
        environment = {"PATH": SYSTEM_PATH, "HOME": "/tmp", **passed, _MARK: mark}  # noqa: S108 - home of nobody
        return Prepared(shell, place, environment, mark)


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


@dataclass(frozen=True, slots=True)
class Prepared:
    """What can be started; without a ``mark`` it is bubblewrap, and has a PID namespace."""

    argv: list[str]
    cwd: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    mark: str | None = None


class Sink(Protocol):
    """Takes a command's output; ``total`` counts the bytes that came."""

    total: int

    def take(self, chunk: bytes) -> None:
        """Keep what of ``chunk`` is worth it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a followed command ended; ``exit_code`` is ``None`` when it was ended from here."""

    exit_code: int | None
    timed_out: bool = False


def follow(call: Prepared, sink: Sink, *, timeout_s: float, abandoned: threading.Event) -> Ending:
    """Start ``call``, give ``sink`` its output, and end everything that it started.

    Ended from here when ``timeout_s`` are over, when ``abandoned`` is set, or when it printed
    64 MiB.

    Raises:
        SandboxError: its sandbox did not begin in time.
        OSError: it can't be started.
    """
    deadline = time.monotonic() + timeout_s
    with _begun(call, deadline, abandoned) as running:
        try:
            timed_out = _follow(running.process, sink, deadline, abandoned)
            by_itself = _exited(running.process)
        finally:
            running.end()
        _drain(running.process.stdout, sink)
    return Ending(_code(running.process.returncode) if by_itself else None, timed_out)


@dataclass(frozen=True, slots=True)
class _Running:
    """A command and how to end it; ``first`` is a pidfd of its namespace's first process."""

    process: "subprocess.Popen[bytes]"
    mark: str | None
    first: int | None

    def end(self) -> None:
        """Kill all that the command started, and return when it is gone.

        The first process of a namespace counts as ended once all the others are; outside of one
        only those are found that stay in the group or keep ``mark`` in their environment.
        """
        _end(self.process, self.mark)
        if self.first is not None:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self.first, signal.SIGKILL)
            poll = select.poll()
            poll.register(self.first, select.POLLIN)
            poll.poll(_END_S * 1000)


@contextmanager
def _begun(call: Prepared, deadline: float, abandoned: threading.Event) -> Iterator[_Running]:
    """Start ``call``; bubblewrap says in a pipe which process is the first of its namespace."""
    reading, writing = os.pipe()
    with ExitStack() as stack:
        stack.callback(os.close, reading)
        try:
            process = stack.enter_context(_popen(call, writing))
        finally:
            os.close(writing)
        first = None
        if call.mark is None:
            try:
                first = _opened(_told(reading, deadline, abandoned))
            except SandboxError:
                _end(process, None)
                raise
        if first is not None:
            stack.callback(os.close, first)
        yield _Running(process, call.mark, first)


def _told(reading: int, deadline: float, abandoned: threading.Event) -> bytes:
    """Return what bubblewrap says until it closes the pipe: nothing when it fails at once.

    Raises:
        SandboxError: time ran out, or nobody waits any more; a folder that doesn't answer can
            hold bubblewrap for ever.
    """
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    said = bytearray()
    while not abandoned.is_set() and (left := deadline - time.monotonic()) > 0:
        if poll.poll(min(left, _POLL_S) * 1000):
            chunk = os.read(reading, _CHUNK)
            if not chunk:
                return bytes(said)
            said += chunk
    raise SandboxError("the sandbox did not begin in time, and was ended")


def _popen(call: Prepared, info: int) -> "subprocess.Popen[bytes]":
    own = [] if call.mark is not None else ["--info-fd", str(info)]
    return subprocess.Popen(  # noqa: S603 - running what the agent asks for is the purpose
        [*call.argv[:1], *own, *call.argv[1:]],
        cwd=call.cwd,
        env=call.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=(info,) if own else (),
    )


def _opened(info: bytes) -> int | None:
    """Return a pidfd of the process that bubblewrap named, ``None`` when it is gone already."""
    with suppress(ValueError, KeyError, OSError):
        return os.pidfd_open(int(json.loads(info)["child-pid"]))
    return None


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


def _follow(
    process: subprocess.Popen[bytes],
    kept: Sink,
    deadline: float,
    abandoned: threading.Event,
) -> bool:
    """Take the output until the shell itself ends; return whether time ran out first.

    A child in the background may keep the pipe open for ever, so its end is not waited for.
    """
    if process.stdout is None:
        raise RuntimeError("the command was started without a pipe")
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not (_exited(process) or abandoned.is_set() or kept.total >= _MOST_OUTPUT):
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
    if mark is not None:
        kill_marked(mark)
    process.wait()


def kill_marked(mark: str) -> None:
    """Kill all that carry ``mark``, until two looks in a row find nobody.

    One that forks while we look is found by the next look, one that is about to become another
    program, and shows no environment at that moment, by the second.
    """
    quiet = 0
    for _ in range(10):
        strays = list(_marked(mark))
        for pid in strays:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        quiet = 0 if strays else quiet + 1
        if quiet == 2:  # noqa: PLR2004 - two looks
            return


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes that inherited the environment of the command."""
    needle = f"{_MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if needle in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def _drain(stream: IO[bytes] | None, kept: Sink) -> None:
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


@cache
def _sight() -> Sight:
    """Return what the settings let commands see; the server's own folders never belong to it."""
    own = (settings.DATA_DIR, settings.BASE_DIR, os.path.expanduser("~"))  # noqa: PTH111 - Path.home raises for who has none
    return Sight(
        tuple(map(str, settings.SANDBOX_READABLE)),
        tuple(sorted({os.path.realpath(folder) for folder in own})),
    )


@cache
def working_bwrap() -> str | None:
    """Return the bubblewrap that really runs a command for this process, or ``None``."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    argv = [*wrapped(bwrap, "/etc", Sight(), writable=False), _shell(), "-c", "true"]
    try:
        tried = subprocess.run(  # noqa: S603 - the fixed call of this file
            argv,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_PROBE_S,
            env={},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return bwrap if tried.returncode == 0 else None
