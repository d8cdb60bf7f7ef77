"""The fold of what a plan goes through, and of what a turn counts."""

from dataclasses import replace

import pytest

from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.calls import ToolCall
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.state import EMPTY, CallStatus, PendingCall, SessionState, fold

MANUAL = PermissionMode.MANUAL
Events = list[ev.Event]
READ, WRITE = ToolCall("c1", "Read"), ToolCall("c2", "Write")


def after(*events: ev.Event) -> SessionState:
    return fold(events)


def replied(*calls: ToolCall, text: str = "") -> ev.ModelReplied:
    return ev.ModelReplied(text, calls, "m")


def submitted(review: str, call_id: str = "c1") -> ev.PlanSubmitted:
    return ev.PlanSubmitted(review, call_id, "rev", "p", 1, "0" * 64, "Title")


# Plans that are replies, and their steps


def listed(*statuses: PlanStepStatus) -> ev.PlanStepsListed:
    steps = [
        PlanStep(number, f"Step {number}", status)
        for number, status in enumerate(statuses, start=1)
    ]
    return ev.PlanStepsListed(tuple(steps))


OPEN, CLAIMED = PlanStepStatus.OPEN, PlanStepStatus.CLAIMED
REPLIED: Events = [
    ev.PlanModeEntered("p", MANUAL),
    ev.TurnQueued(1),
    ev.StepStarted(1),
    replied(text="Plan:\n1. Read the parser\n"),
    listed(OPEN, OPEN),
]
TOLD = ev.ReminderInjected(ev.Variant.PLAN_REVIEW, ev.ReminderKind.REVIEWED, "text", "p")


def test_a_reply_that_is_a_plan_waits_for_its_review_as_a_call_does() -> None:
    """pi:P-20."""
    waits = after(*REPLIED, submitted("r", ""))
    assert waits.turn.offered
    assert waits.turn.calls == (PendingCall(core.REPLY, CallStatus.WAITING, "r"),)
    decided = after(*REPLIED, submitted("r", ""), ev.PlanResolved("r", Outcome.REVISE))
    assert decided.turn.calls == (PendingCall(core.REPLY, CallStatus.ANSWERED, "r", answer=7),)


@pytest.mark.parametrize("stops", [True, False])
def test_the_message_with_the_outcome_takes_the_place_of_a_result(*, stops: bool) -> None:
    """pi:P-22: the next request begins with it, in this turn or where it stops in the next."""
    resolved: Events = [submitted("r", ""), ev.PlanResolved("r", Outcome.DISMISSED)]
    turn = after(*REPLIED, *resolved, replace(TOLD, stops_turn=stops)).turn
    assert (turn.calls, turn.stopping, turn.unseen) == ((), stops, 0 if stops else 1)


def test_the_message_about_a_review_leaves_other_calls_as_they_are() -> None:
    assert after(replied(READ), TOLD).turn.calls == (PendingCall(READ),)


def test_a_new_reply_has_to_be_looked_at_anew() -> None:
    assert not after(*REPLIED, replied(text="More.")).turn.offered


def test_open_steps_are_those_that_nobody_claims() -> None:
    """pi:P-24."""
    plan = after(*REPLIED, listed(OPEN, CLAIMED, OPEN)).plan
    assert [step.number for step in plan.open_steps] == [1, 3]


def test_a_revision_is_under_review_as_long_as_nobody_decides() -> None:
    kept = ev.PlanRevisionRecorded("p", 1, "key", "0" * 64, 3)
    waits: Events = [*REPLIED, kept, submitted("r", "")]
    assert after(*REPLIED).plan.under_review is None
    assert after(*waits).plan.under_review == 1
    assert after(*waits, ev.PlanResolved("r", Outcome.REVISE)).plan.under_review is None


APPROVED: Events = [
    *REPLIED,
    submitted("r", ""),
    ev.PlanResolved("r", Outcome.APPROVED),
    ev.PlanModeExited("p", MANUAL, Outcome.APPROVED),
]


def test_steps_outlive_an_approval_alone() -> None:
    """pi:P-19: an old list is never carried out."""
    assert len(after(*APPROVED).plan.steps) == 2
    left = ev.PlanModeCancelled("p", MANUAL, by=1)
    assert after(*REPLIED, left).plan.steps == ()
    assert after(*APPROVED, ev.PlanModeEntered("q", MANUAL)).plan.steps == ()
    assert after(*REPLIED, listed()).plan.steps == ()


# The plan that is being carried out


def test_an_approval_names_the_revision_that_is_carried_out() -> None:
    """complaints:K-05: it is bound to one revision, and new planning voids it."""
    assert after(*APPROVED).plan.approved_revision == "rev"
    assert after(*APPROVED, TOLD).told.approved_revision == "rev"
    no = ev.PlanModeExited("p", MANUAL, Outcome.REJECTED_AND_EXITED)
    assert after(*REPLIED, submitted("r", ""), no).plan.approved_revision == ""
    assert after(*APPROVED, ev.PlanModeEntered("q", MANUAL)).plan.approved_revision == ""


def test_the_result_of_the_submission_tells_the_approved_plan() -> None:
    exits = ToolCall("c1", "ExitPlanMode")
    base: Events = [
        ev.PlanModeEntered("p", MANUAL),
        replied(exits),
        submitted("r"),
        ev.PlanResolved("r", Outcome.APPROVED),
        ev.PlanModeExited("p", MANUAL, Outcome.APPROVED),
    ]
    assert after(*base).told.approved_revision == ""
    other = ev.ToolFinished("c0", "Read", "text")
    assert after(*base, other).told.approved_revision == ""
    result = ev.ToolFinished("c1", "ExitPlanMode", "approved")
    assert after(*base, result).told.approved_revision == "rev"


