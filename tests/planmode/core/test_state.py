"""The fold: what each event does to the state."""

from typing import Any

import pytest

from planmode.core import events as ev
from planmode.core import state as core
from planmode.core import wire
from planmode.core.calls import ToolCall
from planmode.core.failures import Halt
from planmode.core.outcomes import Closure, Outcome
from planmode.core.permission import PermissionMode
from planmode.core.state import EMPTY, CallStatus, PendingCall, SessionState, apply, fold
from tests.rows import Row, rows, wanted

MANUAL, AUTO, YOLO = PermissionMode.MANUAL, PermissionMode.AUTO, PermissionMode.YOLO
Events = list[ev.Event]
READ, WRITE = ToolCall("c1", "Read"), ToolCall("c2", "Write")


def raw(step: list[Any]) -> ev.Event:
    """Return the event that a vector's step stands for."""
    match step:
        case ["enter", str(plan_id)]:
            return ev.PlanModeEntered(plan_id, MANUAL)
        case ["enter_legacy", str(plan_id), str(path)]:
            old = {"plan_id": plan_id, "previous_mode": "manual", "planFilePath": path}
            return wire.loaded("plan_mode.enter", wire.VERSION, old)
        case ["exit", plan_id]:
            return ev.PlanModeExited(plan_id or "", MANUAL, Outcome.APPROVED)
        case ["cancel", plan_id]:
            return ev.PlanModeCancelled(plan_id or "", MANUAL)
        case ["revision", str(plan_id), int(version)]:
            return ev.PlanRevisionRecorded(plan_id, version, "key", "0" * 64, 1)
        case _:
            raise AssertionError(f"no such step: {step}")


@pytest.mark.parametrize("row", rows("state"))
def test_state_rows(row: Row) -> None:
    """kimi:S1 S3 S4 S5 S7 S8."""
    plan = fold(raw(step) for step in row["do"]).plan
    expect = wanted(row)
    assert plan.active is expect["active"]
    assert plan.plan_id == expect["id"]
    assert plan.revision_count == expect["revisions"]


def replied(*calls: ToolCall, text: str = "", mark: str = "") -> ev.ModelReplied:
    return ev.ModelReplied(text, calls, "m", input_tokens=3, output_tokens=2, mark=mark)


def submitted(review: str, call_id: str = "c1") -> ev.PlanSubmitted:
    return ev.PlanSubmitted(review, call_id, "rev", "p", 1, "0" * 64, "Title")


def after(*events: ev.Event) -> SessionState:
    return fold(events)


def statuses(state: SessionState) -> list[tuple[str, CallStatus, str]]:
    return [(pending.call.id, pending.status, pending.card) for pending in state.turn.calls]


def test_a_session_starts_with_its_permission_mode_and_preset() -> None:
    state = after(ev.SessionStarted("default", "/w", "m", "kimi", YOLO, 1))
    assert state.permission_mode is YOLO
    assert state.preset == "kimi"


def test_leaving_restores_the_permission_mode_that_was_saved_on_entering() -> None:
    entered: Events = [
        ev.SessionStarted("default", "/w", "m", "kimi", AUTO, 1),
        ev.PlanModeEntered("p", AUTO),
    ]
    assert after(*entered).plan.previous_mode is AUTO
    left = after(*entered, ev.PlanModeExited("p", AUTO, Outcome.REJECTED_AND_EXITED))
    assert left.permission_mode is AUTO
    assert left.plan.previous_mode is None
    assert not left.plan.approved


def test_a_second_enter_keeps_the_first_one_s_saved_mode() -> None:
    """kimi:S4; a raw second enter must not save what plan mode itself set.

    claude:C-01 complaints:K-08.
    """
    state = after(ev.PlanModeEntered("p", AUTO), ev.PlanModeEntered("q", MANUAL))
    assert state.plan.previous_mode is AUTO
    assert state.plan.ids == ("p", "q")


