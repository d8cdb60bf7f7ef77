"""The fold of undo, compaction and forks, and of a session's children."""

from dataclasses import replace

import pytest

from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.calls import ToolCall
from planmode.core.outcomes import Outcome
from planmode.core.permission import NO_REFUSALS, PermissionMode
from planmode.core.state import CallStatus, PendingCall, SessionState, TurnView, Wanted, fold

MANUAL, EDITS, AUTO, YOLO = PermissionMode
Events = list[ev.Event]


def after(*events: ev.Event) -> SessionState:
    return fold(events)


def asked(text: str, number: int) -> Events:
    return [ev.MessagePosted(text, author=1), ev.TurnQueued(number)]


def worked(number: int, text: str = "Done.") -> Events:
    return [
        ev.StepStarted(1),
        ev.ModelReplied(text, (), "m", input_tokens=3, output_tokens=2, mark=str(number)),
        ev.TurnEnded(number, ev.TurnState.DONE),
    ]


STARTED = ev.SessionStarted("default", "/w", "m", "kimi", MANUAL, 1)
FIRST: Events = [STARTED, *asked("a", 1), *worked(1)]
UNDONE = len(FIRST) + 1
"""The number of the message that the tests take back."""


def undone(*events: ev.Event) -> SessionState:
    """Return the state after a second turn of ``events`` was taken back."""
    return after(*FIRST, *asked("b", 2), *events, ev.ConversationUndone(UNDONE, by=1))


# Undo


def test_undo_leaves_the_conversation_as_it_was_before_the_message() -> None:
    """kimi:H4."""
    todo = ev.TodoListWritten((ev.TodoItem("x", "done"),))
    state = undone(ev.PlanModeEntered("p", MANUAL), todo, *worked(2))
    before = after(*FIRST)
    assert (state.todo, state.told) == (before.todo, before.told)
    assert not state.plan.active
    assert state.turn == TurnView(number=2)


def test_undo_gives_no_version_free_and_no_plan_id() -> None:
    """kimi:R6."""
    plan = undone(
        ev.PlanModeEntered("p", MANUAL),
        ev.PlanRevisionRecorded("p", 2, "key", "0" * 64, 3),
        ev.PlanModeCancelled("p", MANUAL),
        *worked(2),
    ).plan
    assert plan.revision_count == {"p": 2}
    assert plan.ids == ("p",)
    assert plan.submitted == {}


def test_a_hundred_undos_cost_no_more_than_their_events() -> None:
    """Found here: each undo folded all of those before it once more, and so twice as often."""
    taken_back: list[ev.Event] = [STARTED]
    for _ in range(100):
        taken_back += [ev.MessagePosted("b"), ev.ConversationUndone(len(taken_back) + 1, by=1)]
    assert after(*taken_back) == after(STARTED)


def test_undo_gives_back_no_tokens_and_none_of_the_model_s_bookmarks() -> None:
    state = undone(*worked(2))
    assert (state.input_tokens, state.output_tokens) == (6, 4)
    assert state.marks == {"1": 1, "2": 1}


def test_undo_leaves_open_neither_review_nor_choice() -> None:
    submitted = ev.PlanSubmitted("r", "c1", "rev", "p", 1, "0" * 64, "Title")
    state = undone(
        ev.PlanModeEntered("p", MANUAL), submitted, ev.PlanModeRequested(active=False, by=1)
    )
    assert state.plan.review is None
    assert state.wanted == Wanted()


def test_undo_keeps_the_children_that_were_started() -> None:
    call = ev.ModelReplied("", (ToolCall("c1", "Agent"),), "m")
    child = ev.ChildStarted("s1", "c1", "explore", "look")
    assert undone(ev.StepStarted(1), call, child).children == {"s1": "explore"}


def test_undo_leaves_how_much_the_agent_may_do() -> None:
    """claude:C-04: nothing looser comes back."""
    opened: Events = [
        ev.PermissionModeChanged(AUTO, MANUAL, by=1),
        ev.AutoBreakerOpened(3, 3),
        ev.PermissionModeChanged(MANUAL, AUTO),
    ]
    state = undone(*opened, ev.PermissionModeChanged(EDITS, MANUAL, by=1))
    assert state.permission_mode is EDITS
    assert undone(*opened).breaker.open
    assert undone().breaker == NO_REFUSALS


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([ev.PermissionModeChanged(MANUAL, AUTO, by=1)], id="still planning"),
        pytest.param(
            [
                ev.PlanModeCancelled("p", AUTO, by=1),
                ev.PermissionModeChanged(MANUAL, AUTO, by=1),
            ],
            id="left since",
        ),
    ],
)
def test_the_mode_after_plan_mode_is_the_one_that_was_chosen_last(later: Events) -> None:
    """Found here: undo brought back a looser mode that a person had left since."""
    planning: Events = [
        replace(STARTED, permission_mode=AUTO),
        ev.PlanModeEntered("p", AUTO),
        *asked("b", 1),
    ]
    state = after(*planning, *later, ev.ConversationUndone(3, by=1))
    assert state.plan.active
    assert (state.permission_mode, state.plan.previous_mode) == (MANUAL, MANUAL)


