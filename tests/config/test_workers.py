"""A Celery worker says that it lives, and stops softly."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import pytest
from django.contrib.auth.models import User

from config import workers
from planmode import queries
from planmode.agent.turn import STOPPING
from tests.factories import play, submits

SOON: Final = 20.0


@dataclass(frozen=True)
class Consumer:
    """What Celery hands to ``worker_ready``."""

    hostname: str = "celery@here"


@pytest.fixture
def stopping() -> Iterator[None]:
    """Undo what is meant for a process that ends."""
    yield
    STOPPING.clear()


@pytest.mark.usefixtures("stopping")
def test_turns_are_left_in_the_queue_once_the_worker_stops(operator: User) -> None:
    work = play(operator, [submits()])
    workers.hand_back()
    assert work.work().turn.state == "queued"
    STOPPING.clear()
    assert work.work().turn.state == "waiting"


def first_seen() -> list[str]:
    """Return who is alive, as soon as anybody is."""
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        if seen := queries.workers_seen(timedelta(seconds=60)):
            return seen
    return []


@pytest.mark.django_db(transaction=True)
def test_a_worker_beats_from_ready_to_shutdown() -> None:
    workers.begin(Consumer())
    try:
        assert first_seen() == [f"celery@here:{os.getpid()}"]
    finally:
        workers.end()
    assert queries.workers_seen(timedelta(seconds=60)) == []