def test_an_id_that_was_used_before_is_noted_once() -> None:
    again: Events = [ev.PlanModeEntered("p", AUTO), ev.PlanModeEntered("p", AUTO)]
    assert after(*again).plan.ids == ("p",)


@pytest.mark.parametrize(
    ("left", "approved"),
    [
        pytest.param(ev.PlanModeExited("p", MANUAL, Outcome.APPROVED), True, id="approved"),
        pytest.param(ev.PlanModeExited("p", MANUAL, Outcome.AUTO_APPROVED), True, id="auto"),
        pytest.param(ev.PlanModeExited("p", MANUAL, Outcome.REJECTED_AND_EXITED), False, id="no"),
        pytest.param(ev.PlanModeCancelled("p", MANUAL), False, id="cancelled"),
    ],
)
def test_whether_a_plan_was_approved_is_remembered(left: ev.Event, approved: bool) -> None:  # noqa: FBT001 - a table's column
    assert after(ev.PlanModeEntered("p", MANUAL), left).plan.approved is approved


def test_a_written_plan_file_changes_nothing_that_decisions_rest_on() -> None:
    assert after(ev.PlanFileWritten("p", "0" * 64, 3)) == EMPTY


def test_revision_counts_outlive_leaving_and_entering() -> None:
    """kimi:S7 R5."""
    revision = ev.PlanRevisionRecorded("p", 2, "k", "a" * 64, 1)
    left = ev.PlanModeExited("p", MANUAL, Outcome.APPROVED)
    state = after(ev.PlanModeEntered("p", MANUAL), revision, left, ev.PlanModeEntered("q", MANUAL))
    assert state.plan.revision_count == {"p": 2}
    assert state.plan.submitted == {"p": "a" * 64}


def test_a_review_is_open_until_it_is_resolved() -> None:
    base: Events = [ev.PlanModeEntered("p", MANUAL), replied(READ, WRITE), submitted("r")]
    state = after(*base)
    assert state.plan.review == "r"
    assert statuses(state)[0] == ("c1", CallStatus.WAITING, "r")
    resolved = after(*base, ev.PlanResolved("r", Outcome.REVISE, feedback="more"))
    assert resolved.plan.review is None
    assert resolved.plan.last_outcome is Outcome.REVISE
    assert resolved.turn.calls[0] == PendingCall(READ, CallStatus.ANSWERED, "r", answer=4)
    assert statuses(resolved)[1] == ("c2", CallStatus.DUE, "")


def test_an_outcome_of_a_review_that_nothing_waits_for_answers_no_call() -> None:
    state = after(replied(READ), ev.PlanResolved("gone", Outcome.REVISE))
    assert statuses(state) == [("c1", CallStatus.DUE, "")]


def test_bytes_whose_review_ended_undecided_may_come_again() -> None:
    revision = ev.PlanRevisionRecorded("p", 1, "k", "a" * 64, 1)
    other = ev.PlanRevisionRecorded("o", 1, "k", "b" * 64, 1)
    state = after(
        other,
        ev.PlanModeEntered("p", MANUAL),
        revision,
        submitted("r"),
        ev.PlanReviewClosed("r", Closure.WITHDRAWN),
    )
    assert state.plan.review is None
    assert state.plan.submitted == {"o": "b" * 64}
    assert state.plan.revision_count == {"o": 1, "p": 1}


@pytest.mark.parametrize(
    ("origin", "asked"), [(ev.Origin.USER, 2), (ev.Origin.CRON_JOB, 2), (ev.Origin.INJECTION, 0)]
)
def test_who_speaks_decides_whether_the_whole_text_is_due(origin: ev.Origin, asked: int) -> None:
    state = after(*[ev.MessagePosted("hi", origin=origin)] * 2)
    assert state.told.asked == asked
    assert state.turn.unseen == 2


def test_a_step_sees_what_was_said_before_it() -> None:
    said: Events = [ev.MessagePosted("a"), ev.TurnQueued(1), ev.StepStarted(1)]
    assert after(*said[:2]).turn.unseen == 1
    assert after(*said).turn.unseen == 0
    assert after(*said, ev.MessagePosted("b")).turn.unseen == 1


