"""TaskList: one line for each command in the background."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from planmode.agent import identity
from planmode.agent.tools.task_list import MOST_TASKS
from planmode.store import background as rows
from planmode.store.background import NewTask
from tests.jobs import Desk, ended

pytestmark = pytest.mark.django_db


def test_nothing_is_there_at_first(operator: User) -> None:
    assert Desk(operator).text("TaskList") == "Nothing was started in the background."


def test_the_newest_comes_first_as_it_stands_now(operator: User) -> None:
    desk = Desk(operator)
    ended(desk.begin("exit 3"))
    lost = rows.begin(desk.claim, NewTask("c", "make\n test", sandboxed=True, limit_s=60, mark=""))
    own = identity.own()
    rows.note_follower(lost, replace(own, started=own.started - 1))
    first, second = desk.text("TaskList").splitlines()
    assert first.startswith("2: lost, since ")
    assert first.endswith(" UTC, read-only: make test")
    assert second.startswith("1: failed, exit code 3, since ")
    assert second.endswith(" UTC, may write: exit 3")


def test_the_list_and_its_lines_are_bounded(operator: User) -> None:
    desk = Desk(operator)
    for _ in range(MOST_TASKS + 1):
        new = NewTask("c", "x" * 5000, sandboxed=True, limit_s=60, mark="")
        rows.lose(rows.begin(desk.claim, new), desk.play.turn.due_at)
    lines = desk.text("TaskList").splitlines()
    assert len(lines) == MOST_TASKS + 1
    assert lines[-1] == "(older ones than these 20 are left out)"
    assert all(len(line) < 300 for line in lines)
