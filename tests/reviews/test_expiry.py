"""A deadline that is over parks a review, once."""

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode import services as planmode
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.errors import NotWaitingError
from planmode.core.outcomes import Closure
from planmode.models import Turn
from reviews import services, tasks
from reviews.core.errors import NoDeadlineError, ReviewClosedError
from reviews.core.policy import Rules
from reviews.models import AuditFact, FeedEntry, Review
from tests import desk
from tests.factories import PLAN, Play, call, play, submits
from tests.races import together
from tests.reviews.pages_client import browser, decides, html, text

LATER = timedelta(days=8)


@pytest.fixture
def waiting(project: Project, operator: User) -> Play:
    """A session whose plan waits for two approvals, for eight hours."""
    services.set_policy(project, Rules(2, deadline_hours=8))
    return play(operator, [submits(), submits(), {"text": "Done."}]).work()


def overdue(session: Play) -> Play:
    """Let the deadline of the newest review be a minute ago."""
    Review.objects.filter(pk=session.review.pk).update(
        deadline_at=timezone.now() - timedelta(minutes=1)
    )
    return session


def test_it_is_told_like_every_other_end(waiting: Play) -> None:
    """case:C108: the card closes for who has it open; the session waits for somebody."""
    services.expire_due(timezone.now() + LATER)
    waiting.work()
    kinds = list(FeedEntry.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["plan_review.opened", "plan_review.changed", "session.stopped"]
    assert AuditFact.objects.filter(kind="review_closed").count() == 1


def test_who_clicks_too_late_sees_why(waiting: Play, reviewer: User) -> None:
    """case:C108: 409 with the reason, the text kept, and no button left."""
    services.expire_due(timezone.now() + LATER)
    answer = decides(browser(reviewer), waiting, "reject", reason="My text")
    assert answer.status_code == 409
    assert "this review is closed: expired" in text(answer)
    assert "My text" in text(answer)
    assert 'name="decide"' not in html(answer)
    with pytest.raises(ReviewClosedError):
        services.extend(waiting.review.pk, by=desk.caller(reviewer))


def test_calls_behind_the_submission_do_not_run(project: Project, operator: User) -> None:
    services.set_policy(project, Rules(deadline_hours=1))
    reply = submits()
    reply["tool_calls"].append(call("Read", path="parser.py"))
    session = play(operator, [reply, {"text": "Done."}]).work()
    services.expire_due(timezone.now() + LATER)
    session.work()
    assert [result.verdict for result in desk.results(session)][-1] == ev.Verdict.SKIPPED


def test_who_extends_in_time_keeps_it_open(waiting: Play, reviewer: User) -> None:
    overdue(waiting)
    review = services.extend(waiting.review.pk, by=desk.caller(reviewer))
    assert review.deadline_at is not None
    assert review.deadline_at > timezone.now() + timedelta(hours=7)
    tasks.expire_reviews()
    assert waiting.review.status == "open"


def test_the_sweep_finds_it(waiting: Play) -> None:
    overdue(waiting)
    tasks.expire_reviews()
    assert waiting.review.status == "expired"


def test_a_policy_without_a_deadline_takes_it_away(
    waiting: Play, reviewer: User, project: Project
) -> None:
    services.set_policy(project, Rules())
    assert services.extend(waiting.review.pk, by=desk.caller(reviewer)).deadline_at is None
    with pytest.raises(NoDeadlineError):
        services.extend(waiting.review.pk, by=desk.caller(reviewer))
    assert services.expire_due(timezone.now() + LATER) == 0


def test_a_review_that_is_not_the_open_one_does_not_expire(waiting: Play) -> None:
    with pytest.raises(NotWaitingError):
        planmode.expire_review(waiting.id, "another")
    planmode.cancel_turn(waiting.id)
    with pytest.raises(NotWaitingError):
        planmode.expire_review(waiting.id, str(waiting.review.pk))
    assert waiting.review.status == "withdrawn"


@pytest.mark.django_db(transaction=True)
def test_a_decision_and_the_deadline_at_once_tell_one_story(
    project: Project, operator: User, reviewer: User
) -> None:
    """Whoever is first: never both, and the other one hears of it."""
    services.set_policy(project, Rules(deadline_hours=1))
    for _ in range(4):
        session = overdue(play(operator, [submits(PLAN), {"text": "Done."}]).work())
        answers = together([tasks.expire_reviews, partial(desk.approve, session, reviewer)])
        status = session.review.status
        assert status in {"expired", "resolved"}
        assert isinstance(answers[1], ReviewClosedError) is (status == "expired")
        closed = [e.how for e in desk.every(session, ev.PlanReviewClosed)]
        assert closed == ([Closure.EXPIRED] if status == "expired" else [])
        assert desk.refolded(session) == session.state


def test_one_that_can_not_expire_holds_up_no_other(project: Project, operator: User) -> None:
    """The oldest comes first in each sweep: its fault is logged, and the next one is looked at."""
    services.set_policy(project, Rules(deadline_hours=1))
    odd = overdue(play(operator, [submits(), {"text": "Done."}]).work())
    Turn.objects.filter(session_id=odd.id).update(state="done")  # what no release ever wrote
    other = overdue(play(operator, [submits(), {"text": "Done."}]).work())
    tasks.expire_reviews()
    assert (odd.review.status, other.review.status) == ("open", "expired")
