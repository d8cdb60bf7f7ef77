"""The database wrapper: this process's writers take turns."""

import threading
from collections import deque
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError


class WriteQueue:
    """A first-in-first-out lock.

    SQLite lets waiting writers poll; of eight, some starved for seconds. Within one process a
    queue is fair, and nobody polls; other processes still meet SQLite's own lock and time-out.
    """

    def __init__(self) -> None:
        """Start with nobody writing."""
        self._guard = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._busy = False

    def acquire(self, patience_s: float) -> None:
        """Wait until it is this thread's turn.

        Raises:
            OperationalError: it was not within ``patience_s`` seconds.
        """
        with self._guard:
            if not self._busy:
                self._busy = True
                return
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(patience_s):
            return
        with self._guard:
            if turn.is_set():  # handed over in the last moment
                return
            self._waiting.remove(turn)
        raise OperationalError("database is busy: other writers did not finish in time")

    def release(self) -> None:
        """Hand over to who has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._busy = False


WRITERS = WriteQueue()


class DatabaseWrapper(base.DatabaseWrapper):
    """SQLite, where each transaction of this process waits in one queue."""

    _holds_turn = False

    def _start_transaction_under_autocommit(self) -> None:
        WRITERS.acquire(self.settings_dict["OPTIONS"].get("timeout", 5))
        self._holds_turn = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._hand_over()
            raise

    def _hand_over(self) -> None:
        if self._holds_turn:
            self._holds_turn = False
            WRITERS.release()

    def _commit(self) -> Any:  # noqa: ANN401 - the signature is Django's
        result = super()._commit()  # type: ignore[misc]
        self._hand_over()
        return result

    def _rollback(self) -> Any:  # noqa: ANN401 - the signature is Django's
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._hand_over()

    def _close(self) -> Any:  # noqa: ANN401 - the signature is Django's
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._hand_over()
