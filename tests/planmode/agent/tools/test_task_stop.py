"""TaskStop: the command and all that it started."""

import os

import pytest
from django.contrib.auth.models import User

from planmode.agent import background
from planmode.core.background import Identity, Place
from planmode.store import background as rows
from planmode.store.background import NewTask
from tests.jobs import Desk, comes_true, ended, printed, runs

pytestmark = pytest.mark.django_db


def test_a_command_ends_with_what_it_started(operator: User) -> None:
    desk, mark = Desk(operator), f"86441.{os.getpid():07}"
    task = desk.begin(f"sleep {mark} & echo begun; sleep {mark}")
    assert printed(task, "begun")
    told = desk.text("TaskStop", task=1)
    assert told == "Task 1 has ended, with everything that it started."
    assert comes_true(lambda: not runs(mark))


def test_what_has_ended_is_no_error(operator: User) -> None:
    desk = Desk(operator)
    ended(desk.begin("true"))
    assert desk.text("TaskStop", task=1) == "Task 1 had ended already: it is done."


def test_one_that_does_not_end_is_told(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "STOP_S", 0.0)
    desk = Desk(operator)
    task = rows.begin(desk.claim, NewTask("c", "x", sandboxed=False, limit_s=60, mark=""))
    rows.note_follower(task, Identity(Place("elsewhere", "x"), 1, 1))
    assert "was asked to end and has not yet" in desk.error("TaskStop", task=1)


def test_a_number_that_is_none_of_the_session_s(operator: User) -> None:
    assert Desk(operator).error("TaskStop", task=7) == "there is no background task 7"
