"""The flag that says that this process is about to end."""

import mmap
from typing import Final


class SharedFlag:
    """A flag in memory that a process shares with those that it forks, without any lock.

    A pool's processes never hear of the signal that their parent got, and one that is killed while
    it holds a shared lock would leave it held for ever.
    """

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def set(self) -> None:
        """Raise it, in all of these processes."""
        self._byte[0] = 1

    def clear(self) -> None:
        """Lower it."""
        self._byte[0] = 0

    def is_set(self) -> bool:
        """Return whether it is raised."""
        return self._byte[0] == 1


STOPPING: Final = SharedFlag()
"""Set when this process, or the one it was forked from, is about to end.

Each slice hands its turn back at the step's end then.
"""
