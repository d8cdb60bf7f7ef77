"""Many threads at the same moment, each with a connection of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from planmode.core.errors import DomainError


def at_once(act: Callable[[int], object], times: int) -> list[object]:
    """Let ``times`` threads do ``act`` at the same moment; return results, or refusals."""
    barrier = threading.Barrier(times)

    def one(number: int) -> object:
        try:
            barrier.wait()
            return act(number)
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))
