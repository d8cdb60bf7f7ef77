"""manage.py check finds what is missing."""

from pathlib import Path

import pytest

from planmode import checks
from planmode.agent import sandbox
from planmode.agent.sandbox import Sandbox
from prompts.library import NAMES
from tests.requirements import need


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


def test_a_host_without_a_sandbox_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.working_bwrap.cache_clear()
    try:
        (warning,) = checks.commands_have_a_sandbox()
    finally:
        sandbox.working_bwrap.cache_clear()
    assert (warning.id, warning.is_serious()) == ("planmode.W001", False)


def test_a_host_with_a_sandbox_is_not() -> None:
    need("working bubblewrap", Sandbox.probe().available)
    assert checks.commands_have_a_sandbox() == []
