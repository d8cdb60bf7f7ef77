"""The worker inside the server process, and its poller."""

import logging
import os
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from celery.worker import WorkController, state
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone

from config.celery import app
from planmode import tasks, wakeups
from planmode.agent.stopping import STOPPING
from planmode.models import Turn
from planmode.store import heartbeats
from reviews import tasks as desk
from reviews.models import Notice

logger = logging.getLogger(__name__)

THREADS: Final = 4
POLL_S: Final = 0.5
NO_TURN: Final = 0
NAME: Final = f"serve@localhost:{os.getpid()}"


class EmbeddedWorker:
    """Runs turns in threads of this process, from ``start`` to ``stop``."""

    def __init__(self, address: str) -> None:
        """Prepare, nothing runs yet; ``address`` is the URL of the pages that are served here."""
        self._address = address
        self._worker = WorkController(
            app=app,
            hostname="serve@localhost",
            pool_cls="threads",
            concurrency=THREADS,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._worker.start, daemon=True, name="worker"),
            threading.Thread(target=self._poll, daemon=True, name="poller"),
        ]

    def start(self) -> None:
        """Take turns from now on."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Take no more turns; those that run are handed back at the next step's end."""
        STOPPING.set()
        self._ended.set()
        # Celery's way to stop a worker from outside: its own thread looks, and stops itself. (Its
        # types know the value of the start only.)
        state.should_stop = os.EX_OK  # type: ignore[assignment]
        wakeups.send([NO_TURN, NO_TURN])  # it looks between two messages, or every two seconds

    def join(self, deadline: float) -> bool:
        """Wait until everything has ended, or ``deadline`` (monotonic seconds); return whether."""
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _poll(self) -> None:
        """Find what other processes wrote, and say that this one is alive."""
        sweep = Sweep()
        beat_at = sweep_at = 0.0
        while not self._ended.wait(POLL_S):
            now = time.monotonic()
            try:
                wakeups.send(sweep.fresh(now))
                if now >= beat_at:
                    heartbeats.beat(NAME, address=self._address)
                    beat_at = now + heartbeats.BEAT_S
                if now >= sweep_at:
                    sweep_at = now + settings.SWEEP_S
                    tasks.wake_due_schedules()
                    tasks.look_at_background_tasks()
                    look_at_notices()
                    desk.expire_reviews()
            except DatabaseError as error:
                logger.warning("the poller can't read the turns, trying on: %s", error)
                connection.close()
        self._say_goodbye()

    def _say_goodbye(self) -> None:
        try:
            heartbeats.forget(NAME)
        except DatabaseError as error:
            logger.warning("the heartbeat stays: %s", error)
        finally:
            connection.close()


def look_at_notices() -> None:
    """Note what expires soon; let a thread of the worker send what is due.

    A mail server that hangs holds that thread, and neither a turn's wake-up nor a request.
    """
    desk.tell_of_deadlines()
    if Notice.objects.due(timezone.now()).exists():
        desk.send_notices.apply_async()


@dataclass(slots=True)
class Sweep:
    """Finds due turns, each once.

    A turn is due until a worker claims it, which may take long while all of them are busy: waking
    it with every look would fill the broker. A claim raises the fencing number, so turn and number
    name one time of being due. A wake-up that was lost is repeated after SWEEP_S.
    """

    woken: dict[tuple[int, int], float] = field(default_factory=dict)

    def fresh(self, now: float) -> list[int]:
        """Return the turns to wake at ``now`` (monotonic seconds), the longest due first."""
        due = list(Turn.objects.due().order_by("due_at").values_list("pk", "fence"))
        before = now - settings.SWEEP_S
        fresh = [key for key in due if self.woken.get(key, before) <= before]
        self.woken = {key: self.woken[key] for key in due if key in self.woken}
        self.woken.update(dict.fromkeys(fresh, now))
        return [turn_id for turn_id, _ in fresh]
