"""What the hub asks of the database."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never
from uuid import UUID

from channels.db import database_sync_to_async
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as Login
from django.db.models import Q
from django.utils import timezone

from planmode import queries
from planmode.access.may import Action, Caller, Owned, may, may_anywhere, visible
from reviews import feed
from reviews.models import FeedEntry

PAGE: Final = 200
"""Feed entries read at once."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who listens, and by which log-in.

    ``login`` is the key of the browser's session; ``proof`` changes with the person's password.
    """

    user_id: int
    login: str
    proof: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Every change of a card that the person may hear of."""


@dataclass(frozen=True, slots=True)
class SessionLog:
    """The growth of one session's log."""

    session_id: UUID
    owned: Owned


Topic = Feed | SessionLog
FEED: Final = Feed()


@dataclass(frozen=True, slots=True)
class Hint:
    """A message for sockets: ``text`` as it is sent, ``cursor`` its place in the topic."""

    cursor: int
    text: str
    owned: Owned


@dataclass(frozen=True, slots=True)
class Page:
    """What somebody has missed of a topic up to ``cursor``; ``more`` says that there is more."""

    hints: tuple[Hint, ...]
    cursor: int
    caller: Caller
    more: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What the hub knows: ``feed`` is its cursor (``None``: nobody follows the feed).

    ``check`` asks for everybody's rights even if nothing is new.
    """

    feed: int | None
    logs: Mapping[SessionLog, int]
    people: frozenset[Person]
    check: bool


@dataclass(frozen=True, slots=True)
class News:
    """What is new: hints of the feed, and of logs that have grown.

    ``callers`` are those of the people whose log-in still holds, ``None`` when nothing is new.
    """

    feed: tuple[Hint, ...] = ()
    logs: Mapping[SessionLog, Hint] = field(default_factory=dict)
    callers: Mapping[Person, Caller] | None = None


def allows(caller: Caller | None, topic: Topic) -> bool:
    """Return whether ``caller`` may listen to ``topic``."""
    match topic:
        case Feed():
            return may_anywhere(caller, Action.HEAR_FEED)
        case SessionLog(owned=owned):
            return may(caller, Action.READ_PLAN, owned)
        case _:
            assert_never(topic)


def hears(caller: Caller, hint: Hint) -> bool:
    """Return whether ``caller`` may hear a hint of the feed."""
    return may(caller, Action.HEAR_FEED, hint.owned)


class DatabaseRows:
    """Answers from the database: one trip of one thread for each question."""

    async def page(self, person: Person, topic: Topic, after: int) -> Page | None:
        """Return what ``person`` missed behind ``after``; ``None`` when they may not listen."""
        return await database_sync_to_async(page)(person, topic, after)

    async def news(self, asked: Asked) -> News:
        """Return what is new to the hub."""
        return await database_sync_to_async(news)(asked)


def page(person: Person, topic: Topic, after: int) -> Page | None:
    """Return what ``person`` missed behind ``after``; ``None`` when they may not listen."""
    caller = callers([person]).get(person)
    if caller is None or not allows(caller, topic):
        return None
    match topic:
        case Feed():
            return _feed_page(caller, after)
        case SessionLog():
            return _log_page(caller, topic, after)
        case _:
            assert_never(topic)


def _feed_page(caller: Caller, after: int) -> Page:
    head = feed.head()
    start = min(after, head)  # a cursor may be of another database's life
    seen = visible(caller, Action.HEAR_FEED, project="project", owner="owner")
    hints = tuple(_hint(entry) for entry in feed.after(start, seen, limit=PAGE))
    more = len(hints) == PAGE
    newest = hints[-1].cursor if hints else start
    return Page(hints, newest if more else max(head, newest), caller, more=more)


def _log_page(caller: Caller, topic: SessionLog, after: int) -> Page:
    seq = queries.positions([topic.session_id]).get(topic.session_id, 0)
    return Page((_grown(topic, seq),) if seq > after else (), seq, caller)


def news(asked: Asked) -> News:
    """Return what is new: one query for the feed, one for all watched logs, three for rights."""
    entries = [] if asked.feed is None else feed.after(asked.feed, Q(), limit=PAGE)
    lengths = queries.positions([log.session_id for log in asked.logs]) if asked.logs else {}
    grown = {
        log: _grown(log, lengths[log.session_id])
        for log, heard in asked.logs.items()
        if lengths.get(log.session_id, 0) > heard
    }
    if not (entries or grown or asked.check):
        return News()
    return News(tuple(map(_hint, entries)), grown, callers(asked.people))


def _hint(entry: FeedEntry) -> Hint:
    text = json.dumps(
        {
            "cursor": entry.pk,
            "kind": entry.kind,
            "id": str(entry.card_id),
            "version": entry.version,
        }
    )
    return Hint(entry.pk, text, Owned(entry.project_id, entry.owner_id))


def _grown(log: SessionLog, seq: int) -> Hint:
    return Hint(seq, json.dumps({"seq": seq}), log.owned)


def callers(people: Collection[Person]) -> dict[Person, Caller]:
    """Return what the rules know of each person now; who is logged out or inactive is left out."""
    ids = {person.user_id for person in people}
    keys = {person.login for person in people}
    users = User.objects.filter(pk__in=ids, is_active=True).prefetch_related("memberships")
    known = {user.pk: (user.get_session_auth_hash(), _caller(user)) for user in users}
    alive = Login.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    logins = set(alive.values_list("session_key", flat=True))
    return {
        person: known[person.user_id][1]
        for person in people
        if person.login in logins
        and person.user_id in known
        and known[person.user_id][0] == person.proof
    }


def _caller(user: User) -> Caller:
    held = ((member.project_id, member.role) for member in user.memberships.all())
    return Caller(user.pk, frozenset(held))
