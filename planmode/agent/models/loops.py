"""One long-lived event loop per thread, and the clients bound to it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Final, TypeVar

C = TypeVar("C")
R = TypeVar("R")


class ThreadLoop:
    """An event loop that one thread runs now and then, and the clients opened on it.

    A client's connections belong to the loop that opened them: with a loop for each call, every
    call would connect anew.
    """

    def __init__(self) -> None:
        self.busy = False
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._clients: dict[str, Any] = {}

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Return what ``work`` returns; raises what it raises."""
        return self._runner.run(work)

    async def client(self, key: str, make: Callable[[], AbstractAsyncContextManager[C]]) -> C:
        """Return the client of that key, made and opened the first time.

        Raises:
            Exception: whatever ``make`` or opening raises; nothing is kept then.
        """
        if key not in self._clients:
            self._clients[key] = await self._stack.enter_async_context(make())
        client: C = self._clients[key]
        return client

    def close(self) -> None:
        """Close the clients, then the loop."""
        with self._runner:
            self._runner.run(self._stack.aclose())


_LOOPS: Final[dict[threading.Thread, ThreadLoop]] = {}
_LOOPS_LOCK: Final = threading.Lock()  # guards _LOOPS, and each loop's ``busy``


def run(work: Callable[[ThreadLoop], Coroutine[Any, Any, R]]) -> R:
    """Run ``work`` on this thread's loop and return what it returns; raises what it raises."""
    loop = _taken()
    try:
        return loop.run(work(loop))
    finally:
        with _LOOPS_LOCK:
            loop.busy = False


def close_all() -> None:
    """Close every loop on which nothing runs; a later call opens a new one.

    For the end of a worker. Loops of threads that have ended are closed before that.
    """
    with _LOOPS_LOCK:
        _close_where(lambda _: True)


def _taken() -> ThreadLoop:
    thread = threading.current_thread()
    with _LOOPS_LOCK:
        if thread not in _LOOPS:
            _close_where(lambda other: not other.is_alive())
            _LOOPS[thread] = ThreadLoop()
        _LOOPS[thread].busy = True
        return _LOOPS[thread]


def _close_where(wanted: Callable[[threading.Thread], bool]) -> None:
    idle = [thread for thread, loop in _LOOPS.items() if not loop.busy and wanted(thread)]
    for thread in idle:
        _LOOPS.pop(thread).close()
