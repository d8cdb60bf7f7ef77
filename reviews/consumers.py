"""WebSockets: they push hints to one browser, and take nothing."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth.models import User

from planmode import queries
from planmode.access.endpoint import identifier
from planmode.core.errors import SessionUnknownError
from reviews import feed
from reviews.hub import hub
from reviews.hub.listeners import Close, Listener
from reviews.hub.rows import FEED, Person, SessionLog, Topic

LONGEST_NUMBER: Final = 18
"""Digits of ``after``: more than any database counts to is no number."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a socket hears, and behind which number it begins."""

    topic: Topic
    after: int


@dataclass(frozen=True, slots=True)
class Guest:
    """Who opened a socket, and what for."""

    person: Person
    place: Place


class HintConsumer(AsyncWebsocketConsumer):
    """Joins the hub with a topic; what a browser may do, it does by HTTP.

    A refused socket is accepted first: a browser can't see why a handshake failed, and would try
    for ever.
    """

    channel_layer_alias = "none"  # the hub has the process's one subscription
    listener: Listener | None = None
    ended = False

    async def place(self, after: int | None) -> Place | None:
        """Return what this socket is about, ``None`` when there is no such thing."""
        raise NotImplementedError

    async def connect(self) -> None:
        """Let the browser hear, or tell it why not."""
        guest = await self.guest()
        await self.accept()
        if isinstance(guest, Close):
            await self.end(guest)
        else:
            self.listener = hub.join(self, guest.person, guest.place.topic, guest.place.after)

    async def guest(self) -> Guest | Close:
        """Return who came and for what, or why that can't be."""
        person = self.person()
        if person is None:
            return Close.LOGGED_OUT
        try:
            place = await self.place(self.after())
        except ValueError:
            return Close.INVALID
        return Guest(person, place) if place else Close.NOT_ALLOWED

    def person(self) -> Person | None:
        """Return who opened the socket, ``None`` for nobody that is known."""
        user: object = self.scope["user"]
        login = self.scope["session"].session_key
        if not isinstance(user, User) or not login:
            return None
        return Person(user.pk, login, user.get_session_auth_hash())

    def after(self) -> int | None:
        """Return where the browser says that it left off.

        Raises:
            ValueError: that is no number.
        """
        query = parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        return _number(query["after"][0]) if "after" in query else None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:  # noqa: ARG002 - the signature is Channels'
        """End the socket: a change over a socket would have no CSRF token."""
        await self.end(Close.INVALID)

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - the signature is Channels'
        """Leave the hub."""
        if self.listener is not None:
            hub.leave(self.listener)

    async def push(self, text: str) -> None:
        """Send ``text`` (for the hub)."""
        await self.send(text)

    async def end(self, code: int) -> None:
        """Close with ``code``, once."""
        if self.ended:
            return
        self.ended = True
        if self.listener is not None:
            hub.leave(self.listener)
        with suppress(OSError):  # the browser was faster
            await self.close(code)


class FeedConsumer(HintConsumer):
    """``/ws/feed?after=CURSOR``: changes of cards, ``{cursor, kind, id, version}``.

    Without ``after`` it begins with what comes after the handshake.
    """

    async def place(self, after: int | None) -> Place:
        """Return the feed."""
        start = await database_sync_to_async(feed.head)() if after is None else after
        return Place(FEED, start)


class SessionConsumer(HintConsumer):
    """``/ws/sessions/ID?after=SEQ``: that the session's log is longer than that, ``{seq}``."""

    async def place(self, after: int | None) -> Place | None:
        """Return the log of the session in the URL."""
        log = await database_sync_to_async(_log)(self.scope["url_route"]["kwargs"]["session_id"])
        return Place(log, after or 0) if log else None


def _log(session_id: str) -> SessionLog | None:
    try:
        found = identifier(session_id, SessionUnknownError, "session")
        return SessionLog(found, queries.owned(found))
    except SessionUnknownError:
        return None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        raise ValueError(text)
    return int(text)
