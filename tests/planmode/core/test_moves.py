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
    Recover,
    Skip,
    TurnLimits,
    next_move,
)
from planmode.core.outcomes import Outcome
from planmode.core.presets import PlanModeConfig
from planmode.core.state import CallStatus, PendingCall, fold

KIMI = PlanModeConfig()
LIMITS = TurnLimits(steps=3)
ONE, TWO = ToolCall("c1", "Read"), ToolCall("c2", "Write")
QUEUED = [ev.MessagePosted("do it"), ev.TurnQueued(1)]
ASKED = [*QUEUED, ev.StepStarted(1)]
CALLED = [*ASKED, ev.ModelReplied("", (ONE, TWO), "m")]
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
