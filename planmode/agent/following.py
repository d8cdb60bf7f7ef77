"""A command that runs: output, limits, and the end of all it began."""

import json
import os
import select
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from planmode.agent.bubblewrap import SandboxError
from planmode.agent.limits import Limit, Limits, of_exit
from planmode.agent.output import MOST_TAKEN, Sink
from planmode.agent.usage import Watch

MARK: Final = "PLANMODE_CALL"
"""The variable that tells what belongs to a command that has no namespace."""
_CHUNK: Final = 64 * 1024
_POLL_S: Final = 0.05
_END_S: Final = 5


@dataclass(frozen=True, slots=True)
class Prepared:
    """What can be started; without a ``mark`` it is bubblewrap, and has a PID namespace.

    ``argv`` sets the ``limits`` that the kernel holds one process to; here they are for the watch.
    """

    argv: list[str]
    cwd: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    mark: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a followed command ended; ``exit_code`` is ``None`` when it was ended from here.

    ``limit`` is what it had too much of, if that is known.
    """

    exit_code: int | None
    limit: Limit | None = None

    @property
    def timed_out(self) -> bool:
        """Whether its time was over."""
        return self.limit is Limit.TIME


def follow(call: Prepared, sink: Sink, *, timeout_s: float, abandoned: threading.Event) -> Ending:
    """Start ``call``, give ``sink`` its output, and end everything that it started.

    Ended from here when ``timeout_s`` are over, when ``abandoned`` is set, when it printed 64 MiB,
    or when all that it started together goes over its limits.

    Raises:
        SandboxError: its sandbox did not begin in time.
        OSError: it can't be started.
    """
    deadline = time.monotonic() + timeout_s
    with _begun(call, deadline, abandoned) as running:
        process = running.process
        bounds = _Bounds(deadline, abandoned, Watch(process.pid, call.limits))
        try:
            limit = _follow(process, sink, bounds)
            by_itself = _exited(process)
        finally:
            running.end()
        _drain(process.stdout, sink)
    code = _code(process.returncode) if by_itself else None
    return Ending(code, limit or (of_exit(code) if code is not None else None))


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What a command is ended for from here."""

    deadline: float
    abandoned: threading.Event
    watch: Watch

    def reached(self, sink: Sink) -> Limit | None:
        if sink.total >= MOST_TAKEN:
            return Limit.OUTPUT
        if time.monotonic() >= self.deadline:
            return Limit.TIME
        return self.watch.exceeded()


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


def _follow(process: "subprocess.Popen[bytes]", sink: Sink, bounds: _Bounds) -> Limit | None:
    """Take the output until the shell itself ends, or a limit is reached; return which.

    A child in the background may keep the pipe open for ever, so its end is not waited for.
    """
    if process.stdout is None:
        raise RuntimeError("the command was started without a pipe")
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not (_exited(process) or bounds.abandoned.is_set()):
            if limit := bounds.reached(sink):
                return limit
            left = max(0.0, min(bounds.deadline - time.monotonic(), _POLL_S))
            if not selector.get_map():
                time.sleep(left)
            elif selector.select(left):
                chunk = os.read(process.stdout.fileno(), _CHUNK)
                sink.take(chunk)
                if not chunk:
                    selector.unregister(process.stdout)
    return None


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
    needle = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if needle in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def _drain(stream: IO[bytes] | None, sink: Sink) -> None:
    """Take what still lies in the pipe; nobody is left to fill it."""
    with suppress(BlockingIOError):
        while (
            stream is not None
            and sink.total < MOST_TAKEN
            and (chunk := os.read(stream.fileno(), _CHUNK))
        ):
            sink.take(chunk)


def _code(returncode: int) -> int:
    return returncode if returncode >= 0 else 128 - returncode
