"""What the pages show, read from rows: one frozen value for each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from planmode import queries
from planmode.access.may import Action, Caller, Owned, may, visible
from planmode.core import events as ev
from planmode.core.options import SHOWN_FROM
from planmode.core.outcomes import Outcome
from planmode.queries import RevisionRow
from reviews.core.errors import CardUnknownError, ReviewUnknownError
from reviews.models import Approval, Card, Question, Review, TelemetryEvent

PAGE_SIZE: Final = 50
DAYS: Final = 30
FEWEST: Final = 5
"""Below so many decisions a rate says nothing, and none is shown."""

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


def state_of(card: Card) -> str:
    """Return one word for where ``card`` stands: ``waiting``, an outcome, or how it ended."""
    if card.status == Card.Status.OPEN:
        return "waiting"
    if card.status != Card.Status.RESOLVED:
        return str(card.status)
    match card:
        case Review():
            return card.outcome
        case Approval():
            return "allowed" if card.allowed else "refused"
        case _:
            return "answered"


def who_answered(card: Card) -> str:
    """Return the name of the person who decided or answered; empty when nobody did."""
    match card:
        case Review():
            decision = getattr(card, "decision", None)
            person = decision.by if decision else None
        case Question() | Approval():
            person = card.answered_by
        case _:
            person = None
    return person.get_username() if person else ""


def review(review_id: UUID) -> Review:
    """Return a review with everything that its page and the access rules read.

    Raises:
        ReviewUnknownError: there is none.
    """
    rows = Review.objects.select_related("project", "session__owner", "decision__by")
    found = rows.filter(pk=review_id).first()
    if found is None:
        raise ReviewUnknownError(f"no review {review_id}")
    return found


def question(question_id: UUID) -> Question:
    """Return a question with its session and project.

    Raises:
        CardUnknownError: there is none.
    """
    rows = Question.objects.select_related("project", "session__owner", "answered_by")
    found = rows.filter(pk=question_id).first()
    if found is None:
        raise CardUnknownError(f"no question {question_id}")
    return found


def approval(approval_id: UUID) -> Approval:
    """Return a tool approval with its session and project.

    Raises:
        CardUnknownError: there is none.
    """
    rows = Approval.objects.select_related("project", "session__owner", "answered_by")
    found = rows.filter(pk=approval_id).first()
    if found is None:
        raise CardUnknownError(f"no approval {approval_id}")
    return found


def reviews_of_plan(review: Review) -> list[Review]:
    """Return all reviews of the plan that ``review`` is about, by revision."""
    rows = Review.objects.filter(session_id=review.session_id, plan_id=review.plan_id)
    return list(rows.order_by("revision_version"))


def reviews_by_call(session_id: UUID, call_ids: Iterable[str]) -> dict[str, Review]:
    """Return the reviews that these tool calls of a session opened, open or closed."""
    rows = Review.objects.filter(session_id=session_id, call_id__in=set(call_ids))
    return {row.call_id: row for row in rows}


def acknowledged(review: Review) -> datetime | None:
    """Return when the agent was given the outcome, as its call's result or as a reminder."""
    resolved = TelemetryEvent.objects.filter(name="plan_resolved", review_id=review.pk).first()
    if resolved is None:
        return None
    behind = queries.events(review.session_id, after=resolved.seq, limit=PAGE_SIZE)
    return next(
        (logged.at for logged in behind if _gives_outcome(logged.event, review.call_id)),
        None,
    )


def _gives_outcome(event: ev.Event, call_id: str) -> bool:
    match event:
        case ev.ToolFinished():
            return event.call_id == call_id
        case ev.ReminderInjected(variant=ev.Variant.PLAN_REVIEW):
            return not call_id  # the plan was a reply, which has no result
        case _:
            return False


