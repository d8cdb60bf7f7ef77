"""A Celery worker says that it lives, and stops softly."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from config import workers
from planmode import queries
from planmode.agent.stopping import STOPPING
from tests.factories import call, play, submits
from tests.processes import Login, TeamServer

pytestmark = pytest.mark.process

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


STEPS: Final = 20
STEP_S: Final = 1.5


def turn_of(team: TeamServer, owner: Login, session_id: str) -> dict[str, Any]:
    """Return the session's turn as the API tells it."""
    turn: dict[str, Any] = team.api("GET", f"/api/v1/sessions/{session_id}", owner)["turn"]
    return turn


def test_a_pools_process_hands_its_turn_back_at_the_steps_end(tmp_path: Path) -> None:
    """The signal goes to the parent alone, as a service manager sends it."""
    steps = {
        "tool_calls": [call("TodoList", items=[])],
        "latency_ms": int(STEP_S * 1000),
        "repeat": STEPS,
    }
    with TeamServer(tmp_path) as team:
        owner = team.people()["operator"]
        session_id = team.start_session(owner, team.script("slow", steps))
        deadline = time.monotonic() + SOON
        while turn_of(team, owner, session_id)["state"] != "running":
            assert time.monotonic() < deadline
        began = time.monotonic()
        for worker in team.workers:
            worker.send(signal.SIGTERM)
        assert [worker.wait() for worker in team.workers] == [0, 0]
        assert time.monotonic() - began < STEPS * STEP_S / 2
        assert turn_of(team, owner, session_id)["state"] == "queued"
