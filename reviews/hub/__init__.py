"""The process's hub: one reader of the rows, any number of sockets."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import partial
from typing import Final, Protocol

from django.conf import settings
from django.db import Error as DatabaseError

from planmode.access.may import Caller
from reviews import broadcast
from reviews.hub.listeners import Close, Listener, Outlet
from reviews.hub.rows import (
    FEED,
    PAGE,
    Asked,
    DatabaseRows,
    Hint,
    News,
    Page,
    Person,
    SessionLog,
    Topic,
    allows,
    hears,
)

logger = logging.getLogger(__name__)

POLL_S: Final = 0.5
"""Rows of a process that can't say "look" are found after this time."""
CHECK_S: Final = 30.0
"""A person's rights are read again after this time, even if nothing is new."""
BATCH: Final = 200
"""Sockets that are served before anything else in this process gets a turn."""


class Rows(Protocol):
    """Answers the hub's questions."""

    async def page(self, person: Person, topic: Topic, after: int) -> Page | None:
        """Return what ``person`` missed behind ``after``; ``None`` when they may not listen."""

    async def news(self, asked: Asked) -> News:
        """Return what is new to the hub."""


class Hub:
    """Passes hints on to the sockets that may hear them, each once and in order.

    While somebody listens, one task reads the rows behind what was heard last, whenever a look
    comes and every half second. A socket that joins reads by itself what it missed, and goes live
    in the moment in which it has heard as much as the hub: nothing can fall in between.
    """

    def __init__(self, rows: Rows, *, poll_s: float = POLL_S, check_s: float = CHECK_S) -> None:
        """Serve nobody yet."""
        self._rows = rows
        self._poll_s = poll_s
        self._check_s = check_s
        self._listeners: dict[Topic, dict[Listener, asyncio.Task[None]]] = {}
        self._heard: dict[Topic, int] = {}
        self._looked = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._checked_at = 0.0

    def join(self, outlet: Outlet, person: Person, topic: Topic, after: int) -> Listener:
        """Let ``outlet`` hear ``topic`` from behind ``after``; it is closed when that must end."""
        listener = Listener(outlet, person, topic, after)
        task = asyncio.create_task(self._serve(listener))
        self._listeners.setdefault(topic, {})[listener] = task
        if self._reader is None:
            self._looked = asyncio.Event()
            self._checked_at = asyncio.get_running_loop().time()
            self._reader = asyncio.create_task(self._read(self._looked))
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget ``listener``: its socket is gone."""
        task = self._forget(listener)
        if task is not None:
            task.cancel()

    def _forget(self, listener: Listener) -> asyncio.Task[None] | None:
        room = self._listeners.get(listener.topic, {})
        task = room.pop(listener, None)
        if not room:
            self._listeners.pop(listener.topic, None)
            self._heard.pop(listener.topic, None)
            self._looked.set()  # the reader ends when this was the last one
        return task

    # One socket

    async def _serve(self, listener: Listener) -> None:
        """Run the socket's own task: catch up, then forward until it ends."""
        try:
            await self._catch_up(listener)
            await listener.forward()
        except DatabaseError as error:
            logger.warning("a socket could not catch up: %s", error)
            listener.code = Close.BROKEN
        except OSError:
            listener.code = listener.code or Close.SLOW
        finally:
            self._forget(listener)
        await listener.end()

    async def _catch_up(self, listener: Listener) -> None:
        topic, more = listener.topic, True
        while more or listener.cursor < self._heard.get(topic, 0):
            page = await self._rows.page(listener.person, topic, listener.cursor)
            if page is None:
                listener.drop(Close.NOT_ALLOWED)
                return
            for hint in page.hints:
                await listener.push(hint.text)
            listener.caller, listener.cursor, more = page.caller, page.cursor, page.more
        # From here to the end nothing is awaited: the hub can't have moved on.
        self._heard.setdefault(topic, listener.cursor)
        listener.live = listener.code is None

    # The reader of the rows

    async def _read(self, looked: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        wake = partial(_call_soon, loop, looked)
        with ExitStack() as stack:
            stack.enter_context(broadcast.listening(wake))
            if not settings.EMBEDDED:
                relay = asyncio.create_task(broadcast.relay(wake))
                stack.callback(relay.cancel)
            try:
                while self._listeners:
                    await self._round()
                    await self._pause(looked)
            finally:
                self._reader = None
                for listener in self._everybody():  # only when the reader broke
                    listener.drop(Close.BROKEN)

    async def _pause(self, looked: asyncio.Event) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._poll_s):
                await looked.wait()
        looked.clear()

    async def _round(self) -> None:
        """Read what is new, and pass it on."""
        now = asyncio.get_running_loop().time()
        logs = {topic: seq for topic, seq in self._heard.items() if isinstance(topic, SessionLog)}
        asked = Asked(
            feed=self._heard.get(FEED),
            logs=logs,
            people=frozenset(listener.person for listener in self._everybody()),
            check=now - self._checked_at >= self._check_s,
        )
        try:
            news = await self._rows.news(asked)
        except DatabaseError as error:
            logger.warning("the feed can't be read, trying on: %s", error)
            return
        if news.callers is not None:
            self._checked_at = now
            self._expel(asked.people, news.callers)
        await self._spread(news)

    def _everybody(self) -> list[Listener]:
        return [listener for room in self._listeners.values() for listener in room]

    def _expel(self, people: frozenset[Person], callers: Mapping[Person, Caller]) -> None:
        """Drop who may not listen any more; who joined during the look has just been checked."""
        for listener in self._everybody():
            if listener.person not in people:
                continue
            listener.caller = callers.get(listener.person)
            if listener.caller is None:
                listener.drop(Close.LOGGED_OUT)
            elif not allows(listener.caller, listener.topic):
                listener.drop(Close.NOT_ALLOWED)

    async def _spread(self, news: News) -> None:
        for log, hint in news.logs.items():
            if log in self._heard:
                self._heard[log] = hint.cursor
                await self._offer(log, (hint,))
        if news.feed and FEED in self._heard:
            self._heard[FEED] = news.feed[-1].cursor
            await self._offer(FEED, news.feed)
        if len(news.feed) == PAGE:
            self._looked.set()

    async def _offer(self, topic: Topic, hints: tuple[Hint, ...]) -> None:
        """Offer ``hints`` to the topic's listeners; rights are weighed once a person."""
        heard: dict[Caller, tuple[Hint, ...]] = {}
        for number, listener in enumerate(list(self._listeners.get(topic, ())), start=1):
            caller = listener.caller
            if caller is not None and caller not in heard:
                heard[caller] = tuple(h for h in hints if topic is not FEED or hears(caller, h))
            for hint in heard[caller] if caller is not None else ():
                listener.offer(hint)
            if number % BATCH == 0:
                await asyncio.sleep(0)


def _call_soon(loop: asyncio.AbstractEventLoop, looked: asyncio.Event) -> None:
    with suppress(RuntimeError):  # the loop has ended: so have its sockets
        loop.call_soon_threadsafe(looked.set)


hub: Final = Hub(DatabaseRows())
"""The one of this process."""
