"""Decisions on plans."""

from uuid import UUID

from django.db import transaction

from planmode import queries
from planmode import services as planmode
from planmode.access.may import Caller, as_of_now
from planmode.core import events as ev
from reviews.core.decisions import (
    OUTCOME_OF,
    TAKES_FEEDBACK,
    Decision,
    DecisionKind,
    check_offered,
    check_reason,
    completed,
)
from reviews.core.errors import BlocksUnseenError, ReviewUnknownError, RevisionStaleError
from reviews.core.policy import Rules
from reviews.core.tiers import tier_of
from reviews.models import Review
from reviews.quorum import in_force
from reviews.services import votes
from reviews.services.cards import locked
from reviews.services.deciders import check_decider
from reviews.services.endings import check_open
from reviews.services.reading import unseen
from reviews.threads import open_threads, sent


@transaction.atomic
def decide(review_id: UUID, decision: Decision, *, by: Caller) -> Review:
    """Decide on the revision that the person read; the first valid decision wins.

    An approval is a vote: it closes the review once the project's policy is met by votes for the
    same option, and until then the review stays open. Every other decision closes it at once. The
    session's lock lets decisions through one by one. What follows of one is made of its event, in
    the same transaction: the review closes (``reviews.projections``), plan mode, telemetry, audit
    fact, feed and the turn.

    Comments that nobody has resolved go to the agent with a revise or an approval.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them decide.
        OwnPlanError: it is their own agent's plan, or they wrote into it and want to approve it,
            and the project wants somebody else.
        ReviewClosedError: somebody was faster, or the review ended.
        RevisionStaleError: the decision names another sha256 than the review's.
        DecisionIncompleteError: something is missing or does not belong.
        BlocksUnseenError: the policy wants who approves to have seen every block, and they have
            not.
        StoredDataError: the plan's bytes are not those that were submitted, so that nobody can
            approve them. Every other decision stays possible.
    """
    review = locked(Review, review_id, ReviewUnknownError)
    check_decider(review, decision.kind, as_of_now(by))
    check_open(review)
    if decision.sha256 != review.sha256:
        raise RevisionStaleError(
            f"under review is revision {review.revision_version}, sha256 {review.sha256}",
            current=review.sha256,
        )
    check_offered(decision.kind, queries.config(review.session.fold))
    remarks = open_threads(review) if decision.kind in TAKES_FEEDBACK else ()
    labels = [option["label"] for option in review.options]
    complete = completed(decision, labels, remarks=len(remarks))
    rules = in_force(review.project_id).rules
    check_reason(complete, rules)
    resolving: Decision | None = complete
    if complete.kind is DecisionKind.APPROVE:
        queries.revision_bytes(review.revision_id)  # verified, behind the lock
        _check_seen(review, rules, by.user_id)
        resolving = votes.cast(review, complete, person_id=by.user_id)
    if resolving is not None:
        _resolve(review, resolving, by.user_id, sent(remarks))
    return Review.objects.select_related("decision__by").get(pk=review.pk)


def _check_seen(review: Review, rules: Rules, person_id: int) -> None:
    if not rules.wants_all_seen(tier_of(review.risk)):
        return
    left = len(unseen(review, person_id))
    if left:
        raise BlocksUnseenError(
            f"{left} blocks of this revision were never on your screen; this project's policy "
            "wants you to have seen them before you approve",
            count=left,
        )


def _resolve(
    review: Review,
    decision: Decision,
    person_id: int,
    comments: tuple[ev.SentComment, ...],
) -> None:
    planmode.resolve_plan(
        review.session_id,
        ev.PlanResolved(
            review=str(review.pk),
            outcome=OUTCOME_OF[decision.kind],
            option=decision.option,
            feedback=decision.feedback,
            reason=decision.reason,
            start=decision.start,
            by=person_id,
            comments=comments,
        ),
    )
