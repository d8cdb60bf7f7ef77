"""The poller's sweep wakes each due turn once."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from config.embedded import EmbeddedWorker, Sweep
from planmode import services
from planmode.models import Heartbeat, Schedule
from planmode.store import background
from tests.factories import call, play, submits
from tests.jobs import Desk, comes_true


def test_a_due_turn_is_woken_once_however_long_it_waits(operator: User, settings: Settings) -> None:
    turn, sweep = play(operator, [submits()]).turn, Sweep()
    assert sweep.fresh(100.0) == [turn.pk]
    assert sweep.fresh(100.5) == []
    assert sweep.fresh(100.0 + settings.SWEEP_S - 0.1) == []


def test_a_wake_up_that_seems_lost_is_repeated(operator: User, settings: Settings) -> None:
    turn, sweep = play(operator, [submits()]).turn, Sweep()
    sweep.fresh(100.0)
    assert sweep.fresh(100.0 + settings.SWEEP_S) == [turn.pk]
    assert sweep.fresh(100.5 + settings.SWEEP_S) == []


def test_a_turn_that_is_due_anew_is_woken_at_once(operator: User, settings: Settings) -> None:
    looks = {"tool_calls": [call("TodoList", items=[])]}
    work, sweep = play(operator, [looks, submits()]), Sweep()
    sweep.fresh(100.0)
    settings.SLICE_S = 0  # used up after one act: the turn is handed back
    work.work()
    assert sweep.fresh(100.5) == [work.turn.pk]


def test_a_turn_that_waits_is_left_alone(operator: User) -> None:
    work, sweep = play(operator, [submits()]).work(), Sweep()
    assert sweep.fresh(100.0) == []
    services.post_message(work.id, "Go on", author=operator)
    assert sweep.fresh(100.5) == []


def test_the_longest_due_is_woken_first(operator: User) -> None:
    turns = [play(operator, [submits()]).turn.pk for _ in range(3)]
    assert Sweep().fresh(100.0) == turns


@pytest.mark.django_db(transaction=True)
def test_the_poller_minds_the_clock_and_what_runs_in_the_background(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no beat beside it."""
    room = Desk(operator)
    room.text("CronCreate", cron="0 9 * * *", prompt="Look.")
    Schedule.objects.update(next_at=timezone.now())
    task = room.begin("exit 3")
    assert comes_true(lambda: background.files(task).end())
    worker = EmbeddedWorker("")
    monkeypatch.setattr(worker, "_ended", EndsAfter(2))
    worker._poll()  # noqa: SLF001 - what its thread does
    task.refresh_from_db()
    assert (task.state, task.exit_code) == ("failed", 3)
    assert Schedule.objects.get().last_at is not None
    assert not Heartbeat.objects.exists()


class EndsAfter:
    """An event that comes after so many looks, without a wait."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def wait(self, _: float) -> bool:
        """Count one look."""
        self.looks -= 1
        return self.looks < 0
