"""The poller's sweep wakes each due turn once."""

from django.contrib.auth.models import User
from pytest_django import Settings

from config.embedded import Sweep
from planmode import services
from tests.factories import call, play, submits


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
