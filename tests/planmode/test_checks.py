"""manage.py check finds what is missing."""

import pytest

from planmode import checks
from prompts.library import NAMES


def test_this_release_is_complete() -> None:
    assert checks.texts_are_complete() == []
    assert checks.tools_are_known_to_the_guard() == []


def test_a_missing_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    without = [name for name in NAMES if name not in {"reminders/full", "results/revise"}]
    monkeypatch.setattr(checks, "NAMES", without)
    errors = checks.texts_are_complete()
    assert [error.msg for error in errors] == [
        "prompts/reminders/full.md is missing",
        "prompts/results/revise.md is missing",
    ]
    assert {error.id for error in errors} == {"planmode.E001"}


def test_a_tool_that_the_guard_does_not_know_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "TOOLS", {"Teleport": None})
    (error,) = checks.tools_are_known_to_the_guard()
    assert error.msg == "the guard does not know Teleport"
