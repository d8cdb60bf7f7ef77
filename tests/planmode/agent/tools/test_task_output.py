"""TaskOutput: state and new output, piece by piece."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode.agent import background, identity
from planmode.agent.tools.task_output import MOST_OUTPUT
from planmode.core.background import Exit
from planmode.models import BackgroundTask
from planmode.store import background as rows
from planmode.store.background import NewTask
from planmode.store.taskfiles import SEGMENT, Output
from tests.jobs import Desk, ended, printed

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(operator: User) -> Desk:
    return Desk(operator)


def printing(desk: Desk, content: bytes) -> BackgroundTask:
    """Return a task that runs and has printed ``content``."""
    task = rows.begin(desk.claim, NewTask("c", "x", sandboxed=False, limit_s=60, mark=""))
    rows.files(task).make()
    rows.note_follower(task, identity.own())
    Output(rows.files(task)).take(content)
    return task


def test_what_a_command_prints_is_read_while_it_runs_and_after(desk: Desk) -> None:
    task = desk.begin("echo one; sleep 600")
    assert printed(task, "one")
    assert desk.text("TaskOutput", task=1) == (
        "Task 1 is running\nOutput from byte 0 to 4 of 4; next offset: 4\none\n"
    )
    assert desk.text("TaskOutput", task=1, offset=4).endswith("next offset: 4\n(nothing new)")
    assert background.stop(task)
    assert desk.text("TaskOutput", task=1).startswith("Task 1 is stopped (stopped)\n")


def test_an_exit_code_is_told(desk: Desk) -> None:
    ended(desk.begin("echo no >&2; exit 3"))
    assert desk.text("TaskOutput", task=1) == (
        "Task 1 is failed, exit code 3\nOutput from byte 0 to 3 of 3; next offset: 3\nno\n"
    )


def test_a_piece_is_bounded(desk: Desk) -> None:
    printing(desk, b"x" * (MOST_OUTPUT + 5))
    text = desk.text("TaskOutput", task=1)
    assert f"from byte 0 to {MOST_OUTPUT} of {MOST_OUTPUT + 5}; next offset: {MOST_OUTPUT}" in text
    assert desk.text("TaskOutput", task=1, offset=MOST_OUTPUT).endswith("\nxxxxx")


def test_what_is_not_kept_is_told(desk: Desk) -> None:
    printing(desk, bytes(8 * SEGMENT) + b"end")
    text = desk.text("TaskOutput", task=1, offset=10)
    assert f"Output from byte {SEGMENT} to {SEGMENT + MOST_OUTPUT} of" in text
    assert f"(bytes 10 to {SEGMENT} are not kept)" in text


def test_half_a_character_waits_for_its_other_half(desk: Desk) -> None:
    task = printing(desk, "aé".encode()[:2])
    assert "from byte 0 to 1 of 2; next offset: 1\na" in desk.text("TaskOutput", task=1)
    rows.files(task).say_end(Exit(0, None, 2, timezone.now()))
    assert desk.text("TaskOutput", task=1, offset=1) == (
        "Task 1 is done, exit code 0\nOutput from byte 1 to 2 of 2; next offset: 2\n\ufffd"
    )


def test_a_number_that_is_none_of_the_session_s(desk: Desk, operator: User) -> None:
    printing(desk, b"x")
    other = Desk(operator)
    assert other.error("TaskOutput", task=1) == "there is no background task 1"
