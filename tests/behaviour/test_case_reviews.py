"""Reports on plan reviews elsewhere, played on ours."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode import tasks
from planmode.access.models import Project
from planmode.core import events as ev
from reviews.core.decisions import DecisionKind
from reviews.models import AuditFact, DecisionRecord, Review
from tests import desk
from tests.factories import PLAN, call, play, submits
from tests.planmode.api.http import browser, get, post
from tests.plays import EDITS, WRITES, done, enter, say, told

pytestmark = pytest.mark.django_db


def test_what_passes_by_itself_is_called_so(operator: User, project: Project) -> None:
    """case:C037, complaints:K-32 K-53: neither to the agent nor on the card a person's yes."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = play(operator, [submits(), done()], permission_mode="auto").work()
    assert "No person reviewed it." in desk.results(session)[-1].text
    assert session.review.outcome == "auto_approved"
    assert session.review.decision.by is None
    name, properties = desk.telemetry(session)[-1]
    assert (name, properties["outcome"]) == ("plan_resolved", "auto_approved")


def test_in_yolo_a_plan_waits_for_a_person(operator: User, reviewer: User) -> None:
    """case:C039: who looks at pages and lists decides nothing by that."""
    session = play(operator, [submits(), done()], permission_mode="yolo").work()
    client = browser(reviewer)
    for address in ("/reviews", f"/reviews/{session.review.pk}"):
        assert get(client, address).status_code == 200
    client.get("/")
    client.get(f"/reviews/{session.review.pk}")
    assert session.review.status == "open"
    assert not DecisionRecord.objects.exists()


@pytest.mark.parametrize("decision", DecisionKind)
def test_only_what_leaves_plan_mode_leaves_it(
    operator: User, reviewer: User, decision: DecisionKind
) -> None:
    """case:C041 case:C053 case:C054, complaints:K-10 K-40: and leaving starts no work by itself."""
    session = play(operator, [submits(), EDITS, done()], permission_mode="accept_edits").work()
    words = {"feedback": "shorter"} if decision is DecisionKind.REVISE else {}
    start = {"start": False} if decision is DecisionKind.APPROVE else {}
    desk.decide(session, reviewer, decision, **words, **start)
    session.work()
    leaves = decision in {DecisionKind.APPROVE, DecisionKind.REJECT_AND_EXIT}
    assert session.state.plan.active is not leaves
    assert (session.workspace / "parser.py").read_text() == "value = 1\n"


def test_feedback_comes_byte_for_byte(operator: User, reviewer: User) -> None:
    """case:C043: and stays with the revision that it is about."""
    words = "Use PostgreSQL, not MySQL — 请保留接口"
    session = play(operator, [submits(), done()]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback=words)
    session.work()
    assert words in desk.results(session)[-1].text
    assert session.review.decision.feedback == words
    page = browser(reviewer).get(f"/reviews/{session.review.pk}")
    assert words in page.content.decode()


def test_without_text_there_is_no_card(operator: User) -> None:
    """case:C045: the agent is answered at once, both times."""
    blank = call("Write", path="${plan_file}", content="  \n\t\n")
    calls = [call("ExitPlanMode"), blank, call("ExitPlanMode")]
    session = play(operator, [{"tool_calls": calls}, done()]).work()
    first, _, second = desk.results(session)
    for result in (first, second):
        assert result.is_error
        assert "There is no plan to submit" in result.text
    assert not Review.objects.exists()
    assert not desk.every(session, ev.PlanRevisionRecorded)


def test_a_review_waits_as_long_as_it_takes(operator: User) -> None:
    """case:C055 case:C056, complaints:K-29: no time turns silence into an answer."""
    session = play(operator, [submits(), WRITES, done()]).work()
    Review.objects.update(opened_at=timezone.now() - timedelta(days=365))
    facts = AuditFact.objects.count()
    tasks.requeue_due_turns()
    tasks.wake_due_schedules()
    session.work()
    assert session.review.status == "open"
    assert session.turn.state == "waiting"
    assert session.state.plan.active
    assert not DecisionRecord.objects.exists()
    assert AuditFact.objects.count() == facts
    assert [name for name, _ in desk.telemetry(session)] == ["plan_submitted"]


def test_the_same_text_in_another_plan_is_reviewed_anew(operator: User, reviewer: User) -> None:
    """case:C062, complaints:K-05: an approval is of one revision of one plan."""
    session = play(operator, [submits(), done(1), submits(), done()]).work()
    desk.approve(session, reviewer)
    session.work()
    first = session.review
    enter(session, operator)
    say(session, operator, "and again")
    second = session.review
    assert second.pk != first.pk
    assert second.sha256 == first.sha256
    assert (first.status, second.status) == ("resolved", "open")
    assert session.state.plan.active
    assert told(session)[-1] == "full"


def test_of_two_submissions_of_one_text_one_is_a_review(operator: User, reviewer: User) -> None:
    """case:C066: one card, one decision, one answer to the turn that owns it."""
    exits = {"tool_calls": [call("ExitPlanMode"), call("ExitPlanMode")]}
    writes = {"tool_calls": [call("Write", path="${plan_file}", content=PLAN)]}
    session = play(operator, [writes, exits, done()]).work()
    desk.approve(session, reviewer)
    session.work()
    assert Review.objects.count() == 1
    assert len(desk.every(session, ev.PlanResolved)) == 1
    first, second = desk.results(session)[-2:]
    assert (first.is_error, second.is_error) == (False, True)


def test_an_answer_names_its_review_and_its_text(operator: User, reviewer: User) -> None:
    """case:C069: with several open, none is decided by an answer that names none."""
    first = play(operator, [submits(), done()]).work()
    second = play(operator, [submits(), done()]).work()
    client = browser(reviewer)
    assert post(client, "/decide", {"decision": "approve"}).status_code == 404
    answer = post(client, f"/reviews/{first.review.pk}/decision", {"decision": "approve"})
    assert answer.status_code == 422
    assert {first.review.status, second.review.status} == {"open"}
