"""WebSockets: they push hints to one browser, and take nothing."""

from contextlib import suppress
from typing import Final
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth.models import User

from planmode import queries
from planmode.access.endpoint import identifier
from planmode.core.errors import SessionUnknownError
from reviews.hub import hub
from reviews.hub.listeners import Close, Listener
from reviews.hub.rows import FEED, Person, SessionLog, Topic

LONGEST_NUMBER: Final = 18
"""Digits of ``after``: more than any database counts to is no number."""


class HintConsumer(AsyncWebsocketConsumer):
    """Joins the hub with a topic; what a browser may do, it does by HTTP.

    A refused socket is accepted first: a browser can't see why a handshake failed, and would try
    for ever.
    """

    channel_layer_alias = "none"  # the hub has the process's one subscription
    listener: Listener | None = None
    ended = False

    async def topic(self) -> Topic | None:
        """Return what this socket is about, ``None`` when there is no such thing."""
        raise NotImplementedError

    async def connect(self) -> None:
        """Let the browser hear, or tell it why not."""
        await self.accept()
        person = self.person()
        if person is None:
            await self.end(Close.LOGGED_OUT)
            return
        after = self.after()
        if after is not None and not _is_number(after):
            await self.end(Close.INVALID)
            return
        topic = await self.topic()
        if topic is None:
            await self.end(Close.NOT_ALLOWED)
            return
        self.listener = hub.join(self, person, topic, None if after is None else int(after))

    def person(self) -> Person | None:
        """Return who opened the socket, ``None`` for nobody that is known."""
        user: object = self.scope["user"]
        login = self.scope["session"].session_key
        if not isinstance(user, User) or not login:
            return None
        return Person(user.pk, login, user.get_session_auth_hash())

    def after(self) -> str | None:
        """Return where the browser says that it left off."""
        query = parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        return query["after"][0] if "after" in query else None

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
    """``/ws/feed?after=CURSOR``: changes of cards, ``{cursor, kind, id, version}``."""

    async def topic(self) -> Topic:
        """Return the feed."""
        return FEED


class SessionConsumer(HintConsumer):
    """``/ws/sessions/ID?after=SEQ``: that the session's log has grown, ``{seq}``."""

    async def topic(self) -> Topic | None:
        """Return the log of the session in the URL."""
        return await database_sync_to_async(_log)(self.scope["url_route"]["kwargs"]["session_id"])


def _log(session_id: str) -> SessionLog | None:
    try:
        found = identifier(session_id, SessionUnknownError, "session")
        return SessionLog(found, queries.owned(found))
    except SessionUnknownError:
        return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
