"""Decisions on plans."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from planmode import queries
from planmode import services as planmode
from planmode.access.may import Action, Caller, as_of_now, may
from planmode.core import events as ev
from planmode.core.errors import NotAllowedError
from reviews.core.decisions import OUTCOME_OF, Decision, DecisionKind, check_offered, completed
from reviews.core.errors import (
    Ending,
    OwnPlanError,
    ReviewClosedError,
    ReviewUnknownError,
    RevisionStaleError,
    TokenNeverDecidesError,
)
from reviews.models import Card, Review
from reviews.services.cards import locked, owned


@transaction.atomic
def decide(review_id: UUID, decision: Decision, *, by: Caller) -> Review:
    """Decide on the revision that the person read; the first valid decision wins.

    The session's lock lets decisions through one by one. What follows of one is made of its event,
    in the same transaction: the review closes (``reviews.projections``), plan mode, telemetry,
    audit fact, feed and the turn.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them decide.
        OwnPlanError: it is their own agent's plan, and the project wants somebody else.
        ReviewClosedError: somebody was faster, or the review ended.
        RevisionStaleError: the decision names another sha256 than the review's.
        DecisionIncompleteError: something is missing or does not belong.
        StoredDataError: the plan's bytes are not those that were submitted, so that nobody can
            approve them. Every other decision stays possible.
    """
    review = locked(Review, review_id, ReviewUnknownError)
    _check_decider(review, decision.kind, as_of_now(by))
    if review.status != Card.Status.OPEN:
        raise _closed(review)
    if decision.sha256 != review.sha256:
        raise RevisionStaleError(
            f"under review is revision {review.revision_version}, sha256 {review.sha256}",
            current=review.sha256,
        )
    check_offered(decision.kind, queries.config(review.session.fold))
    complete = completed(decision, [option["label"] for option in review.options])
    if complete.kind is DecisionKind.APPROVE:
        queries.revision_bytes(review.revision_id)  # verified, behind the lock
    planmode.resolve_plan(
        review.session_id,
        ev.PlanResolved(
            review=str(review.pk),
            outcome=OUTCOME_OF[complete.kind],
            option=complete.option,
            feedback=complete.feedback,
            reason=complete.reason,
            start=complete.start,
            by=by.user_id,
        ),
    )
    return Review.objects.select_related("decision__by").get(pk=review.pk)


def _check_decider(review: Review, kind: DecisionKind, by: Caller) -> None:
    if not may(by, Action.READ_TITLE, owned(review)):
        raise ReviewUnknownError(f"no review {review.pk}")
    if by.by_token:
        raise TokenNeverDecidesError("a token never decides; log in with a browser")
    action = Action.DISMISS if kind is DecisionKind.DISMISS else Action.DECIDE
    if not may(by, action, owned(review)):
        raise NotAllowedError(f"your roles in this project do not let you {kind} a plan")
    own = review.session.owner_id == by.user_id and action is Action.DECIDE
    if own and not review.project.allow_self_review:
        raise OwnPlanError("this project wants somebody else to decide on your agents' plans")


def _closed(review: Review) -> ReviewClosedError:
    decision = getattr(review, "decision", None)
    if decision is None:
        ending = Ending(review.status, at=review.closed_at)
    else:
        by = decision.by.get_username() if decision.by else ""
        ending = Ending(review.status, by, decision.outcome, decision.option, decision.at)
    return ReviewClosedError(how_it_ended(review), ending=ending)


def how_it_ended(review: Review) -> str:
    """Return in one sentence how a closed review ended, by whom and when."""
    decision = getattr(review, "decision", None)
    if decision is None:
        return f"this review is closed: {review.status}"
    who = decision.by.get_username() if decision.by else "nobody (automatically)"
    chosen = f", option {decision.option!r}" if decision.option else ""
    return f"decided by {who} at {_moment(decision.at)}: {decision.outcome}{chosen}"


def _moment(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M:%S %Z}"