def test_a_turn_goes_through_its_steps() -> None:
    begun = after(ev.TurnQueued(1), ev.StepStarted(1))
    assert (begun.turn.open, begun.turn.asking, begun.turn.replied) == (True, True, False)
    failed = after(ev.TurnQueued(1), ev.StepStarted(1), ev.ModelFailed("timeout", "", 5))
    assert (failed.turn.asking, failed.turn.failures) == (False, 1)
    spoke = apply(begun, replied(READ, text="hi", mark="0"), seq=3)
    assert (spoke.turn.asking, spoke.turn.replied, spoke.turn.called) == (False, True, True)
    assert spoke.marks == {"0": 1}
    assert (spoke.input_tokens, spoke.output_tokens) == (3, 2)
    ended = apply(spoke, ev.TurnEnded(1, ev.TurnState.CANCELLED), seq=4)
    assert (ended.turn.open, ended.turn.calls) == (False, ())


def test_a_reply_ends_the_count_of_failures_and_a_turn_the_count_of_steps() -> None:
    turn = after(
        ev.TurnQueued(1), ev.StepStarted(1), ev.ModelFailed("error", "", 1), replied(text="x")
    ).turn
    assert turn.failures == 0
    assert not turn.called
    assert after(ev.StepStarted(7), ev.TurnQueued(2)).turn.steps == 0


def test_the_same_mark_twice_is_counted_and_none_is_not() -> None:
    assert after(replied(mark="1"), replied(mark="1"), replied()).marks == {"1": 2}


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        pytest.param(replied(text="words"), 1, id="text"),
        pytest.param(replied(READ), 1, id="calls"),
        pytest.param(replied(text=" \n"), 0, id="nothing"),
    ],
)
def test_only_replies_that_say_or_do_something_count(reply: ev.Event, count: int) -> None:
    """kimi: an empty step without a call leaves no message."""
    told = after(reply).told
    assert (told.since_full, told.since_any) == (count, count)


WHOLE = {"full", "reentry", "inline_full", "inline_reentry"}


def of_plan_mode(kind: str, plan_id: str | None = "p") -> ev.ReminderInjected:
    return ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind(kind), "text", plan_id)


@pytest.mark.parametrize("kind", [*sorted(WHOLE), "sparse", "inline_sparse", "entered"])
def test_what_a_reminder_starts_anew(kind: str) -> None:
    spoken: Events = [ev.MessagePosted("a"), replied(text="x"), replied(text="y")]
    told = after(*spoken, of_plan_mode(kind)).told
    assert told == core.Told(plan_id="p", since_full=0 if kind in WHOLE else 2, texts=1)


def test_texts_are_counted_for_each_plan() -> None:
    """claude:C-17."""
    assert after(*[of_plan_mode("full")] * 3).told.texts == 3
    assert after(*[of_plan_mode("full")] * 3, of_plan_mode("full", "q")).told.texts == 1


def test_after_the_exit_text_the_model_believes_in_nothing() -> None:
    spoken: Events = [of_plan_mode("full"), ev.MessagePosted("a"), replied(text="x")]
    assert after(*spoken, of_plan_mode("exit", None)).told == core.Told()


def test_a_call_is_started_and_finished_once() -> None:
    base: Events = [replied(READ, WRITE), ev.ToolStarted("c1", "Read")]
    assert statuses(after(*base)) == [("c1", CallStatus.STARTED, ""), ("c2", CallStatus.DUE, "")]
    done = after(*base, ev.ToolFinished("c1", "Read", "ok"))
    assert statuses(done) == [("c2", CallStatus.DUE, "")]
    assert not done.turn.stopping
    stopped = apply(done, ev.ToolFinished("c2", "Write", "no", stops_turn=True), seq=9)
    assert (stopped.turn.calls, stopped.turn.stopping) == ((), True)
    more = apply(stopped, ev.ToolFinished("c3", "Read", "late"), seq=10)
    assert more.turn.stopping


