"""Tells workers that a turn is due."""

import atexit
import logging
import queue
import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Final

from celery import current_app
from django.db import transaction

logger = logging.getLogger(__name__)

SEND_S: Final = 0.5
EXIT_S: Final = 2 * SEND_S
"""Seconds that a process which ends waits until its last wake-ups are in line, and gone."""
MOST_WAITING: Final = 1000
IMPATIENT: Final = {
    "socket_timeout": SEND_S,
    "socket_connect_timeout": SEND_S,
    "max_retries": 0,  # kombu's own, which retry=False does not reach: seconds, in the caller
}
"""For the connection that sends only: a worker's own waits longer, and tries again."""
_END: Final = None


def wake(turn_id: int) -> None:
    """Publish, once this transaction is committed, that the turn is due."""
    transaction.on_commit(partial(publish, turn_id))


def publish(turn_id: int) -> None:
    """Have a worker told, from another thread: the caller never waits and sees no error."""
    _publisher.put(turn_id)


def send(turn_ids: Iterable[int]) -> bool:
    """Tell workers of one turn after the other, now; return whether the broker took all of them.

    The first failure, after half a second of silence, is the last: the others would wait as long,
    and the sweeper finds them all. By name: nothing below the tasks imports them. They do not
    expire: an expiry is a time by the sender's clock, and a worker's may be another.
    """
    try:
        with current_app.connection_for_write(transport_options=IMPATIENT) as connection:
            for turn_id in turn_ids:
                current_app.send_task(
                    "planmode.tasks.run_slice",
                    args=[turn_id],
                    connection=connection,
                    retry=False,
                )
    except Exception as error:  # noqa: BLE001 - any broker trouble; the sweeper finds the rows
        logger.warning("turns are due, but the broker does not take wake-ups: %s", error)
        return False
    return True


class Publisher:
    """Sends wake-ups from a thread of its own, which begins with the first one."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        """Prepare to hold so many wake-ups that are not sent yet."""
        self._waiting: queue.Queue[int | None] = queue.Queue(most_waiting)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, turn_id: int) -> None:
        """Send it soon; where too many wait already it is left to the sweeper."""
        self._begin()
        try:
            self._waiting.put_nowait(turn_id)
        except queue.Full:
            logger.warning("turn %s is due, but too many wake-ups wait", turn_id)

    def end(self, within_s: float = EXIT_S) -> None:
        """Send what waits, as far as ``within_s`` allows; the next one begins anew."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None and thread.is_alive():
            with suppress(queue.Full):
                self._waiting.put(_END, timeout=within_s)
            thread.join(within_s)

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # a forked child has none
                self._thread = threading.Thread(target=self._work, daemon=True, name="wake-ups")
                self._thread.start()

    def _work(self) -> None:
        """Send over one connection until it fails; then drop what waits, and begin anew."""
        while (first := self._waiting.get()) is not _END:
            if send(chain([first], iter(self._waiting.get, _END))):
                return
            self._drop()

    def _drop(self) -> None:
        with suppress(queue.Empty):
            while self._waiting.get_nowait() is not _END:
                pass
            self._waiting.put_nowait(_END)


_publisher = Publisher()
end = _publisher.end
atexit.register(end)
