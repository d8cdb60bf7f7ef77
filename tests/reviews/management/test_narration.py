"""A call in a few words, whatever its arguments are."""

import json
from dataclasses import replace

import pytest

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.events import PlanStepsListed
from planmode.core.permission import PermissionMode
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


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (ev.PlanModeRequested(active=True, by=7), "ann wants plan mode on from the next step"),
        (ev.PlanModeRequested(active=False, by=7), "ann wants plan mode off from the next step"),
        (ev.PlanModeRequested(None, by=7), "ann leaves plan mode as it is"),
        (
            ev.PermissionModeRequested(PermissionMode.YOLO, by=7),
            "ann wants permission mode yolo from the next step",
        ),
        (ev.PermissionModeRequested(None, by=7), "ann leaves the permission mode as it is"),
        (
            ev.PermissionModeChanged(PermissionMode.MANUAL, PermissionMode.AUTO, note="why"),
            "the permission mode is manual: why",
        ),
        (
            ev.AutoBreakerOpened(3, 5),
            "permission mode auto is off: 3 calls in a row refused, 5 in all",
        ),
        (
            ev.PlanModeCancelled("p", PermissionMode.MANUAL, note="why", by=7),
            "plan mode is off, the permission mode is manual: why",
        ),
        (ev.PlanFileWritten("p", "0" * 64, 1, by=7), "ann edited the plan"),
        (ev.SessionForked("s-1", 3, None, by=7), "ann forked session s-1"),
        (ev.ConversationUndone(3, by=7), "ann took back number 3 and all that followed"),
        (ev.ContextCompacted("So far."), "the conversation so far was summed up"),
        (
            ev.ChildStarted("c", "call-1", "explore", "Look\naround"),
            "the agent starts another, explore: Look around",
        ),
        (
            ev.ChildReported("c", "Found.", ev.TurnState.DONE),
            "the other agent's turn is done: Found.",
        ),
    ],
)
def test_what_people_chose_and_took_back(event: ev.Event, told: str) -> None:
    """dsh:D-34: a choice that waits is told as one."""
    assert narrated(event, SessionState(), lambda _: "ann") == [told]
