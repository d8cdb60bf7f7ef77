"""Lines of the reference of preset kimi, in whole sessions."""

import pytest
from django.contrib.auth.models import User

from planmode import services
from planmode.access.models import Membership, Role
from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.permission import PermissionMode
from reviews.core.decisions import DecisionKind
from reviews.models import DecisionRecord
from tests import desk, faults
from tests.factories import call, one, play, submits
from tests.plays import ASKS, LISTS, done, leave, say, told

pytestmark = pytest.mark.django_db


def test_a_plan_that_nobody_may_decide_on_waits(operator: User, reviewer: User) -> None:
    """kimi:V10: nobody there is no yes, and no answer that sends the agent round and round."""
    Membership.objects.filter(role=Role.REVIEWER).delete()
    session = play(operator, [submits(), done()], permission_mode="yolo").work()
    session.work()
    assert session.turn.state == "waiting"
    assert session.state.plan.active
    assert not DecisionRecord.objects.exists()
    assert len(desk.every(session, ev.ModelReplied)) == 1


def test_a_successor_repeats_no_text_that_was_given(operator: User) -> None:
    """kimi:H1 2.4.5: what the model was told is in the log, and no worker's own knowledge."""
    writes = {"tool_calls": [call("Write", path="${plan_file}", content="# Draft\n")]}
    session = play(operator, [writes, ASKS, done()])
    faults.die(session, ev.ModelReplied, number=2)
    session.work()
    assert session.turn.state == "waiting"
    assert told(session) == ["full"]


def test_an_exit_text_that_is_due_outlives_a_worker(operator: User) -> None:
    """kimi:H2 2.4.5."""
    session = play(operator, [done(2), done()]).work()
    leave(session, operator)
    services.post_message(session.id, "go on", author=operator)
    faults.die(session, ev.StepStarted)
    session.work()
    assert told(session) == ["full", "exit"]


def test_left_and_entered_between_two_steps_the_new_plan_is_told(operator: User) -> None:
    """kimi:2.4.4: with its own path, at once."""
    session = play(operator, [done(2), done()]).work()
    first = session.state.plan.plan_id
    for active in (False, True):
        services.choose_plan_mode(session.id, active=active, by=operator)
    say(session, operator)
    assert told(session) == ["full", "full"]
    given = [item for item in desk.every(session, ev.ReminderInjected) if item.kind == "full"]
    assert given[-1].plan_id == session.state.plan.plan_id != first
    assert str(desk.plan_path(session)) in given[-1].text


def test_after_an_interruption_the_whole_text_is_given(operator: User) -> None:
    """kimi:2.4.7."""
    session = play(operator, [ASKS, done()]).work()
    services.cancel_turn(session.id)
    say(session, operator)
    assert told(session) == ["full", "full"]


def test_a_list_that_the_agent_writes_brings_no_text(operator: User) -> None:
    """kimi:2.4.2: only a person or the clock asks anew, whatever else is said in between."""
    session = play(operator, [{**LISTS, "repeat": 2}, submits()]).work()
    assert told(session) == ["full", "sparse"]


def test_no_revision_turns_plan_mode_on() -> None:
    """kimi:H6: what is on is told by entering alone."""
    recorded = ev.PlanRevisionRecorded("p", 1, "plan/p/v1.md", "0" * 64, 3)
    state = core.fold([recorded])
    assert not state.plan.active
    assert state.plan.revision_count == {"p": 1}


def test_leaving_names_no_plan_and_can_not_fail(operator: User) -> None:
    """kimi:S13: off is off, however often it is said."""
    session = play(operator, [done()], plan=False).work()
    for _ in range(2):
        leave(session, operator)
    assert not session.state.plan.active
    assert not desk.every(session, ev.PlanModeCancelled)


def test_a_plan_without_a_file_is_an_empty_text(operator: User) -> None:
    """kimi:S15: and the turn goes on."""
    session = one(operator, call("Read", path="parser.py"), call("ExitPlanMode"))
    read, exits = desk.results(session)
    assert not read.is_error
    assert "There is no plan to submit" in exits.text
    assert not desk.plan_path(session).exists()


def test_the_mode_of_an_approval_is_told_in_one_transaction(operator: User, reviewer: User) -> None:
    """kimi:S10: there is no moment in which one is on and the other off."""
    session = play(operator, [submits(), done()], permission_mode="accept_edits").work()
    seq = len(desk.log(session))
    desk.decide(session, reviewer, DecisionKind.REJECT_AND_EXIT)
    kinds = [type(event) for event in desk.log(session)[seq:]]
    assert {ev.PlanResolved, ev.PlanModeExited} <= set(kinds)
    assert session.state.permission_mode is PermissionMode.ACCEPT_EDITS
    assert [name for name, _ in desk.telemetry(session)] == ["plan_submitted", "plan_resolved"]
