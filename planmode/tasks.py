"""Celery's door: what comes twice, late, or never."""

import os
import socket
import threading
from datetime import timedelta
from typing import Final

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from planmode import schedules, wakeups
from planmode.agent import background, turn
from planmode.agent.stopping import STOPPING
from planmode.models import BackgroundTask, Turn

MOST_AT_ONCE: Final = 100
"""Turns that one sweep wakes, and background tasks that one looks at."""


@shared_task(acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def run_slice(turn_id: int) -> None:
    """Run the turn's next steps.

    Does nothing when the turn is not due or another worker holds it, so a second delivery is
    harmless; a delivery that never comes is made good by ``requeue_due_turns``. A process that is
    about to end takes no more turns.
    """
    if STOPPING.is_set():
        return
    lease = timedelta(seconds=settings.LEASE_S)
    claim = Turn.objects.claim(turn_id, worker=worker_name(), lease=lease)
    if claim is not None:
        turn.run(claim, until=turn.slice_end())


@shared_task(ignore_result=True)
def requeue_due_turns() -> None:
    """Wake the turns that are due: their wake-up was lost, it is time, or their worker died.

    The oldest only: each sweep sends them again, and a backlog shall not fill the broker.
    """
    due = Turn.objects.due().order_by("due_at").values_list("pk", flat=True)
    wakeups.send(list(due[:MOST_AT_ONCE]))


@shared_task(ignore_result=True)
def wake_due_schedules() -> None:
    """Give the scheduled prompts whose time has come, each once whoever else sweeps."""
    schedules.wake_due(timezone.now())


@shared_task(ignore_result=True)
def look_at_background_tasks() -> None:
    """Write down which background tasks have ended, or lost what followed them."""
    running = BackgroundTask.objects.running().order_by("?")  # no host keeps those of another away
    background.look(running[:MOST_AT_ONCE], timezone.now())


def worker_name() -> str:
    """Return who runs the slice: host, process and thread."""
    return f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident() % 100_000}"
