"""Texts of agents that an agent started."""

from collections.abc import Mapping
from string import Template
from typing import Final

import pytest

from prompts import library
from prompts.rendering import render

NONE: Final[frozenset[str]] = frozenset()
VALUES: Final[Mapping[str, frozenset[str]]] = {
    "system/child/data": NONE,
    "system/child/no_shell": NONE,
    "system/child/read_only": frozenset({"shell"}),
    "system/child/read_only_again": NONE,
    "system/child/shell": NONE,
    "tools/child/bash": NONE,
    "tools/child/grep": NONE,
    "tools/child/read": NONE,
    "tools/child/todo_list": NONE,
}


def test_the_table_names_every_text_of_children() -> None:
    assert set(VALUES) == {name for name in library.NAMES if "/child/" in name}


@pytest.mark.parametrize("name", VALUES)
def test_placeholders_are_what_the_code_passes(name: str) -> None:
    template = Template(library.text(name))
    assert template.is_valid()
    assert set(template.get_identifiers()) == VALUES[name]


@pytest.mark.parametrize("name", VALUES)
def test_files_are_plain(name: str) -> None:
    text = library.text(name)
    assert text.isascii()
    assert all(char == "\n" or char.isprintable() for char in text)
    assert "\n\n\n" not in text
    assert " \n" not in text


@pytest.mark.parametrize("shell", ["shell", "no_shell"])
def test_what_a_child_may_not_is_said_in_whole_sentences(shell: str) -> None:
    """claude:C-33."""
    said = render("system/child/read_only", shell=render(f"system/child/{shell}"))
    assert "also no temporary one" in said
    assert "redirections" in said
    assert "here-documents" in said
    assert "; run only" in said or "; there are no commands" in said
    assert ". The program enforces this" in said


def test_a_child_s_command_is_not_to_go_on_by_itself() -> None:
    assert "run_in_background: leave it out" in library.text("tools/child/bash")


def test_a_task_is_to_hold_all_that_the_other_agent_must_know() -> None:
    """claude:C-34 kimi:F5."""
    text = library.text("tools/agent")
    assert "sees nothing of this conversation" in text
    assert "which rules of the person matter" in text
    assert "One agent works at a time" in text
