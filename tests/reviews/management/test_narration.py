"""A call in a few words, whatever its arguments are."""

import json
from dataclasses import replace

import pytest

from planmode.core.calls import ToolCall
from planmode.core.events import PlanStepsListed
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.state import PendingCall, PlanState, SessionState, TurnView
from reviews.management.narration import argument, narrated, one_line


def about(args: str) -> str:
    state = SessionState(turn=TurnView(calls=(PendingCall(ToolCall("c1", "Tool", args)),)))
    return argument(state, "c1")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        pytest.param({"command": "ls -l", "path": "src"}, "ls -l", id="a command before all"),
        pytest.param({"path": "src", "pattern": "def .*"}, "def .*", id="a pattern before a path"),
        pytest.param({"content": "x = 1", "path": "a.py"}, "a.py", id="a path before its content"),
        pytest.param({"title": "A job"}, "A job", id="an unknown tool's first text"),
        pytest.param({"path": "long/" * 20 + "a.py"}, f"…{'long/' * 15}a.py"[-80:], id="long path"),
        pytest.param({"command": "echo " + "a" * 99}, f"echo {'a' * 74}…", id="long command"),
        pytest.param({"command": "ls\n\x1b[2J"}, "ls \ufffd[2J", id="control characters"),
        pytest.param({"items": [1, 2]}, "", id="no text at all"),
        pytest.param(["a"], "", id="no object"),
    ],
)
def test_what_a_call_is_about(args: object, told: str) -> None:
    assert about(json.dumps(args)) == told


@pytest.mark.parametrize("raw", ["", "{", "[" * 100_000, "null"])
def test_arguments_that_are_no_json_object_say_nothing(raw: str) -> None:
    assert about(raw) == ""


def test_a_call_that_is_not_there_says_nothing() -> None:
    assert argument(SessionState(), "c1") == ""


def test_what_the_agent_claims_is_told_once() -> None:
    """pi:P-25: as a claim, not as a fact."""
    first, second = PlanStep(1, "Read"), PlanStep(2, "Split", PlanStepStatus.CLAIMED)
    before = SessionState(plan=PlanState(steps=(first, second)))
    claimed = replace(first, status=PlanStepStatus.CLAIMED)
    told = narrated(PlanStepsListed((claimed, second)), before, str)
    assert told == ["the agent says that step 1 is done: Read"]
    assert narrated(PlanStepsListed((first, second)), before, str) == []


def test_a_long_line_is_cut_and_says_so() -> None:
    assert one_line("a\n" * 400, 10) == "a a a a a…"
