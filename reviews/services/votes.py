"""Votes: approvals that wait for more of them."""

from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from planmode.access.may import Caller, as_of_now
from reviews.core.decisions import Decision, DecisionKind, combined
from reviews.core.errors import NoVoteError, ReviewUnknownError
from reviews.models import Review, Vote
from reviews.quorum import Quorum, quorum, seats
from reviews.services.cards import locked
from reviews.services.changes import changed
from reviews.services.deciders import check_decider
from reviews.services.endings import check_open


def cast(review: Review, approval: Decision, *, person_id: int) -> Decision | None:
    """Keep a person's approval; return what closes the review once its policy is met by it.

    That is the approval of the option with all the notes of its voters; the agent starts only if
    each of them lets it. In the caller's transaction, behind the session's lock.

    Raises:
        DecisionIncompleteError: the notes of all approvals together are too long.
    """
    _keep(review, approval, person_id)
    stands = quorum(review)
    if stands.standing.option != approval.option:
        changed(review, "vote", _given(stands, person_id))
        return None
    ballots = [ballot for ballot in stands.ballots if ballot.option == approval.option]
    return replace(
        approval,
        feedback=combined([(ballot.name, ballot.note) for ballot in ballots]),
        start=all(ballot.start for ballot in ballots),
    )


@transaction.atomic
def withdraw_vote(review_id: UUID, *, by: Caller) -> Review:
    """Take one's own vote back while the review is open.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them decide.
        OwnPlanError: the project wants somebody else to decide on it.
        ReviewClosedError: it was decided, or ended otherwise.
        NoVoteError: there is none.
    """
    review = locked(Review, review_id, ReviewUnknownError)
    check_decider(review, DecisionKind.APPROVE, as_of_now(by))
    check_open(review)
    vote = Vote.objects.filter(review=review, person_id=by.user_id)
    if not vote.delete()[0]:
        raise NoVoteError("there is no vote of yours on this review")
    changed(review, "vote_withdrawn", {"by": by.user_id})
    return Review.objects.get(pk=review.pk)


def _keep(review: Review, approval: Decision, person_id: int) -> None:
    seat = seats(review.project_id)[person_id]
    Vote.objects.update_or_create(
        review=review,
        person_id=person_id,
        defaults={
            "option": approval.option,
            "feedback": approval.feedback,
            "start": approval.start,
            "lead": seat.counts_as_lead,
            "own": person_id in {review.session.owner_id, review.edited_by_id},
            "deputy_of_id": seat.stands_in_for,
            "at": timezone.now(),
        },
    )


def _given(stands: Quorum, person_id: int) -> dict[str, Any]:
    """Return what an audit fact keeps of a vote: everything but its words."""
    ballot = stands.of(person_id)
    assert ballot is not None  # noqa: S101 - it was written a moment ago
    return {
        "by": ballot.person,
        "deputy_of": ballot.deputy_id,
        "lead": ballot.lead,
        "missing": [asdict(missing) for missing in stands.standing.missing],
        "option": ballot.option,
        "own": ballot.own,
        "policy_version": stands.policy.version,
        "start": ballot.start,
    }