def test_a_plan_is_carried_out_until_its_turn_is_done_and_no_step_is_open() -> None:
    done = ev.TurnEnded(1, ev.TurnState.DONE)
    stopped = ev.TurnEnded(1, ev.TurnState.STOPPED)
    assert after(*APPROVED, done).plan.approved_revision == "rev"
    claimed: Events = [*APPROVED, listed(CLAIMED, CLAIMED)]
    assert after(*claimed, done).plan.approved_revision == ""
    assert after(*claimed, stopped).plan.approved_revision == "rev"


def test_the_approved_plan_that_was_given_again_is_known_to_be_given() -> None:
    """complaints:K-12."""
    lost: Events = [*APPROVED, TOLD, ev.ContextCompacted("so far")]
    assert after(*lost).told.approved_revision == ""
    again = ev.ReminderInjected(
        ev.Variant.PLAN_EXECUTION, ev.ReminderKind.APPROVED_PLAN, "text", "p"
    )
    assert after(*lost, again).told.approved_revision == "rev"


# Who wrote into the plan


def test_a_person_s_edit_is_known_until_the_agent_writes() -> None:
    edited = ev.PlanFileWritten("p", "0" * 64, 3, by=7)
    told = ev.ReminderInjected(ev.Variant.PLAN_EDITED, ev.ReminderKind.PLAN_EDITED, "text", "p")
    plan = after(edited).plan
    assert (plan.edited_by, plan.edit_told) == (7, False)
    assert after(edited, told).plan.edit_told
    assert after(edited, told).plan.edited_by == 7
    wrote = after(edited, ev.PlanFileWritten("p", "1" * 64, 3)).plan
    assert (wrote.edited_by, wrote.edit_told) == (None, True)
    assert after(edited, ev.PlanModeEntered("q", MANUAL)).plan.edited_by is None


# What the turn counts


def test_a_reminder_at_the_turn_s_end_is_counted_until_a_person_speaks_or_decides() -> None:
    told = ev.ReminderInjected(ev.Variant.TURN_END, ev.ReminderKind.UNSUBMITTED, "text", "p")
    turn = after(ev.TurnQueued(1), told).turn
    assert (turn.reminders, turn.unseen) == (1, 1)
    assert after(ev.TurnQueued(1), told, ev.TurnQueued(2)).turn.reminders == 0
    decided = ev.PlanResolved("r", Outcome.REVISE)
    assert after(ev.TurnQueued(1), told, decided).turn.reminders == 0


def test_after_a_dismissal_the_agent_is_let_be_until_another_decision() -> None:
    dismissed = ev.PlanResolved("r", Outcome.DISMISSED)
    assert after(dismissed).turn.let_be
    assert not after(dismissed, ev.PlanResolved("s", Outcome.REVISE)).turn.let_be


def test_calls_are_counted_by_what_they_ask_for() -> None:
    """complaints:K-42."""
    again = [ToolCall(f"c{n}", "Write", '{"path": "a"}') for n in range(3)]
    other = ToolCall("c9", "Write", '{"path": "b"}')
    denied = [
        ev.ToolFinished(item.id, "Write", "no", verdict=ev.Verdict.DENIED, is_error=True)
        for item in again
    ]
    turn = after(replied(*again, other), *denied).turn
    print_ = core.fingerprint(again[0])
    assert turn.refusals == {print_: 3}
    assert (turn.repeated, turn.repeats) == (print_, 3)
    turn = after(replied(*again, other), *denied, ev.ToolFinished("c9", "Write", "ok")).turn
    assert turn.refusals == {print_: 3}
    assert (turn.repeated, turn.repeats) == (core.fingerprint(other), 1)


def test_refusals_of_a_person_and_of_the_guard_are_counted_together() -> None:
    """complaints:K-42; a call that broke was not refused."""
    again = [ToolCall(f"c{n}", "Write", '{"path": "a"}') for n in range(3)]
    verdicts = (ev.Verdict.REFUSED, ev.Verdict.DENIED, ev.Verdict.RAN)
    results = [
        ev.ToolFinished(item.id, "Write", "no", verdict=verdict, is_error=True)
        for item, verdict in zip(again, verdicts, strict=True)
    ]
    assert after(replied(*again), *results).turn.refusals == {core.fingerprint(again[0]): 2}


def test_a_tool_may_be_running_from_its_start_to_its_result() -> None:
    begun: Events = [replied(READ), ev.ToolStarted("c1", "Read")]
    assert not core.under_way(after(replied(READ)))
    assert core.under_way(after(*begun))
    assert not core.under_way(after(*begun, ev.ToolFinished("c1", "Read", "text")))


def test_the_reason_of_a_halt_stays_with_the_turn() -> None:
    halted = ev.ToolFinished("c1", "Read", "no", stops_turn=True, halt="same_call")
    turn = after(replied(READ, WRITE), halted, ev.ToolFinished("c2", "Write", "skipped")).turn
    assert (turn.halt, turn.stopping) == ("same_call", True)


def test_what_a_request_described_is_what_the_step_found() -> None:
    """dsh:D-15."""
    assert EMPTY.told.described is None
    assert after(ev.StepStarted(1)).told.described is False
    assert after(ev.StepStarted(1), ev.PlanModeEntered("p", MANUAL)).told.described is False
    assert after(ev.PlanModeEntered("p", MANUAL), ev.StepStarted(1)).told.described is True
