"""Says that a process works on turns."""

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from django.db import Error as DatabaseError
from django.db import connection
from django.db.models.functions import Now

from planmode.models import Heartbeat

logger = logging.getLogger(__name__)

BEAT_S: Final = 2.0
"""Seconds between two beats."""
_LONG_AGO: Final = timedelta(days=1)


def beat(worker: str, *, address: str = "") -> None:
    """Note that ``worker`` is alive now, by the database's clock.

    ``address`` is the URL of the pages that the same process serves, when it serves some.
    """
    Heartbeat.objects.bulk_create(
        [Heartbeat(worker=worker, address=address, seen_at=Now())],
        update_conflicts=True,
        unique_fields=["worker"],
        update_fields=["seen_at", "address"],
    )


def forget(worker: str) -> None:
    """Drop ``worker``, which ends, and whoever ended long ago without a word."""
    Heartbeat.objects.filter(pk=worker).delete()
    Heartbeat.objects.filter(seen_at__lt=Now() - _LONG_AGO).delete()


class Pulse:
    """Beats for a worker in a thread of its own, from ``start`` to ``stop``."""

    def __init__(self, worker: str) -> None:
        """Prepare to beat as ``worker``."""
        self._worker = worker
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="heartbeat")

    def start(self) -> None:
        """Beat from now on, every two seconds."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more, and be forgotten."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        self._say(beat)
        while not self._ended.wait(BEAT_S):
            self._say(beat)
        self._say(forget)

    def _say(self, what: Callable[[str], None]) -> None:
        try:
            what(self._worker)
        except DatabaseError as error:
            logger.warning("no heartbeat of %s: %s", self._worker, error)
        finally:
            connection.close()  # a pool process that forks from here must not inherit it
