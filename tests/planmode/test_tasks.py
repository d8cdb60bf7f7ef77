"""Deliveries that come twice, late, or at the end."""

import os
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from planmode import tasks, wakeups
from planmode.core import events as ev
from planmode.models import Schedule, Turn
from planmode.store import background
from tests import desk, faults
from tests.factories import play, submits
from tests.jobs import Desk, comes_true

pytestmark = pytest.mark.django_db

DONE = {"text": "Done."}


def test_a_second_delivery_changes_nothing(operator: User) -> None:
    session = play(operator, [submits(), DONE])
    tasks.run_slice(session.turn.pk)
    before = desk.log(session)
    tasks.run_slice(session.turn.pk)
    assert desk.log(session) == before
    assert session.turn.state == "waiting"


def test_a_delivery_for_a_turn_that_another_worker_holds(operator: User) -> None:
    session = play(operator, [DONE])
    Turn.objects.claim(session.turn.pk, worker="other", lease=timedelta(seconds=9))
    tasks.run_slice(session.turn.pk)
    assert not desk.every(session, ev.StepStarted)


def test_a_turn_whose_worker_died_is_taken_over(operator: User) -> None:
    session = play(operator, [DONE], plan=False)
    Turn.objects.claim(session.turn.pk, worker="dead", lease=timedelta(seconds=9))
    faults.lease_runs_out(session)
    tasks.run_slice(session.turn.pk)
    assert session.turn.state == "done"
    assert session.turn.fence == 2
    assert session.turn.worker == tasks.worker_name()


def test_a_delivery_of_a_turn_that_does_not_exist(db: None) -> None:
    tasks.run_slice(4711)


def test_a_process_that_is_about_to_end_takes_no_turn(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = play(operator, [DONE])
    monkeypatch.setattr(tasks, "STOPPING", AlwaysSet())
    tasks.run_slice(session.turn.pk)
    assert session.turn.state == "queued"


class AlwaysSet:
    """An event that happened long ago."""

    def is_set(self) -> bool:
        """Say so."""
        return True


def test_the_sweeper_wakes_exactly_what_is_due(
    operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[int] = []
    monkeypatch.setattr(wakeups, "send", woken.extend)
    due, lost, later, waiting, held = (play(operator, [submits(), DONE]) for _ in range(5))
    waiting.work()
    for session in (lost, held):
        Turn.objects.claim(session.turn.pk, worker="w", lease=timedelta(seconds=9))
    faults.lease_runs_out(lost)
    soon = Now() + timedelta(minutes=1)
    Turn.objects.filter(pk=later.turn.pk).update(due_at=soon)
    tasks.requeue_due_turns()
    assert sorted(woken) == sorted([due.turn.pk, lost.turn.pk])


def test_the_sweeper_gives_the_prompts_whose_time_has_come(operator: User) -> None:
    room = Desk(operator)
    room.text("CronCreate", cron="0 9 * * *", prompt="Look.")
    tasks.wake_due_schedules()
    assert len(desk.every(room.play, ev.MessagePosted)) == 1
    Schedule.objects.update(next_at=Now() - timedelta(seconds=1))
    tasks.wake_due_schedules()
    assert len(desk.every(room.play, ev.MessagePosted)) == 2


def test_the_sweeper_finds_what_has_ended_in_the_background(operator: User) -> None:
    task = Desk(operator).begin("exit 3")
    assert comes_true(lambda: background.files(task).end())
    tasks.look_at_background_tasks()
    task.refresh_from_db()
    assert (task.state, task.exit_code) == ("failed", 3)


def test_a_worker_says_which_process_it_is() -> None:
    assert f":{os.getpid()}:" in tasks.worker_name()