def test_undoing_a_turn_that_left_plan_mode_is_planning_again() -> None:
    entered = ev.PlanModeEntered("p", MANUAL)
    told = ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.FULL, "text", "p")
    left = ev.PlanModeExited("p", MANUAL, Outcome.APPROVED)
    state = after(STARTED, entered, told, *asked("b", 1), left, ev.ConversationUndone(4, by=1))
    assert state.plan.active
    assert state.told.plan_id == "p"
    assert not state.plan.approved


def test_an_undo_can_be_followed_by_another_one() -> None:
    twice = [*FIRST, *asked("b", 2), ev.ConversationUndone(UNDONE, by=1)]
    more = ev.TodoListWritten((ev.TodoItem("x", "done"),))
    at = len(twice) + 1
    state = after(*twice, *asked("c", 3), more, ev.ConversationUndone(at, by=1))
    assert state.todo == ()
    assert state.turn == TurnView(number=3)


def test_who_keeps_no_log_can_t_undo() -> None:
    with pytest.raises(LookupError, match="after 1 events is not known"):
        core.apply(core.EMPTY, ev.ConversationUndone(2, by=1), seq=3)


# Compaction


def test_after_compaction_what_the_model_was_told_is_lost() -> None:
    """claude:C-20, complaints:K-11: plan mode itself is no part of the conversation."""
    told = ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.FULL, "text", "p")
    events: Events = [ev.PlanModeEntered("p", MANUAL), told, ev.ContextCompacted("so far")]
    state = after(*events)
    assert state.told.lost
    assert (state.told.plan_id, state.plan.active) == ("p", True)
    assert not after(*events, told).told.lost


# Forks

PLANNING: Events = [
    STARTED,
    ev.PlanModeEntered("p", MANUAL, folder="plans"),
    ev.PlanRevisionRecorded("p", 1, "key", "0" * 64, 3),
    *asked("a", 1),
    ev.StepStarted(1),
    ev.ModelReplied("", (ToolCall("c1", "ExitPlanMode"),), "m"),
    ev.PlanSubmitted("r", "c1", "rev", "p", 1, "0" * 64, "Title"),
    ev.PlanModeRequested(active=False, by=1),
]


def forked(plan_id: str | None) -> ev.SessionForked:
    return ev.SessionForked("s0", len(PLANNING), plan_id, by=1)


def test_a_fork_plans_on_under_an_id_of_its_own() -> None:
    """kimi:H3, claude:C-12, complaints:K-17."""
    plan = after(*PLANNING, forked("q")).plan
    assert (plan.active, plan.plan_id, plan.ids) == (True, "q", ("p", "q"))
    assert plan.folder == ""


def test_nothing_waits_in_a_fork() -> None:
    state = after(*PLANNING, forked("q"))
    assert (state.plan.review, state.plan.submitted) == (None, {})
    assert (state.turn.open, state.turn.asking, state.turn.calls) == (False, False, ())
    assert state.wanted == Wanted()


@pytest.mark.parametrize("plan_id", [None, "q"])
def test_a_fork_outside_plan_mode_has_no_plan(plan_id: str | None) -> None:
    plan = after(*FIRST, forked(plan_id)).plan
    assert (plan.active, plan.plan_id, plan.ids) == (False, None, ())


def test_a_fork_has_none_of_the_children() -> None:
    child = ev.ChildStarted("s1", "c1", "explore", "look")
    assert after(*FIRST, child, forked(None)).children == {}


# Children

AGENT = ToolCall("c1", "Agent")
ASKED: Events = [ev.ModelReplied("", (AGENT,), "m"), ev.ChildStarted("s1", "c1", "plan", "think")]
DONE = ev.TurnState.DONE


def test_the_call_of_a_child_waits_for_its_report() -> None:
    state = after(*ASKED)
    assert state.turn.calls == (PendingCall(AGENT, CallStatus.WAITING, "s1"),)
    assert state.children == {"s1": "plan"}
    reported = after(*ASKED, ev.ChildReported("s1", "found", DONE))
    assert reported.turn.calls == (PendingCall(AGENT, CallStatus.ANSWERED, "s1", answer=3),)


def test_a_report_that_nothing_waits_for_answers_no_call() -> None:
    state = after(*ASKED, ev.ChildReported("s2", "found", DONE))
    assert state.turn.calls == after(*ASKED).turn.calls
