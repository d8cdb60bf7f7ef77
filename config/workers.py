"""What a Celery worker does beside its tasks."""

import os
from typing import Any, Final

from celery.signals import (
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from planmode import wakeups
from planmode.agent.models import loops
from planmode.agent.stopping import STOPPING
from planmode.store.heartbeats import Pulse

_pulses: Final[list[Pulse]] = []
"""That of this process, while its worker is ready."""


@worker_ready.connect
def begin(sender: Any, **_: object) -> None:  # noqa: ANN401 - Celery's consumer
    """Beat from now on."""
    pulse = Pulse(f"{sender.hostname}:{os.getpid()}")
    pulse.start()
    _pulses.append(pulse)


@worker_shutting_down.connect
def hand_back(**_: object) -> None:
    """Let the slices of this process and of its pool end at the next step's end."""
    STOPPING.set()


@worker_shutdown.connect
def end(**_: object) -> None:
    """Beat no more, and close the models' connections."""
    while _pulses:
        _pulses.pop().stop()
    loops.close_all()


@worker_process_shutdown.connect
def end_child(**_: object) -> None:
    """Send the last wake-ups of a pool's process: it ends without the interpreter's farewell."""
    wakeups.end()
