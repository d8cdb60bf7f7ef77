"""What a turn waits for."""

import pytest

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.state import fold
from planmode.core.waiting import Awaited, waiting

CALL = ToolCall("c1", "Bash")
ASKS = ToolCall("c1", "AskUserQuestion")
QUESTION = ev.QuestionAsked("card", "c1", (ev.QuestionItem("Which?"),))
APPROVAL = ev.ApprovalRequested("card", "c1", "Bash", "Run make", "{}")
SUBMITTED = ev.PlanSubmitted("card", "c1", "rev", "p", 1, "0" * 64, "Title")
CHILD = ev.ChildStarted("card", "c1", "explore", "Look")


@pytest.mark.parametrize(
    ("call", "event", "awaited"),
    [
        (ASKS, QUESTION, Awaited.QUESTION),
        (CALL, APPROVAL, Awaited.APPROVAL),
        (ToolCall("c1", "ExitPlanMode"), SUBMITTED, Awaited.REVIEW),
        (ToolCall("c1", "Agent"), CHILD, Awaited.AGENT),
    ],
)
def test_a_call_waits_for_its_card(call: ToolCall, event: ev.Event, awaited: Awaited) -> None:
    found = waiting(fold([ev.TurnQueued(1), ev.ModelReplied("", (call,), "m"), event]))
    assert found is not None
    assert (found.awaited, found.card, found.pending.call) == (awaited, "card", call)


def test_a_call_that_is_due_waits_for_nobody() -> None:
    assert waiting(fold([ev.TurnQueued(1), ev.ModelReplied("", (CALL,), "m")])) is None
