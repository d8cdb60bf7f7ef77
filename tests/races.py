"""Many threads at the same moment, each with a connection of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.db import connection

from planmode.core.errors import DomainError


def together(acts: Sequence[Callable[[], object]]) -> list[object]:
    """Let a thread for each of ``acts`` begin at the same moment; return results, or refusals."""
    barrier = threading.Barrier(len(acts))

    def one(act: Callable[[], object]) -> object:
        try:
            barrier.wait()
            return act()
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def at_once(act: Callable[[int], object], times: int) -> list[object]:
    """Let ``times`` threads do ``act`` with their number at the same moment."""
    return together([partial(act, number) for number in range(times)])
