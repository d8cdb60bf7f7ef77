"""The texts of sessions whose plan is a reply."""

from collections.abc import Mapping
from string import Template
from typing import Final

import pytest

from prompts import library
from prompts.rendering import render

NONE: Final[frozenset[str]] = frozenset()
REPLY: Final = frozenset({"version", "sha256", "notes", "comments", "steps", "plan"})
VALUES: Final[Mapping[str, frozenset[str]]] = {
    "reminders/plan_list/full": frozenset({"shell_rule"}),
    "reminders/plan_list/exit": NONE,
    "reminders/plan_list/open_steps": frozenset({"steps"}),
    "reminders/plan_list/approved_plan": frozenset({"version", "sha256", "steps", "plan"}),
    "results/reply/approved": REPLY,
    "results/reply/approved_without_start": REPLY,
    "results/reply/approved_damaged": frozenset({"version", "problem"}),
    "results/reply/revise": frozenset({"version", "feedback", "comments"}),
    "results/reply/dismissed": frozenset({"version", "reason"}),
    "results/reply/plan_unchanged": frozenset({"version", "outcome"}),
    "results/reply/plan_too_large": frozenset({"problem"}),
    "results/reply/plan_unreadable": frozenset({"problem"}),
    "results/reply/plan_not_stored": frozenset({"problem"}),
    "results/reply/tool_failed": frozenset({"problem"}),
    "results/reply/blocked_tool": frozenset({"tool"}),
    "results/reply/shell_while_planning": NONE,
    "results/reply/no_sandbox": NONE,
    "results/reply/write_outside_plan_file": NONE,
    "results/reply/question_in_auto": NONE,
    "system/reply/plan_mode": NONE,
    "tools/reply/ask_user_question": NONE,
    "tools/reply/read": NONE,
    "tools/reply/write": NONE,
    "tools/reply/edit": NONE,
    "tools/reply/todo_list": NONE,
}


def shown(name: str) -> str:
    return render(name, **{key: f"[{key}]" for key in VALUES[name]})


def test_the_table_names_every_text_of_its_kind() -> None:
    assert set(VALUES) == {
        name for name in library.NAMES if "/reply/" in name or "/plan_list/" in name
    }


@pytest.mark.parametrize("name", VALUES)
def test_placeholders_are_what_the_code_passes(name: str) -> None:
    assert set(Template(library.text(name)).get_identifiers()) == VALUES[name]


@pytest.mark.parametrize("name", VALUES)
def test_each_stands_for_a_common_text(name: str) -> None:
    room, _, last = name.split("/")
    assert f"{room}/{last}" in library.NAMES


@pytest.mark.parametrize("name", VALUES)
def test_where_the_reply_submits_no_text_sends_the_agent_elsewhere(name: str) -> None:
    """pi:P-02 P-20: there is no plan file to wait for, and no tool that submits."""
    text = library.text(name).lower()
    assert "exitplanmode" not in text
    assert "plan file" not in text


@pytest.mark.parametrize(
    "said",
    [
        "has been explicitly approved",
        "outranks every other instruction",
        "The program enforces this",
        "AskUserQuestion",
        "permission mode auto",
        "\nPlan:\n\n1. ",
        "is the submission",
        "waits until a person",
        "replaces this one wholly",
        "just answer it",
    ],
)
def test_the_plan_list_s_text_says(said: str) -> None:
    """pi:P-13 P-19 P-20: read-only, how a plan is written, and what follows."""
    assert said in shown("reminders/plan_list/full")


@pytest.mark.parametrize("name", ["approved", "approved_without_start"])
def test_an_approved_reply_comes_back_with_its_steps_and_how_they_are_marked(name: str) -> None:
    """pi:P-22 P-24."""
    text = shown(f"results/reply/{name}")
    assert "[steps]" in text
    assert "[DONE:n]" in text
    assert "outside of code" in text
    assert text.endswith("\n\n[plan]")
