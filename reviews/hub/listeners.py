"""One socket as the hub sees it, with its bounded buffer."""

import asyncio
from contextlib import suppress
from enum import IntEnum
from typing import Final, Protocol

from planmode.access.may import Caller
from reviews.hub.rows import Hint, Person, Topic

BUFFER: Final = 100
"""Hints that may wait for one socket."""
SEND_S: Final = 5.0
"""Seconds that one message may take until the socket counts as slow."""
_WAKE: Final = ""


class Close(IntEnum):
    """Why the server ends a socket; browsers stop for good on 4400 and above."""

    BROKEN = 1011  # come again
    SLOW = 1013  # come again, and name the last cursor
    INVALID = 4400
    LOGGED_OUT = 4401
    NOT_ALLOWED = 4403


class Outlet(Protocol):
    """Where a listener's messages go. Both raise ``OSError`` when nobody is there any more."""

    async def push(self, text: str) -> None:
        """Send ``text``; wait while the other side does not read."""

    async def end(self, code: int) -> None:
        """Close with ``code``; does nothing the second time."""


class Listener:
    """A socket that hears one topic.

    ``cursor`` is what it has heard, ``live`` that it has caught up, ``caller`` who it is by the
    last look at their rights.
    """

    def __init__(self, outlet: Outlet, person: Person, topic: Topic, after: int) -> None:
        """Begin behind ``after``, not live yet."""
        self.person = person
        self.topic = topic
        self.cursor = after
        self.live = False
        self.caller: Caller | None = None
        self.code: Close | None = None
        self._outlet = outlet
        self._buffer: asyncio.Queue[str] = asyncio.Queue(BUFFER)

    def offer(self, hint: Hint) -> None:
        """Put ``hint`` into the buffer, unless it was heard; a full buffer ends the socket."""
        if not self.live or hint.cursor <= self.cursor:
            return
        self.cursor = hint.cursor
        try:
            self._buffer.put_nowait(hint.text)
        except asyncio.QueueFull:
            self.drop(Close.SLOW)

    def drop(self, code: Close) -> None:
        """Let the socket end with ``code``, soon; what waits in its buffer is not sent."""
        self.live = False
        self.code = self.code or code
        with suppress(asyncio.QueueFull):  # then it is not waiting for the buffer either
            self._buffer.put_nowait(_WAKE)

    async def forward(self) -> None:
        """Send what comes into the buffer, until the socket is dropped.

        Raises:
            OSError: the socket is gone, or slow (TimeoutError).
        """
        while self.code is None:
            text = await self._buffer.get()
            if text is not _WAKE:
                await self.push(text)

    async def push(self, text: str) -> None:
        """Send ``text`` past the buffer; nothing once the socket is dropped.

        Raises:
            OSError: the socket is gone, or slow (TimeoutError).
        """
        if self.code is None:
            async with asyncio.timeout(SEND_S):
                await self._outlet.push(text)

    async def end(self) -> None:
        """Close the socket, if it is still there and takes that."""
        with suppress(OSError):
            async with asyncio.timeout(SEND_S):
                await self._outlet.end(self.code or Close.SLOW)
