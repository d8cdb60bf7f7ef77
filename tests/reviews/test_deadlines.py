"""What expires is parked: nothing is approved by silence."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode import services as planmode
from planmode.core import events as ev
from planmode.core.failures import Halt
from planmode.core.outcomes import Outcome
from reviews import services, tasks
from reviews.core.decisions import DecisionKind
from reviews.core.errors import ReviewClosedError
from reviews.models import Card, DecisionRecord, Review, TelemetryEvent
from tests.desk import approve, decide, refolded, results
from tests.factories import Play, play, submits

pytestmark = pytest.mark.django_db


def overdue(session: Play) -> Play:
    """Let the review's deadline be over."""
    Review.objects.filter(pk=session.review.pk).update(deadline_at=timezone.now())
    return session


@pytest.fixture
def late(operator: User) -> Play:
    """A review whose time is over, of an agent that submits once more when told to go on."""
    return overdue(play(operator, [submits(), submits()]).work())


def test_a_review_expires_and_nothing_is_decided(late: Play) -> None:
    """case:C055: the agent is told that no decision was made, the guard stays on."""
    tasks.expire_reviews()
    late.work()
    assert late.review.status == Card.Status.EXPIRED
    assert not DecisionRecord.objects.exists()
    told = results(late)[-1]
    assert "expired: nobody decided in time" in told.text
    assert "neither an approval nor a refusal" in told.text
    assert late.state.plan.active
    assert (late.turn.state, late.turn.reason) == (ev.TurnState.STOPPED, Halt.REVIEW_EXPIRED)
    assert refolded(late) == late.state


def test_an_expiry_is_no_outcome(late: Play) -> None:
    """case:C056: it is logged as nobody's refusal."""
    tasks.expire_reviews()
    late.work()
    resolved = TelemetryEvent.objects.filter(session_id=late.id, name="plan_resolved")
    assert not resolved.exists()
    assert late.review.outcome == ""


def test_a_late_click_learns_why(late: Play, reviewer: User) -> None:
    """case:C108: 409 with the reason, and the card takes nothing more."""
    tasks.expire_reviews()
    with pytest.raises(ReviewClosedError) as refused:
        approve(late, reviewer)
    assert refused.value.ending.status == "expired"


def test_what_is_not_due_stays_open(operator: User, reviewer: User) -> None:
    session = play(operator, [submits()]).work()
    assert services.expire_due(timezone.now()) == 0
    soon = timezone.now() + timedelta(hours=1)
    Review.objects.filter(pk=session.review.pk).update(deadline_at=soon)
    assert services.expire_due(timezone.now()) == 0
    assert services.expire_due(soon) == 1
    assert services.expire_due(soon) == 0, "once"


def test_a_decided_review_does_not_expire(late: Play, reviewer: User) -> None:
    decide(late, reviewer, DecisionKind.REVISE, feedback="x")
    assert services.expire_due(timezone.now()) == 0
    assert late.review.outcome == Outcome.REVISE


def test_the_same_plan_may_be_submitted_again(late: Play, operator: User, reviewer: User) -> None:
    tasks.expire_reviews()
    late.work()
    planmode.retry_turn(late.id, by=operator)
    late.work()
    review = late.review
    assert (review.status, review.revision_version) == (Card.Status.OPEN, 2)
    approve(late, reviewer)
    assert late.review.outcome == Outcome.APPROVED


def test_an_expired_reply_is_told_as_a_reminder(operator: User) -> None:
    """In preset pi the plan is a reply, which has no result."""
    plan = "Plan:\n1. Read it\n2. Split it\n"
    session = overdue(play(operator, [{"text": plan}], preset="pi").work())
    tasks.expire_reviews()
    session.work()
    assert session.review.status == Card.Status.EXPIRED
    assert (session.turn.state, session.turn.reason) == (ev.TurnState.STOPPED, Halt.REVIEW_EXPIRED)
