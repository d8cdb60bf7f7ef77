"""The queue: what waits, and what was answered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet

from planmode.access.may import Action, Caller, Owned, may, visible
from planmode.core.options import SHOWN_FROM
from reviews.dashboards.cards import state_of, who_answered
from reviews.models import Approval, Card, Question, Review

PAGE_SIZE: Final = 50

C = TypeVar("C", bound=Card)


class Tab(StrEnum):
    """The two lists of the queue."""

    OPEN = "open"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of a list ends: the last row's time and id."""

    at: datetime
    id: UUID

    def __str__(self) -> str:
        return f"{self.at.isoformat()}_{self.id}"


def place(text: str) -> Place:
    """Return the place that ``str(place)`` wrote.

    Raises:
        ValueError: ``text`` names none.
    """
    at, _, card_id = text.partition("_")
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is None:
        raise ValueError("a place has a time with its zone")
    return Place(moment, UUID(card_id))


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A card as the queue shows it.

    ``kind`` is also the name of the card's page, which may be opened when ``readable``; only then
    ``title`` quotes what a question or a tool call says. ``state``
    is one word (``waiting``, an outcome, or how it ended), ``who`` the person behind it.
    """

    kind: str
    id: UUID
    title: str
    project: str
    model: str
    owner: str
    revision: int
    options: int
    state: str
    who: str
    own: bool
    opened_at: datetime
    closed_at: datetime | None
    readable: bool


@dataclass(frozen=True, slots=True)
class Queue:
    """One page of the queue; ``more`` is where the next one begins."""

    tab: Tab
    rows: tuple[QueueRow, ...]
    more: Place | None


def queue(caller: Caller, tab: Tab, *, start: Place | None = None) -> Queue:
    """Return the cards that ``caller`` may know of: the longest wait, or the last answer, first."""
    found: list[Card] = [
        *_page(Review.objects.select_related("decision__by"), caller, tab, start),
        *_page(Question.objects.select_related("answered_by"), caller, tab, start),
        *_page(Approval.objects.select_related("answered_by"), caller, tab, start),
    ]
    found.sort(key=lambda card: _position(card, tab), reverse=tab is Tab.DECIDED)
    rows = found[:PAGE_SIZE]
    more = Place(*_position(rows[-1], tab)) if len(found) > PAGE_SIZE else None
    return Queue(tab, tuple(_queue_row(card, caller) for card in rows), more)


def _position(card: Card, tab: Tab) -> tuple[datetime, UUID]:
    at = card.opened_at if tab is Tab.OPEN else card.closed_at or card.opened_at
    return at, card.pk


def _page(rows: QuerySet[C], caller: Caller, tab: Tab, start: Place | None) -> list[C]:
    seen = visible(caller, Action.READ_TITLE, project="project", owner="session__owner")
    rows = rows.filter(seen).select_related("project", "session__owner")
    if tab is Tab.OPEN:
        rows = rows.filter(status=Card.Status.OPEN).order_by("opened_at", "pk")
        behind = _behind("opened_at", "gt", start)
    else:
        rows = rows.exclude(status=Card.Status.OPEN).order_by("-closed_at", "-pk")
        behind = _behind("closed_at", "lt", start)
    return list(rows.filter(behind)[: PAGE_SIZE + 1])


def _behind(column: str, side: str, start: Place | None) -> Q:
    if start is None:
        return Q()
    later = Q(**{f"{column}__{side}": start.at})
    return later | Q(**{column: start.at, f"pk__{side}": start.id})


def _queue_row(card: Card, caller: Caller) -> QueueRow:
    readable = may(caller, Action.READ_PLAN, Owned(card.project_id, card.session.owner_id))
    review = card if isinstance(card, Review) else None
    decision = getattr(review, "decision", None)
    return QueueRow(
        kind=type(card).__name__.lower(),
        id=card.pk,
        title=(card.summary if readable else "") or card.title,
        project=card.project.name,
        model=card.session.model,
        owner=card.session.owner.get_username(),
        revision=review.revision_version if review else 0,
        options=len(review.options) if review and len(review.options) >= SHOWN_FROM else 0,
        state=state_of(card),
        who=who_answered(card),
        own=bool(decision and decision.own),
        opened_at=card.opened_at,
        closed_at=card.closed_at,
        readable=readable,
    )
