"""Rows of background tasks: what is held, and what cleared away."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from planmode.core.background import Exit
from planmode.models import BackgroundTask
from planmode.store import background
from planmode.store.background import MOST_KEPT, NewTask
from planmode.store.taskfiles import Output
from tests.jobs import Desk

pytestmark = pytest.mark.django_db

NEW = NewTask("call-1", "make", sandboxed=False, limit_s=60, mark="")


@pytest.fixture
def desk(operator: User) -> Desk:
    return Desk(operator)


def printed(desk: Desk) -> BackgroundTask:
    """Return a task that has printed something."""
    task = background.begin(desk.claim, NEW)
    background.files(task).make()
    Output(background.files(task)).take(b"x")
    return task


def test_numbers_count_in_each_session(desk: Desk, operator: User) -> None:
    other = Desk(operator)
    numbers = [background.begin(claim, NEW).number for claim in (desk.claim, other.claim) * 2]
    assert numbers == [1, 1, 2, 2]
    assert str(BackgroundTask.objects.latest("pk")) == f"task 2 of {other.play.id}: running"


def test_the_oldest_outputs_go_but_never_that_of_one_that_runs(desk: Desk) -> None:
    runs, old = printed(desk), printed(desk)
    background.end(old, Exit(0, None, 1, timezone.now()))
    for _ in range(MOST_KEPT):
        background.end(printed(desk), Exit(0, None, 1, timezone.now()))
    assert background.files(old).read(0, 10).size == 0
    assert background.files(runs).read(0, 10).size == 1
    assert background.files(background.find(desk.play.id, 3)).read(0, 10).size == 1


@pytest.mark.parametrize(
    "impossible",
    [
        {"state": "asleep", "ended_at": "now"},
        {"state": "lost"},
        {"ended_at": "now"},
        {"state": "done", "ended_at": "now"},
        {"state": "done", "ended_at": "now", "exit_code": 1},
    ],
)
def test_the_database_holds_what_must_hold(desk: Desk, impossible: dict[str, object]) -> None:
    task = background.begin(desk.claim, NEW)
    fields = {key: timezone.now() if value == "now" else value for key, value in impossible.items()}
    with pytest.raises(IntegrityError), transaction.atomic():
        BackgroundTask.objects.filter(pk=task.pk).update(**fields)


def test_a_number_is_given_once(desk: Desk) -> None:
    task = background.begin(desk.claim, NEW)
    task.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        task.save(force_insert=True)
