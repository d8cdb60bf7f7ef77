"""Cards as their pages show them: found by id, and in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from planmode import queries
from planmode.core import events as ev
from reviews.core.errors import CardUnknownError, ReviewUnknownError
from reviews.models import Approval, Card, Question, Review, TelemetryEvent, Visit

_SOON: Final = 50
"""Events behind a decision among which its delivery is looked for."""


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


@dataclass(frozen=True, slots=True)
class SessionReviews:
    """All reviews of a session, by the age of their plan, then by revision.

    ``seen`` are those whose page the person had open.
    """

    all: tuple[Review, ...]
    seen: frozenset[UUID]

    def of_plan(self, plan_id: str) -> tuple[Review, ...]:
        """Return those of one plan, by revision."""
        return tuple(row for row in self.all if row.plan_id == plan_id)


def reviews_of_session(session_id: UUID, person_id: int) -> SessionReviews:
    """Return all reviews of a session, for a person."""
    visits = Visit.objects.filter(review=OuterRef("pk"), person_id=person_id)
    rows = Review.objects.filter(session_id=session_id).annotate(seen=Exists(visits))
    found = list(rows.order_by("opened_at", "pk"))
    begun = {row.plan_id: place for place, row in reversed(list(enumerate(found)))}
    found.sort(key=lambda row: (begun[row.plan_id], row.revision_version))
    return SessionReviews(tuple(found), frozenset(row.pk for row in found if row.seen))


def reviews_by_call(session_id: UUID, call_ids: Iterable[str]) -> dict[str, Review]:
    """Return the reviews that these tool calls of a session opened, open or closed."""
    rows = Review.objects.filter(session_id=session_id, call_id__in=set(call_ids))
    return {row.call_id: row for row in rows}


def acknowledged(review: Review) -> datetime | None:
    """Return when the agent was given the outcome, as its call's result or as a reminder."""
    if review.status != Card.Status.RESOLVED:
        return None
    resolved = TelemetryEvent.objects.filter(name="plan_resolved", review_id=review.pk).first()
    if resolved is None:
        return None
    behind = queries.events(review.session_id, after=resolved.seq, limit=_SOON)
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
