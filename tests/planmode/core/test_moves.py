"""What a worker does next, as one question to the state."""

from dataclasses import replace

import pytest

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.moves import (
    AskModel,
    Deliver,
    End,
    Judge,
    Move,
    Park,
    ReadReply,
    Recover,
    Remind,
    Skip,
    TurnLimits,
    next_move,
)
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.presets import PRESETS, PlanModeConfig
from planmode.core.state import REPLY, CallStatus, PendingCall, fold

KIMI, PI = PlanModeConfig(), PRESETS["pi"]
LIMITS = TurnLimits(steps=3)
ONE, TWO = ToolCall("c1", "Read"), ToolCall("c2", "Write")
QUEUED: list[ev.Event] = [ev.MessagePosted("do it"), ev.TurnQueued(1)]
ASKED: list[ev.Event] = [*QUEUED, ev.StepStarted(1)]
CALLED: list[ev.Event] = [*ASKED, ev.ModelReplied("", (ONE, TWO), "m")]
DONE_ONE = ev.ToolFinished("c1", "Read", "ok")
DONE_TWO = ev.ToolFinished("c2", "Write", "ok")
STOPPED = ev.ToolFinished("c1", "Read", "no", is_error=True, stops_turn=True)
ASKS = ev.QuestionAsked("q", "c1", (ev.QuestionItem("Which?"),))
SUBMITTED = ev.PlanSubmitted("r", "c1", "rev", "p", 1, "0" * 64, "Title")
REJECTED = ev.PlanResolved("r", Outcome.REJECTED)


def said(text: str) -> ev.ModelReplied:
    return ev.ModelReplied(text, (), "m")


def pending(call: ToolCall, status: CallStatus, card: str = "", answer: int = 0) -> PendingCall:
    return PendingCall(call, status, card, answer)


@pytest.mark.parametrize(
    ("events", "move"),
    [
        pytest.param(QUEUED, AskModel(1), id="a new turn asks"),
        pytest.param(ASKED, AskModel(1), id="a step that was lost begins again"),
        pytest.param([*ASKED, ev.ModelFailed("error", "", 1)], AskModel(1), id="failed"),
        pytest.param(
            [*ASKED, *[ev.StepStarted(1)] * 2],
            End(ev.TurnState.FAILED, "worker_lost"),
            id="a step that took three workers with it",
        ),
        pytest.param(
            [*ASKED, ev.StepStarted(1), ev.ModelFailed("error", "", 1), ev.StepStarted(1)],
            AskModel(1),
            id="an answer between starts the count anew",
        ),
        pytest.param([*ASKED, said("Done.")], End(ev.TurnState.DONE), id="nothing left"),
        pytest.param(
            [*ASKED, ev.MessagePosted("wait"), said("Done.")], AskModel(2), id="a message came"
        ),
        pytest.param(CALLED, Judge(pending(ONE, CallStatus.DUE)), id="one call at a time"),
        pytest.param(
            [*CALLED, ev.ToolStarted("c1", "Read")],
            Recover(replace(pending(ONE, CallStatus.STARTED), starts=1)),
            id="started and lost",
        ),
        pytest.param([*CALLED, DONE_ONE], Judge(pending(TWO, CallStatus.DUE)), id="the next one"),
        pytest.param([*CALLED, DONE_ONE, DONE_TWO], AskModel(2), id="all answered"),
        pytest.param([*CALLED, ASKS], Park(pending(ONE, CallStatus.WAITING, "q")), id="waits"),
        pytest.param(
            [*CALLED, ASKS, ev.QuestionAnswered("q", ("this",), 1)],
            Deliver(pending(ONE, CallStatus.ANSWERED, "q", answer=6)),
            id="answered",
        ),
        pytest.param(
            [
                *CALLED,
                ev.ApprovalRequested("a", "c1", "Read", "s", "{}"),
                ev.ApprovalResolved("a", allow=True, note="", by=1),
            ],
            Judge(pending(ONE, CallStatus.ALLOWED, "a")),
            id="allowed is judged again",
        ),
        pytest.param([*CALLED, STOPPED], Skip(pending(TWO, CallStatus.DUE)), id="stopped: skip"),
        pytest.param(
            [*CALLED, SUBMITTED, REJECTED, STOPPED, DONE_TWO],
            End(ev.TurnState.STOPPED, "rejected"),
            id="stopped by a decision",
        ),
        pytest.param([*CALLED, STOPPED, DONE_TWO], End(ev.TurnState.STOPPED), id="stopped"),
        pytest.param(
            [*QUEUED, ev.StepStarted(3), said("x"), ev.MessagePosted("more")],
            End(ev.TurnState.FAILED, "step_limit"),
            id="too many steps",
        ),
        pytest.param([*QUEUED, ev.StepStarted(3)], AskModel(3), id="the last step again"),
    ],
)
def test_next_move(events: list[ev.Event], move: Move) -> None:
    assert next_move(fold(events), KIMI, LIMITS) == move


# Turns that end too early

ENTERED = ev.PlanModeEntered("p", PermissionMode.MANUAL)
PLANNING: list[ev.Event] = [ENTERED, *ASKED]
APPROVED = ev.PlanModeExited("p", PermissionMode.MANUAL, Outcome.APPROVED)
UNSUBMITTED, OPEN_STEPS = ev.ReminderKind.UNSUBMITTED, ev.ReminderKind.OPEN_STEPS
STOPS = ev.TurnState.STOPPED
OPEN, CLAIMED = PlanStepStatus.OPEN, PlanStepStatus.CLAIMED


