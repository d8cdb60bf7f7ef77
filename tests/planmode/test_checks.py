"""manage.py check finds what is missing."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode import checks
from planmode.access.models import Project
from planmode.agent import sandbox
from planmode.agent.sandbox import Sandbox
from prompts.library import NAMES
from tests.factories import play
from tests.outside import Site
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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"# nothing\ndeny Bash(git push *)\n", "", id="good"),
        pytest.param(b"perhaps Bash\n", "line 1", id="no rule"),
        pytest.param(b"\xff", "can't decode", id="no text"),
    ],
)
def test_rules_of_the_installation_that_can_t_be_read_are_an_error(
    settings: Settings, tmp_path: Path, content: bytes, said: str
) -> None:
    settings.PERMISSION_RULES_FILE = tmp_path / "rules"
    settings.PERMISSION_RULES_FILE.write_bytes(content)
    found = [error.msg for error in checks.permission_rules_can_be_used()]
    assert len(found) == bool(said)
    assert all(said in line for line in found)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(None, "can't be read", id="missing"),
        pytest.param(b"\xff", "can't be read", id="no text"),
        pytest.param(b" \n", "is blank", id="blank"),
    ],
)
def test_a_plan_section_that_says_nothing_is_an_error(
    settings: Settings, tmp_path: Path, content: bytes | None, said: str
) -> None:
    """dsh:D-16."""
    settings.PLAN_SECTION_FILE = tmp_path / "section.md"
    if content is not None:
        settings.PLAN_SECTION_FILE.write_bytes(content)
    (error,) = checks.the_plan_section_says_something()
    assert said in error.msg
    settings.PLAN_SECTION_FILE = None
    assert checks.the_plan_section_says_something() == []


@pytest.mark.django_db
def test_a_project_whose_agents_nothing_tells_how_to_plan_is_named(
    operator: User, project: Project, settings: Settings, tmp_path: Path
) -> None:
    """dsh:D-16: asked of the database, so only where that is checked."""
    Project.objects.filter(pk=project.pk).update(plan_section="Look first.")
    play(operator, [{"text": "Done."}], preset="dsh")
    assert checks.projects_say_how_to_plan(databases=["default"]) == []
    Project.objects.filter(pk=project.pk).update(plan_section="")
    (error,) = checks.projects_say_how_to_plan(databases=["default"])
    assert "project default" in error.msg
    assert checks.projects_say_how_to_plan() == []
    settings.PLAN_SECTION_FILE = tmp_path / "missing.md"
    assert checks.projects_say_how_to_plan(databases=["default"]) == []


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


def test_a_host_that_holds_commands_to_their_limits_is_not_warned_of() -> None:
    need("working bubblewrap 0.7", Sandbox.probe().sight.scratch > 0)
    assert checks.commands_are_held_to_limits() == []


def test_a_limit_that_does_not_hold_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By a bubblewrap that can't say how large /tmp is."""
    old = tmp_path / "bwrap"
    old.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.working_bwrap.cache_clear()
    try:
        (warning,) = checks.commands_are_held_to_limits()
    finally:
        sandbox.working_bwrap.cache_clear()
    assert warning.id == "planmode.W002"
    assert "/tmp" in warning.msg  # noqa: S108 - the sandbox's own


def test_no_file_of_servers_is_no_fault(settings: Settings) -> None:
    settings.MCP_SERVERS_FILE = ""
    assert checks.outside_servers_can_be_used() == []


def test_each_fault_of_the_file_of_servers_is_named(settings: Settings, tmp_path: Path) -> None:
    site = Site(tmp_path, settings)
    site.serve(docs={"command": "docs"})
    site.file.write_text('{"servers": {"a b": {"command": "a"}, "c": {"trusted": 1}}}', "utf-8")
    found = checks.outside_servers_can_be_used()
    assert {(fault.id, fault.is_serious()) for fault in found} == {("planmode.W010", False)}
    assert [fault.msg.partition(": ")[0] for fault in found] == [str(site.file)] * len(found)
    assert "/servers/c/trusted" in " ".join(fault.msg for fault in found)


def test_what_a_server_lacks_is_warned_of(settings: Settings, tmp_path: Path) -> None:
    headers = {"X-Key": {"from_env": "OUTSIDE_UNSET"}}
    site = Site(tmp_path, settings)
    site.serve(docs={"url": "http://docs.example/mcp", "headers": headers}, db={"command": "db"})
    assert [(fault.id, fault.msg) for fault in checks.outside_servers_can_be_used()] == [
        ("planmode.W012", "outside server docs needs OUTSIDE_UNSET, which is not set"),
        ("planmode.W013", "outside server docs is spoken to without encryption"),
    ]


def test_a_missing_extra_is_warned_of(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "sdk_is_there", lambda: False)
    Site(tmp_path, settings).serve(db={"command": "db"})
    (warning,) = checks.outside_servers_can_be_used()
    assert (warning.id, warning.hint) == ("planmode.W011", "pip install 'planmode[mcp]'")
