"""What the installation allows, as a worker reads it."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode.access.models import Project
from tests import desk
from tests.factories import call, play

pytestmark = pytest.mark.django_db

WRITES = {"tool_calls": [call("Write", path="new.txt", content="x")]}
DONE = {"text": "Done."}


def test_a_rule_of_the_installation_counts_at_once(
    settings: Settings, tmp_path: Path, operator: User
) -> None:
    """vectors BT-17's point outside of plan mode: a deny rule always wins."""
    settings.PERMISSION_RULES_FILE = tmp_path / "rules"
    settings.PERMISSION_RULES_FILE.write_text("deny Write(*.txt)\n")
    session = play(operator, [WRITES, DONE], plan=False, permission_mode="yolo").work()
    assert "permission rule" in desk.results(session)[0].text
    assert not (session.workspace / "new.txt").exists()


def test_a_rule_of_the_project_counts(operator: User, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(rules="ask Write")
    session = play(operator, [WRITES, DONE], plan=False, permission_mode="yolo").work()
    assert session.approval.tool == "Write"


def test_rules_that_can_t_be_read_let_nothing_run(
    settings: Settings, tmp_path: Path, operator: User
) -> None:
    """Half a list is what nobody wants to rely on."""
    settings.PERMISSION_RULES_FILE = tmp_path / "rules"
    settings.PERMISSION_RULES_FILE.write_text("perhaps Write\n")
    session = play(operator, [WRITES, DONE], plan=False, permission_mode="yolo").work()
    assert (session.turn.state, session.turn.reason) == ("failed", "rules_invalid")
    assert not (session.workspace / "new.txt").exists()


@pytest.mark.parametrize("on", [True, False])
def test_where_auto_is_off_it_counts_as_manual(
    settings: Settings, operator: User, *, on: bool
) -> None:
    """claude:C-03, claude:C-05: the operator's switch counts for sessions that run."""
    session = play(operator, [WRITES, DONE], plan=False, permission_mode="auto")
    settings.AUTO_MODE = on
    session.work()
    assert (session.workspace / "new.txt").exists() is on
    assert session.turn.state == ("done" if on else "waiting")


def test_auto_may_pause_while_planning(settings: Settings, operator: User) -> None:
    """claude:C-05: in ``auto`` nobody is asked, in ``manual`` somebody is."""
    settings.AUTO_WHILE_PLANNING = "pause"
    asks = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]}
    session = play(operator, [asks], permission_mode="auto").work()
    assert session.question.status == "open"
    assert session.state.permission_mode == "auto"
