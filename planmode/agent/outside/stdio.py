"""A server's standard streams as the SDK reads them, bounded."""

import asyncio
import os
import signal
import subprocess
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from planmode.agent.outside.door import OutsideError

LARGEST_MESSAGE: Final = 16 * 1024 * 1024
"""Bytes of one message; the SDK's own transport would keep a line of any length."""
MOST_OUTPUT: Final = 64 * 1024 * 1024
"""Bytes that a server may print in one connection."""
END_S: Final = 1.0
"""Seconds that a server has to end by itself, and again to end once it is told to."""
_POLL_S: Final = 0.02

S = TypeVar("S")
_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
_Outgoing = MemoryObjectReceiveStream[SessionMessage]
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@dataclass(frozen=True, slots=True)
class Start:
    """How a server is started; ``errors`` is where its standard error goes, as for Popen."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    errors: int | None = subprocess.DEVNULL


@asynccontextmanager
async def started(start: Start) -> AsyncIterator[Streams]:
    """Start a server, and end it with everything that it started in its group.

    Raises:
        OutsideError: it can't be started, or (at any point) prints more than it may.
    """
    process = await _process(start)
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, out_of = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, into)
            tasks.start_soon(_write, process, out_of)
            try:
                yield incoming, outgoing
            finally:
                tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
        for stream in (into, incoming, outgoing, out_of):
            stream.close()


async def _process(start: Start) -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            *start.argv,
            stdin=PIPE,
            stdout=PIPE,
            stderr=start.errors,
            env=start.env,
            cwd="/",
            start_new_session=True,
            limit=LARGEST_MESSAGE,
        )
    except OSError as error:
        raise OutsideError(f"it could not be started: {error.strerror}") from None


async def _read(process: Process, into: _Incoming) -> None:
    """Hand over each message; a line that is none is left out, as some print what they do."""
    total = 0
    with suppress(anyio.BrokenResourceError):  # nobody listens any more
        async with into:
            while line := await _line(process):
                total += len(line)
                if total > MOST_OUTPUT:
                    raise OutsideError(f"it printed more than {MOST_OUTPUT} bytes")
                with suppress(ValueError):
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                    await into.send(SessionMessage(message))


async def _line(process: Process) -> bytes:
    stdout = _there(process.stdout)
    try:
        return await stdout.readline()
    except ValueError:
        raise OutsideError(f"a message was larger than {LARGEST_MESSAGE} bytes") from None


async def _write(process: Process, out_of: _Outgoing) -> None:
    stdin = _there(process.stdin)
    with suppress(OSError):  # it has ended, which the reading side tells
        async for item in out_of:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            stdin.write(text.encode() + b"\n")
            await stdin.drain()


async def _end(process: Process) -> None:
    """Let the server end by itself, then make it, each for a bounded time."""
    _there(process.stdin).close()
    if not await _ended(process):
        _signal(process, signal.SIGTERM)
        await _ended(process)
    _signal(process, signal.SIGKILL)  # whatever else is in its group
    await _ended(process)
    # A grandchild that left the group may hold the pipes for ever; nothing public lets go of them.
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001


async def _ended(process: Process) -> bool:
    """Return whether the server ends in time; ``wait`` would wait for its pipes, too."""
    with anyio.move_on_after(END_S):
        while process.returncode is None:  # noqa: ASYNC110 - nothing else tells
            await anyio.sleep(_POLL_S)
    return process.returncode is not None


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _there(stream: S | None) -> S:
    if stream is None:
        raise RuntimeError("the server was started without pipes")
    return stream