def test_what_waits_for_a_yes_is_allowed_or_answered() -> None:
    base: Events = [replied(WRITE), ev.ApprovalRequested("a1", "c2", "Write", "Write x", "{}")]
    assert statuses(after(*base)) == [("c2", CallStatus.WAITING, "a1")]
    yes = after(*base, ev.ApprovalResolved("a1", allow=True, note="", by=1))
    assert statuses(yes) == [("c2", CallStatus.ALLOWED, "a1")]
    no = after(*base, ev.ApprovalResolved("a1", allow=False, note="", by=1))
    assert no.turn.calls == (PendingCall(WRITE, CallStatus.ANSWERED, "a1", answer=3),)
    other = after(*base, ev.ApprovalResolved("a2", allow=True, note="", by=1))
    assert statuses(other) == [("c2", CallStatus.WAITING, "a1")]


def test_a_question_is_answered() -> None:
    asked = ev.QuestionAsked("q1", "c1", (ev.QuestionItem("Which?"),))
    base: Events = [replied(READ), asked]
    assert statuses(after(*base)) == [("c1", CallStatus.WAITING, "q1")]
    done = after(*base, ev.QuestionAnswered("q1", ("this",), 1))
    assert statuses(done) == [("c1", CallStatus.ANSWERED, "q1")]
    assert core.waiting_for(done, "q1") is None


def test_the_list_is_replaced_as_a_whole() -> None:
    items = (ev.TodoItem("a", "done"),)
    state = after(ev.TodoListWritten((ev.TodoItem("b", "pending"),)), ev.TodoListWritten(items))
    assert state.todo == items


def test_a_state_survives_being_stored() -> None:
    """The model's knowledge of plan mode is part of it (ours; kimi:S2 forgets it)."""
    state = after(
        ev.SessionStarted("default", "/w", "m", "kimi", AUTO, 1),
        ev.PlanModeEntered("p", AUTO),
        of_plan_mode("full"),
        replied(READ, mark="0"),
        submitted("r"),
        ev.PlanResolved("r", Outcome.DISMISSED),
        ev.TodoListWritten((ev.TodoItem("a", "done"),)),
    )
    assert core.loaded(core.dumped(state)) == state
    assert core.dumped(EMPTY)["told"]["plan_id"] is None


def test_what_stands_in_the_first_event_is_known() -> None:
    child = ev.SessionStarted(
        "p", "/w", "m", "kimi", MANUAL, 1, rules=("deny Bash",), parent="s", profile="explore"
    )
    state = after(child)
    assert (state.rules, state.parent, state.profile) == (("deny Bash",), "s", "explore")
    assert (EMPTY.rules, EMPTY.parent, EMPTY.profile) == ((), "", "agent")


def test_turn_states_that_end() -> None:
    ended = {state for state in ev.TurnState if state.ended}
    assert ended == {"done", "stopped", "failed", "cancelled"}


def test_comments_that_were_given_wait_for_a_reply() -> None:
    given = tuple(ev.SentComment(name, "mei", "Why?") for name in ("c-1", "c-2"))
    decided = ev.PlanResolved("r", Outcome.REVISE, by=7, comments=given)
    events: Events = [replied(READ), submitted("r"), decided]
    assert after(*events).comments == {"c-1": False, "c-2": False}
    state = after(*events, ev.CommentReplied("c-1", "Done"))
    assert state.comments == {"c-1": True, "c-2": False}


def test_a_review_that_expires_answers_its_call_and_says_why_the_turn_stops() -> None:
    """case:C055: nobody decided; the call is told so."""
    events: Events = [replied(READ), submitted("r"), ev.PlanReviewClosed("r", Closure.EXPIRED)]
    state = after(*events)
    assert statuses(state) == [("c1", CallStatus.ANSWERED, "r")]
    assert state.turn.calls[0].answer == 3
    assert state.turn.halt == Halt.REVIEW_EXPIRED
    assert state.plan.review is None
    assert state.plan.last_outcome is None
