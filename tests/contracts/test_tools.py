"""What every tool of the catalog keeps to."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import (
    Asks,
    Enters,
    NoArguments,
    Submits,
    ToolContext,
    ToolResult,
)
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core.guard import KIND_OF, CallFacts, ToolKind
from planmode.core.state import EMPTY
from planmode.store.confined import ConfinedFolder

LONG: Final = "wide words \u202e and\nlines " * 400
SAMPLES: Final[Mapping[str, dict[str, Any]]] = {
    "Read": {"path": LONG},
    "Glob": {"pattern": LONG[:500], "path": LONG},
    "Grep": {"pattern": LONG[:2000], "path": LONG},
    "Write": {"path": LONG, "content": LONG},
    "Edit": {"path": LONG, "old_string": LONG, "new_string": "x"},
    "Bash": {"command": f"echo '{LONG}'"},
    "TaskList": {},
    "TaskOutput": {"task": 1_000_000, "offset": 2**40},
    "TaskStop": {"task": 1_000_000},
    "Agent": {"profile": "explore", "task": LONG[:30_000], "agent": "x" * 36},
    "AskUserQuestion": {"questions": [{"text": LONG[:500], "choices": [LONG[:200]]}]},
    "TodoList": {"items": [{"text": LONG[:500], "status": "pending"}]},
    "reply_to_comment": {"comment": "x" * 64, "text": LONG[:8000]},
    "CronCreate": {"cron": "*/5 * * * *", "prompt": LONG[:8000], "once": True},
    "CronList": {},
    "CronDelete": {"schedule": 1_000_000},
    "EnterPlanMode": {},
    "ExitPlanMode": {"options": [{"label": "x" * 79 + str(n)} for n in range(3)]},
}
"""Arguments that each tool takes, as long and as odd as it takes them."""


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    """A workspace that is not even there: whatever is asked, the answer is a value."""
    return ToolContext(Reach(ConfinedFolder(tmp_path / "gone"), None, None), EMPTY, Sandbox())


def test_every_tool_has_a_sample() -> None:
    assert list(SAMPLES) == list(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_it_answers_to_its_name(name: str) -> None:
    assert TOOLS[name].name == name


@pytest.mark.parametrize("name", TOOLS)
def test_the_guard_knows_it(name: str) -> None:
    assert name in KIND_OF


@pytest.mark.parametrize("name", TOOLS)
def test_its_schema_is_closed_json(name: str) -> None:
    schema = TOOLS[name].arguments.model_json_schema()
    assert json.loads(json.dumps(schema)) == schema
    objects = [schema, *schema.get("$defs", {}).values()]
    assert all(part["additionalProperties"] is False for part in objects)


@pytest.mark.parametrize("name", TOOLS)
def test_it_takes_nothing_that_it_does_not_declare(name: str) -> None:
    args = {**SAMPLES[name], "not_declared": 1}
    with pytest.raises(ArgumentsInvalidError, match="/not_declared "):
        parse(TOOLS[name], json.dumps(args))


@pytest.mark.parametrize("name", TOOLS)
def test_its_summary_is_one_line(name: str) -> None:
    tool = TOOLS[name]
    summary = tool.summary(parse(tool, json.dumps(SAMPLES[name])))
    assert 0 < len(summary) <= 500
    assert len(summary.splitlines()) == 1


@pytest.mark.parametrize("name", TOOLS)
def test_what_changes_files_is_not_repeated(name: str) -> None:
    changing = KIND_OF[name] in {ToolKind.WRITE, ToolKind.SHELL, ToolKind.LASTING}
    assert TOOLS[name].repeatable is not changing


@pytest.mark.parametrize("name", TOOLS)
def test_its_facts_and_its_answer_are_values(name: str, context: ToolContext) -> None:
    tool = TOOLS[name]
    args = parse(tool, json.dumps(SAMPLES[name]))
    facts = tool.facts(args, context)
    told = CallFacts(name, read_only=facts.read_only, targets=facts.targets)
    assert facts == replace(told, replaces=name == "Write")
    outcome = tool.run(args, context)
    match KIND_OF[name]:
        case ToolKind.ASK:
            assert isinstance(outcome, Asks)
        case ToolKind.ENTER:
            assert isinstance(outcome, Enters)
        case ToolKind.EXIT:
            assert isinstance(outcome, Submits)
        case ToolKind.NOTE:
            assert isinstance(outcome, ToolResult)
            assert outcome.is_error is (name == "reply_to_comment")  # nobody made that comment
        case _:
            assert isinstance(outcome, ToolResult)
            assert outcome.is_error


def test_only_lists_and_entering_take_no_arguments() -> None:
    without = {name for name, tool in TOOLS.items() if tool.arguments is NoArguments}
    assert without == {"TaskList", "CronList", "EnterPlanMode"}


def _objects(name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas of a tool's arguments and of the objects in them."""
    schema = TOOLS[name].arguments.model_json_schema()
    yield from (schema, *schema.get("$defs", {}).values())


def _table() -> dict[str, str]:
    text = Path(__file__).parents[2].joinpath("docs/scripted-model.md").read_text("utf-8")
    section = text.partition("## Tools\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE))


def test_the_table_of_scripts_names_the_tools_in_their_order() -> None:
    assert list(_table()) == list(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_the_table_of_scripts_names_every_argument(name: str) -> None:
    fields = [(key, value) for each in _objects(name) for key, value in each["properties"].items()]
    needed = {key for each in _objects(name) for key in each.get("required", ())}
    words = {word for _, value in fields for word in value.get("enum", ())}
    told = _table()[name]
    assert set(re.findall(r"`(\w+)`", told)) == {key for key, _ in fields} | words
    assert set(re.findall(r"\(`(\w+)`", told)) == {key for key, _ in fields} - needed