def listed(*statuses: PlanStepStatus) -> ev.PlanStepsListed:
    steps = [PlanStep(number, "Step", status) for number, status in enumerate(statuses, start=1)]
    return ev.PlanStepsListed(tuple(steps))


def nudged(kind: ev.ReminderKind) -> list[ev.Event]:
    """Return a reminder at the turn's end, and an answer to it."""
    reminder = ev.ReminderInjected(ev.Variant.TURN_END, kind, "text", "p")
    return [reminder, ev.StepStarted(2), said("Well.")]


DISMISSED: list[ev.Event] = [
    ev.ModelReplied("", (ToolCall("c1", "ExitPlanMode"),), "m"),
    SUBMITTED,
    ev.PlanResolved("r", Outcome.DISMISSED),
    ev.ToolFinished("c1", "ExitPlanMode", "dismissed"),
    ev.StepStarted(2),
    said("All right."),
]


@pytest.mark.parametrize(
    ("events", "move"),
    [
        pytest.param([*PLANNING, said("Is this ok?")], Remind(UNSUBMITTED), id="once"),
        pytest.param(
            [*PLANNING, said("Hm."), nudged(UNSUBMITTED)[0]], AskModel(2), id="which is answered"
        ),
        pytest.param(
            [*PLANNING, said("Hm."), *nudged(UNSUBMITTED)], End(STOPS, "unsubmitted"), id="twice"
        ),
        pytest.param(
            [*PLANNING, said("Hm."), ev.MessagePosted("go on")], AskModel(2), id="a message came"
        ),
        pytest.param([*PLANNING, *DISMISSED], End(ev.TurnState.DONE), id="dismissed: let be"),
        pytest.param([*PLANNING, APPROVED, said("Done.")], End(ev.TurnState.DONE), id="no steps"),
        pytest.param(
            [*PLANNING, listed(OPEN, CLAIMED), APPROVED, said("Done.")],
            Remind(OPEN_STEPS),
            id="open steps, once",
        ),
        pytest.param(
            [*PLANNING, listed(OPEN), APPROVED, said("Done."), *nudged(OPEN_STEPS)],
            End(STOPS, "open_steps"),
            id="open steps, twice",
        ),
        pytest.param(
            [*PLANNING, listed(CLAIMED), APPROVED, said("Done.")],
            End(ev.TurnState.DONE),
            id="every step is claimed",
        ),
    ],
)
def test_an_agent_that_stops_too_early_is_told_once(events: list[ev.Event], move: Move) -> None:
    """claude:C-24."""
    assert next_move(fold(events), KIMI, LIMITS) == move


def test_a_decision_starts_the_count_of_reminders_anew() -> None:
    """What a turn was told before a review says nothing of what it does with its answer."""
    revised: list[ev.Event] = [
        *PLANNING,
        said("Hm."),
        *nudged(UNSUBMITTED)[:-1],
        ev.ModelReplied("", (ToolCall("c1", "ExitPlanMode"),), "m"),
        SUBMITTED,
        ev.PlanResolved("r", Outcome.REVISE, feedback="more"),
        ev.ToolFinished("c1", "ExitPlanMode", "revise"),
        ev.StepStarted(3),
        said("Hm."),
    ]
    assert next_move(fold(revised), KIMI, LIMITS) == Remind(UNSUBMITTED)


def test_a_halt_is_the_reason_unless_a_review_stopped_the_turn() -> None:
    halted = ev.ToolFinished("c1", "Read", "no", stops_turn=True, halt="same_refused_call")
    events: list[ev.Event] = [*CALLED, halted, DONE_TWO]
    assert next_move(fold(events), KIMI, LIMITS) == End(STOPS, "same_refused_call")


REPLY_SUBMITTED = ev.PlanSubmitted("r", "", "rev", "p", 1, "0" * 64, "Title")
TOLD = ev.ReminderInjected(
    ev.Variant.PLAN_REVIEW, ev.ReminderKind.REVIEWED, "text", "p", stops_turn=True
)
OFFERED: list[ev.Event] = [*PLANNING, said("Plan:"), listed(OPEN)]


@pytest.mark.parametrize(
    ("events", "move"),
    [
        pytest.param([*PLANNING, said("Plan:")], ReadReply(), id="a reply may be a plan"),
        pytest.param([*PLANNING, said("Hm."), listed()], End(ev.TurnState.DONE), id="it is none"),
        pytest.param([*ASKED, said("Hm.")], End(ev.TurnState.DONE), id="not planning"),
        pytest.param(
            [*OFFERED, REPLY_SUBMITTED],
            Park(PendingCall(REPLY, CallStatus.WAITING, "r")),
            id="its review is open",
        ),
        pytest.param(
            [*OFFERED, REPLY_SUBMITTED, ev.PlanResolved("r", Outcome.DISMISSED)],
            Deliver(PendingCall(REPLY, CallStatus.ANSWERED, "r", answer=8)),
            id="decided",
        ),
        pytest.param(
            [*OFFERED, REPLY_SUBMITTED, ev.PlanResolved("r", Outcome.DISMISSED), TOLD],
            End(STOPS, "dismissed"),
            id="and told",
        ),
        pytest.param(
            [*OFFERED, ev.MessagePosted("wait"), ev.StepStarted(2), said("Plan:")],
            ReadReply(),
            id="the next reply is looked at, too",
        ),
    ],
)
def test_where_replies_are_plans_each_last_one_is_looked_at(
    events: list[ev.Event], move: Move
) -> None:
    """pi:P-19, pi:P-20."""
    assert next_move(fold(events), PI, LIMITS) == move
