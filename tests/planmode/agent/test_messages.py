"""What is said, and who cancels, while a turn is open."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from planmode import services, turns
from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.view import UserMessage
from planmode.models import Turn
from reviews.core.decisions import DecisionKind
from reviews.core.errors import ReviewClosedError
from tests import desk, faults
from tests.factories import DONE, PLAN, STOPS_EARLY, call, claim, play, submits
from tests.listener import Listener, reply

pytestmark = pytest.mark.django_db


def test_a_message_during_a_model_call_is_seen_before_the_turn_ends(
    operator: User, listener: Listener
) -> None:
    session = play(operator, [DONE], plan=False)
    listener.meanwhile = lambda: services.post_message(session.id, "and tests", author=operator)
    session.work()
    assert listener.heard(0) == ["Tidy the parser"]
    assert listener.heard(1) == ["Tidy the parser", "and tests"]
    assert session.turn.state == "done"
    assert session.turn.number == 1


def test_a_message_between_a_lost_step_and_its_repetition_is_seen(
    operator: User, listener: Listener
) -> None:
    """Found here: the step was counted as having seen it, and was not given it."""
    session = play(operator, [DONE], plan=False)
    faults.die(session, ev.ModelReplied)
    services.post_message(session.id, "and tests", author=operator)
    session.work()
    assert listener.heard(1) == ["Tidy the parser", "and tests"]
    assert session.turn.state == "done"


def test_a_message_in_the_moment_of_the_turn_s_end_keeps_it_going(operator: User) -> None:
    session = play(operator, [DONE])
    held = claim(session)
    turns.append(held, ev.StepStarted(1), reply_event())
    services.post_message(session.id, "one more thing", author=operator)
    assert turns.end_turn(held, ev.TurnState.DONE) is False
    assert session.turn.state == "running"


def reply_event() -> ev.ModelReplied:
    return ev.ModelReplied("Done.", (), "m")


def test_a_message_while_a_plan_waits_withdraws_nothing(
    operator: User, reviewer: User, listener: Listener
) -> None:
    """It is given together with the answer."""
    listener.replies = [reply("", ToolCall("c1", "ExitPlanMode")), reply("Done.")]
    session = play(operator, [DONE])
    desk.put_plan(session, PLAN.encode())
    session.work()
    services.post_message(session.id, "take your time", author=operator)
    assert session.turn.state == "waiting"
    assert session.review.status == "open"
    desk.approve(session, reviewer)
    session.work()
    assert listener.heard(1) == ["Tidy the parser", "take your time"]
    assert session.turn.number == 1


def test_what_was_said_while_a_rejected_plan_waited_gets_its_own_turn(
    operator: User, reviewer: User
) -> None:
    session = play(operator, [submits(), {**STOPS_EARLY, "after": "rejected"}]).work()
    services.post_message(session.id, "use the old parser", author=operator)
    desk.decide(session, reviewer, DecisionKind.REJECT)
    session.work()
    assert [row.state for row in Turn.objects.order_by("number")] == ["stopped", "queued"]
    session.work()
    assert desk.stopped_early(session)
    assert session.state.turn.unseen == 0


def test_a_message_after_the_turn_makes_the_next_one_due(operator: User) -> None:
    session = play(operator, [DONE, {"text": "More."}], plan=False).work()
    services.post_message(session.id, "again", author=operator)
    assert (session.turn.number, session.turn.state) == (2, "queued")
    assert session.work().turn.state == "done"


def test_cancelling_while_a_plan_waits_withdraws_its_review(operator: User, reviewer: User) -> None:
    """kimi:V11, kimi:V9: plan mode stays on; nothing is resolved."""
    session = play(operator, [submits(), DONE]).work()
    services.cancel_turn(session.id)
    assert session.review.status == "withdrawn"
    assert session.turn.state == "cancelled"
    assert session.state.plan.active
    with pytest.raises(ReviewClosedError, match="withdrawn"):
        desk.approve(session, reviewer)
    assert not desk.every(session, ev.PlanResolved)
    assert [name for name, _ in desk.telemetry(session)] == ["plan_submitted"]


def test_a_plan_whose_review_was_withdrawn_can_be_submitted_as_it_is(operator: User) -> None:
    """Found here: the unchanged bytes were refused although nobody had decided on them.

    kimi:V9: what was said after the cancellation brings the full text.
    """
    session = play(operator, [submits(), {"tool_calls": [call("ExitPlanMode")]}]).work()
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    session.work()
    assert session.review.status == "open"
    assert session.review.revision_version == 2
    assert [told.kind for told in desk.every(session, ev.ReminderInjected)] == ["full", "full"]


def test_cancelling_a_running_turn_stops_its_worker(operator: User, listener: Listener) -> None:
    session = play(operator, [DONE])
    listener.meanwhile = lambda: services.cancel_turn(session.id)
    session.work()
    assert session.turn.state == "cancelled"
    assert not desk.every(session, ev.ModelReplied)


def test_what_was_said_while_a_cancelled_turn_ran_gets_its_own_turn(
    operator: User, listener: Listener
) -> None:
    """Found by review: nothing was due, and no page said that the message waited."""
    session = play(operator, [DONE], plan=False)

    def say_and_cancel() -> None:
        services.post_message(session.id, "use the old parser", author=operator)
        services.cancel_turn(session.id)

    listener.meanwhile = say_and_cancel
    session.work()
    assert [row.state for row in Turn.objects.order_by("number")] == ["cancelled", "queued"]
    session.work()
    assert listener.heard(1) == ["Tidy the parser", "use the old parser"]
    assert (session.turn.state, session.state.turn.unseen) == ("done", 0)


def test_cancelling_a_turn_that_never_began_leaves_nothing_due(operator: User) -> None:
    session = play(operator, [DONE])
    services.cancel_turn(session.id)
    assert [row.state for row in Turn.objects.all()] == ["cancelled"]


def test_cancelling_leaves_no_call_without_a_result(operator: User, listener: Listener) -> None:
    listener.replies = [reply("", ToolCall("c1", "ExitPlanMode")), reply("Done."), reply("Done.")]
    session = play(operator, [DONE])
    desk.put_plan(session, PLAN.encode())
    session.work()
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    session.work()
    results = [m.text for m in listener.requests[1].messages if not isinstance(m, UserMessage)]
    assert "Cancelled: the turn was cancelled" in results[-1]


@pytest.mark.django_db(transaction=True)
def test_cancelling_ends_the_command_that_runs_and_the_next_turn_waits_for_that(
    operator: User,
) -> None:
    """fault:F47; the command ran on, beside the next turn, on the same workspace."""
    late = call("Bash", command="sleep 300; echo late > late.txt", timeout=600)
    session = play(operator, [{"tool_calls": [late]}, DONE], plan=False, permission_mode="yolo")
    due_meanwhile: list[bool] = []

    def cancel() -> None:
        services.cancel_turn(session.id)
        services.post_message(session.id, "go on", author=operator)
        due_meanwhile.append(Turn.objects.filter(session_id=session.id).due().exists())

    with faults.once_written(ev.ToolStarted, cancel):
        session.work()
    assert due_meanwhile == [False]
    assert not (session.workspace / "late.txt").exists()
    assert not desk.results(session)
    session.work()
    assert [row.state for row in Turn.objects.order_by("number")] == ["cancelled", "done"]


def test_the_next_turn_begins_when_the_lease_of_a_dead_worker_is_over(operator: User) -> None:
    """It died in a tool and can't say that it let go."""
    commands = call("Bash", command="true")
    session = play(operator, [{"tool_calls": [commands]}, DONE], plan=False, permission_mode="yolo")
    with faults.death_before(ev.ToolFinished), pytest.raises(faults.Killed):
        session.work()
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    assert session.work().turn.state == "queued"
    Turn.objects.filter(state="cancelled").update(lease_until=Now() - timedelta(seconds=1))
    assert session.work().turn.state == "done"
