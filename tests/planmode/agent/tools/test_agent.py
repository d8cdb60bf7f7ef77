"""Agent: which tasks it takes, and whom it gives them to."""

import json

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import Spawns, ToolResult
from planmode.core.guard import CallFacts
from planmode.core.profiles import CHILDREN, PROFILES
from tests.planmode.agent.tools.conftest import Ground


@pytest.mark.parametrize("profile", CHILDREN)
def test_a_task_is_for_an_agent_that_can_only_read(ground: Ground, profile: str) -> None:
    tool = TOOLS["Agent"]
    args = parse(tool, json.dumps({"profile": profile, "task": "Look"}))
    facts = tool.facts(args, ground.context)
    assert facts == CallFacts("Agent", read_only=True, targets=(profile,))
    assert PROFILES[profile].read_only
    assert ground.outcome("Agent", profile=profile, task="Look") == Spawns(profile, "Look")


@pytest.mark.parametrize(
    ("args", "pointer"),
    [
        ({"profile": "coder", "task": "x"}, "/profile .*explore, plan"),
        ({"profile": "agent", "task": "x"}, "/profile .*explore, plan"),
        ({"profile": "plan", "task": " \n"}, "/task "),
        ({"profile": "plan"}, "/task "),
        ({"profile": "plan", "task": "x" * 40_000}, "/task "),
    ],
)
def test_what_is_no_task(args: dict[str, str], pointer: str) -> None:
    with pytest.raises(ArgumentsInvalidError, match=pointer):
        parse(TOOLS["Agent"], json.dumps(args))


def test_the_model_is_told_of_the_profiles() -> None:
    schema = TOOLS["Agent"].arguments.model_json_schema()
    assert schema["properties"]["profile"]["enum"] == list(CHILDREN)


def test_a_stranger_takes_no_task(ground: Ground) -> None:
    outcome = ground.outcome("Agent", profile="explore", task="Look", agent="nobody")
    assert isinstance(outcome, ToolResult)
    assert outcome.is_error