def usernames(ids: Iterable[int]) -> dict[int, str]:
    """Return the names of these users."""
    wanted = set(ids)
    return dict(User.objects.filter(pk__in=wanted).values_list("pk", "username")) if wanted else {}


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A revision with the review that it was submitted for (there is always one)."""

    revision: RevisionRow
    review_id: UUID | None
    state: str
    who: str
    closed_at: datetime | None
    own: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """One page of the revisions, newest first; ``more`` is where the next one begins."""

    lines: tuple[AuditLine, ...]
    more: UUID | None


def audit(caller: Caller, *, before: UUID | None = None) -> Audit:
    """Return the revisions that ``caller`` may check."""
    seen = visible(caller, Action.READ_AUDIT, project="session__project", owner="session__owner")
    found = queries.revision_rows(seen, limit=PAGE_SIZE + 1, before=before)
    page = found[:PAGE_SIZE]
    rows = Review.objects.filter(revision_id__in=[row.id for row in page])
    reviews = {row.revision_id: row for row in rows.select_related("decision__by")}
    lines = tuple(_audit_line(row, reviews.get(row.id)) for row in page)
    return Audit(lines, page[-1].id if len(found) > PAGE_SIZE else None)


def _audit_line(revision: RevisionRow, review: Review | None) -> AuditLine:
    if review is None:
        return AuditLine(revision, None, "", "", None, own=False)
    decision = getattr(review, "decision", None)
    return AuditLine(
        revision,
        review.pk,
        state_of(review),
        who_answered(review),
        review.closed_at,
        own=bool(decision and decision.own),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a day's bar, in percent of the longest bar."""

    outcome: str
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Day:
    """How many reviews ended with each outcome on one day (UTC), in the order of ``OUTCOMES``."""

    day: date
    counts: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def total(self) -> int:
        """All of the day's outcomes."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Outcomes per day, the newest day first.

    ``base`` counts what the approval rate rests on; the rate is in percent, ``None`` below
    ``FEWEST``. ``stops`` are the turns that stopped although nobody decided so, by reason.
    """

    outcomes: tuple[str, ...]
    days: tuple[Day, ...]
    totals: tuple[int, ...]
    base: int
    approved: int
    rate: int | None
    stops: tuple[tuple[str, int], ...] = ()

    @property
    def stopped(self) -> int:
        """All turns that stopped unfinished."""
        return sum(count for _, count in self.stops)

    @property
    def total(self) -> int:
        """All outcomes of the period."""
        return sum(self.totals)


OUTCOMES: Final = tuple(Outcome)
_IN_RATE: Final = (
    Outcome.APPROVED,
    Outcome.REVISE,
    Outcome.REJECTED,
    Outcome.REJECTED_AND_EXITED,
)
"""Dismissed and automatic ones are nobody's judgement of the plan: shown apart, not in the rate."""


def telemetry(caller: Caller, *, today: date) -> Telemetry:
    """Return the outcomes of the last 30 days up to ``today`` (UTC)."""
    first = today - timedelta(days=DAYS - 1)
    seen = visible(caller, Action.READ_TELEMETRY, project="project", owner="session__owner")
    rows = TelemetryEvent.objects.filter(seen, day__range=(first, today))
    resolved = rows.filter(name="plan_resolved").values_list("day", "outcome")
    counts = {(day, outcome): n for day, outcome, n in resolved.annotate(n=Count("pk"))}
    days = [today - timedelta(days=back) for back in range(DAYS)]
    stopped = rows.filter(name="turn_stopped").values_list("properties__reason")
    stops = stopped.annotate(n=Count("pk")).order_by("-n", "properties__reason")
    return replace(_telemetry(counts, days), stops=tuple(stops))


def _telemetry(counts: Mapping[tuple[date, str], int], days: Sequence[date]) -> Telemetry:
    table = [tuple(counts.get((day, outcome), 0) for outcome in OUTCOMES) for day in days]
    longest = max(map(sum, table), default=0)
    totals = tuple(map(sum, zip(*table, strict=True)))
    by_outcome = dict(zip(OUTCOMES, totals, strict=True))
    base = sum(by_outcome[outcome] for outcome in _IN_RATE)
    approved = by_outcome[Outcome.APPROVED]
    return Telemetry(
        outcomes=tuple(OUTCOMES),
        days=tuple(
            Day(day, row, _parts(row, longest)) for day, row in zip(days, table, strict=True)
        ),
        totals=totals,
        base=base,
        approved=approved,
        rate=round(100 * approved / base) if base >= FEWEST else None,
    )


def _parts(row: tuple[int, ...], longest: int) -> tuple[Part, ...]:
    parts, start = [], 0.0
    for outcome, count in zip(OUTCOMES, row, strict=True):
        if count:
            width = 100 * count / longest
            parts.append(Part(outcome.value, round(start, 2), round(width, 2)))
            start += width
    return tuple(parts)
