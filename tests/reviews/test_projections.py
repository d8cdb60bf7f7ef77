"""What follows from events, in one transaction."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from planmode import queries
from planmode import services as planmode
from planmode.access.models import Membership, Project, Role
from planmode.core import events as ev
from planmode.core.errors import StoredDataError
from planmode.core.outcomes import Closure, Outcome
from planmode.store import eventlog
from reviews import broadcast
from reviews.core.decisions import DecisionKind
from reviews.models import AuditFact, DecisionRecord, FeedEntry, Review, TelemetryEvent
from tests import desk, faults
from tests.factories import PLAN, STOPS_EARLY, Play, call, play, submits
from tests.planmode.api.http import browser

pytestmark = pytest.mark.django_db

DONE = {"text": "Done."}
READS = {"tool_calls": [call("Read", path="parser.py")]}
"""The first of two calls of the model: the script ends before the second."""
ASKS = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which  one?"}])]}


@pytest.fixture
def session(operator: User) -> Play:
    """A session whose plan, with two options, waits."""
    return play(operator, [submits(PLAN, "Small", "Large"), DONE]).work()


def facts() -> list[tuple[str, dict[str, Any]]]:
    """Return all audit facts: kind and data."""
    rows = AuditFact.objects.order_by("pk")
    return [(row.kind, json.loads(bytes(row.canonical))["data"]) for row in rows]


def feed() -> list[tuple[str, int]]:
    """Return the feed: kind and version of each change."""
    return list(FeedEntry.objects.order_by("pk").values_list("kind", "version"))


def test_a_submission_opens_a_card(session: Play, operator: User, project: Project) -> None:
    review = session.review
    (event,) = desk.every(session, ev.PlanSubmitted)
    assert str(review.pk) == event.review
    assert str(review.revision_id) == event.revision
    assert (review.status, review.outcome, review.version) == ("open", "", 1)
    assert (review.title, review.revision_version) == ("Tidy the parser", 1)
    assert (review.sha256, review.size) == (event.sha256, len(PLAN.encode()))
    assert [option["label"] for option in review.options] == ["Small", "Large"]
    assert review.call_id == event.call_id
    assert review.project == project
    assert feed() == [("plan_review.opened", 1)]
    entry = FeedEntry.objects.get()
    assert (entry.owner, entry.card_id) == (operator, review.pk)


def test_a_resolution_closes_it_once(session: Play, reviewer: User) -> None:
    """kimi:V2: submitted, then resolved."""
    desk.approve(session, reviewer, option="Large", feedback="note")
    review = session.review
    assert (review.status, review.outcome, review.version) == ("resolved", "approved", 2)
    assert review.closed_at is not None
    assert feed() == [("plan_review.opened", 1), ("plan_review.resolved", 2)]
    submitted, resolved = desk.telemetry(session)
    assert submitted == ["plan_submitted", {"has_options": True, "version": 1}]
    name, properties = resolved
    assert properties.pop("waited_ms") >= 0
    assert (name, properties) == (
        "plan_resolved",
        {
            "outcome": "approved",
            "chosen_option": "Large",
            "has_feedback": True,
            "has_options": True,
            "self_reviewed": False,
            "version": 1,
        },
    )


def test_nobody_decides_an_automatic_approval(operator: User, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = play(operator, [submits(), DONE], permission_mode="auto").work()
    review = session.review
    assert (review.status, review.outcome) == ("resolved", "auto_approved")
    assert (review.decision.by, review.decision.own) == (None, False)
    assert feed() == [("plan_review.opened", 1), ("plan_review.resolved", 2)]


def test_a_newer_submission_supersedes_the_open_card(session: Play) -> None:
    """What a suggestion that a reviewer applies will do; the engine itself waits."""
    old = session.review
    with eventlog.writing(session.id) as log:
        log.add(ev.PlanReviewClosed(str(old.pk), Closure.SUPERSEDED))
    old.refresh_from_db()
    assert (old.status, old.outcome, old.version) == ("superseded", "", 2)
    assert feed()[-1] == ("plan_review.changed", 2)
    assert not TelemetryEvent.objects.filter(name="plan_resolved").exists()


def test_entering_by_the_tool_is_counted_and_starting_in_plan_mode_is_not(operator: User) -> None:
    enters = {"tool_calls": [call("EnterPlanMode")]}
    assert desk.telemetry(play(operator, [DONE]).work()) == []
    told = desk.telemetry(play(operator, [enters, DONE], plan=False).work())
    assert told == [["plan_enter_resolved", {"outcome": "auto_approved"}]]


def test_a_question_is_a_card(operator: User, reviewer: User) -> None:
    session = play(operator, [ASKS, DONE]).work()
    assert (session.question.title, session.question.summary) == ("Question", "Which one?")
    assert session.question.items == [{"text": "Which  one?", "choices": [], "several": False}]
    desk.answer(session, reviewer, "this")
    assert feed() == [("question.opened", 1), ("question.answered", 2)]


def test_a_tool_approval_is_a_card(operator: User, reviewer: User) -> None:
    writes = {"tool_calls": [call("Write", path="new.py", content="x")]}
    session = play(operator, [writes, DONE], plan=False).work()
    assert session.approval.title == "Write new.py"
    assert session.approval.summary == "Write 1 bytes to new.py"
    assert json.loads(desk.every(session, ev.ApprovalRequested)[0].args)["path"] == "new.py"
    desk.allow(session, reviewer, note="fine")
    assert feed() == [("approval.opened", 1), ("approval.answered", 2)]
    ((kind, data),) = facts()
    assert kind == "tool_approval"
    assert (data["allow"], data["by"]) == (True, reviewer.pk)
    assert "note" not in data


def test_an_ended_turn_closes_what_it_asked(operator: User) -> None:
    session = play(operator, [ASKS, DONE]).work()
    planmode.cancel_turn(session.id)
    assert (session.question.status, session.question.version) == ("withdrawn", 2)
    assert feed()[-1] == ("question.answered", 2)


def test_audit_facts_name_people_by_id_and_quote_nobody(session: Play, reviewer: User) -> None:
    desk.approve(session, reviewer, option="Small", feedback="a secret note")
    kinds = [kind for kind, _ in facts()]
    assert kinds == ["revision", "submission", "decision"]
    decision = facts()[-1][1]
    assert (decision["by"], decision["outcome"]) == (reviewer.pk, "approved")
    assert decision["sha256"] == session.review.sha256
    assert "secret" not in json.dumps(facts())
    assert reviewer.username not in json.dumps(decision)


def test_each_fact_carries_its_session_s_head(session: Play) -> None:
    for _, data in facts():
        link = data["session"]
        record = eventlog.read(session.id, after=link["seq"] - 1, limit=1)[0]
        assert (link["id"], link["head"]) == (str(session.id), record.hash)


def test_a_desk_that_fails_takes_the_events_with_it(session: Play, reviewer: User) -> None:
    with pytest.raises(faults.Killed), faults.death_before(ev.PlanResolved):
        desk.decide(session, reviewer, DecisionKind.DISMISS)
    assert session.review.status == "open"
    assert session.state.plan.review == str(session.review.pk)
    assert [kind for kind, _ in facts()] == ["revision", "submission"]
    assert not desk.every(session, ev.PlanResolved)


def test_browsers_are_told_to_look_after_the_commit(
    operator: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    looks: list[str] = []
    with broadcast.listening(lambda: looks.append("look")):
        with django_capture_on_commit_callbacks(execute=True):
            play(operator, [DONE])
            assert looks == []
        assert looks == ["look"]


def test_whose_plan_it_was_is_kept_with_the_decision(session: Play, operator: User) -> None:
    Project.objects.update(allow_self_review=True)
    Membership.objects.create(user=operator, project=Project.objects.get(), role=Role.REVIEWER)
    assert desk.approve(session, operator, option="Small").decision.own
    assert Review.objects.get().decision.by == operator


def test_a_card_that_the_log_does_not_know_as_closed_is_not_written_over(
    operator: User, reviewer: User
) -> None:
    """One place closes a card, and it says so when there was nothing to close."""
    session = play(operator, [submits()]).work()
    at = timezone.now()
    Review.objects.update(status="withdrawn", closed_at=at)
    before = desk.log(session)
    resolved = ev.PlanResolved(str(session.review.pk), Outcome.APPROVED, by=reviewer.pk)
    with pytest.raises(StoredDataError, match="is not open"):
        planmode.resolve_plan(session.id, resolved)
    assert desk.log(session) == before
    assert (session.review.status, session.review.closed_at) == ("withdrawn", at)
    assert not DecisionRecord.objects.exists()


def test_a_decision_and_its_review_have_one_time(operator: User, reviewer: User) -> None:
    session = play(operator, [submits()]).work()
    review = desk.approve(session, reviewer)
    assert review.closed_at == review.decision.at


# Sessions that need somebody


def stops(session: Play) -> list[tuple[str, str]]:
    """Return state and reason of each turn of the session that needed somebody."""
    rows = TelemetryEvent.objects.filter(session_id=session.id, name="turn_stopped")
    return [(row.properties["state"], row.properties["reason"]) for row in rows.order_by("seq")]


def test_a_turn_that_stops_unfinished_is_counted_and_told(operator: User) -> None:
    """claude:C-24: a planning turn that ends without a submission does not end unseen."""
    session = play(operator, [STOPS_EARLY]).work()
    assert stops(session) == [("stopped", "unsubmitted")]
    seq = len(desk.log(session))
    assert feed() == [("session.stopped", seq)]
    assert FeedEntry.objects.get().card_id == session.id


def test_a_failed_turn_is_one_of_them_and_the_next_turn_ends_the_need(operator: User) -> None:
    session = play(operator, [READS], plan=False).work()
    assert stops(session) == [("failed", "script_exhausted")]
    planmode.retry_turn(session.id, by=operator)
    assert [kind for kind, _ in feed()] == ["session.stopped", "session.resumed"]


def test_going_back_ends_the_need(operator: User) -> None:
    session = play(operator, [STOPS_EARLY]).work()
    planmode.undo(session.id, to=3, by=operator)
    assert [kind for kind, _ in feed()] == ["session.stopped", "session.resumed"]


def test_what_a_person_ended_and_what_ended_well_needs_nobody(
    session: Play, operator: User, reviewer: User
) -> None:
    desk.decide(session, reviewer, DecisionKind.REJECT)
    session.work()
    cancelled = play(operator, [ASKS]).work()
    planmode.cancel_turn(cancelled.id)
    done = play(operator, [DONE], plan=False).work()
    assert [stops(one) for one in (session, cancelled, done)] == [[], [], []]


def test_an_agent_looks_after_those_that_it_started(operator: User) -> None:
    asks = {"tool_calls": [call("Agent", profile="explore", task="Look")]}
    session = play(operator, [asks, DONE], agents={"explore": [READS]}, plan=False).work()
    session.child.work()
    assert session.child.turn.state == "failed"
    assert stops(session.child) == []
    assert feed() == []


def test_a_card_says_who_edited_its_plan(operator: User, reviewer: User) -> None:
    """claude:C-15: the person, and only where one did."""
    again = {"tool_calls": [call("ExitPlanMode")]}
    session = play(operator, [submits(), again]).work()
    first = session.review
    assert first.edited_by is None
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    plan = queries.plan(session.id)
    planmode.edit_plan(session.id, b"# Mine\n", base_sha256=plan.sha256, by=operator)
    session.work()
    second = session.review
    assert second.edited_by == operator
    client = browser(reviewer)
    assert "edited by operator" in client.get(f"/reviews/{second.pk}").content.decode()
    shown = client.get(f"/api/v1/reviews/{second.pk}").json()
    assert (shown["edited_by"], shown["text"]) == ("operator", "# Mine\n")
