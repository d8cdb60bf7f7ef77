"""The thread of this process in which connections to servers live."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

R = TypeVar("R")


class LoopThread:
    """An event loop in a thread of its own, which ends with the process.

    Whoever waits for something here waits as long as they like: a server that hangs can't keep
    the thread that runs a turn.
    """

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="outside tools", daemon=True).start()

    def start(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Begin ``work``; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)


_LOCK: Final = threading.Lock()
_RUNNING: Final[dict[int, LoopThread]] = {}


def loop() -> LoopThread:
    """Return this process's own: a thread does not live on in the processes that are forked."""
    with _LOCK:
        if os.getpid() not in _RUNNING:
            _RUNNING.clear()
            _RUNNING[os.getpid()] = LoopThread()
        return _RUNNING[os.getpid()]
