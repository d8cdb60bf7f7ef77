"""What a command and its descendants use, seen from outside."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from planmode.agent.limits import Limit, Limits

_EVERY_S: Final = 0.05
_REST: Final = 4
"""A look is followed by a rest of so many times its length: it stays cheap for a large tree."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_HELD: Final = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB", re.MULTILINE)
_SHARE: Final = re.compile(rb"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB", re.MULTILINE)
_THREADS: Final = re.compile(rb"^Threads:\s+(\d+)", re.MULTILINE)


@dataclass(slots=True)
class Watch:
    """Looks at the tree below ``root``, this process's own child that nobody has reaped.

    The kernel's limits hold for one process each, and the number of processes not at all for the
    system's own user: what all of them use together is only seen by looking.
    """

    root: int
    limits: Limits
    due: float = 0.0

    def exceeded(self) -> Limit | None:
        """Return what the tree has too much of; looks only when a look is due."""
        began = time.monotonic()
        if began < self.due:
            return None
        found = self._look()
        ended = time.monotonic()
        self.due = ended + max(_EVERY_S, _REST * (ended - began))
        return found

    def _look(self) -> Limit | None:
        tree = descent(self.root, self.limits.processes)
        status = {pid: _read(pid, "status") for pid in tree}
        if sum(_total(_THREADS, text) for text in status.values()) > self.limits.processes:
            return Limit.PROCESSES
        if sum(map(cpu_s, tree)) > self.limits.cpu_s:
            return Limit.CPU
        if sum(map(held, status.values())) <= self.limits.memory:
            return None
        return Limit.MEMORY if sum(_shares(status)) > self.limits.memory else None


def watchable() -> bool:
    """Return whether this kernel names the children of a process."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def descent(root: int, most: int) -> list[int]:
    """Return ``root`` and its descendants; the walk ends once there are more than ``most``."""
    found = [root]
    for pid in found:  # grows while it is walked
        if len(found) > most:
            break
        found += _children(pid)
    return found


def _children(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, _read(pid, f"task/{task.name}/children").split())


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process, and of the children that it has waited for."""
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def held(status: bytes) -> int:
    """Return the bytes of memory that /proc/PID/status tells of, shared ones in full."""
    return _total(_HELD, status) * 1024


def _shares(status: dict[int, bytes]) -> Iterator[int]:
    """Yield bytes of memory, what several processes share divided among them.

    Counting that takes longer, and is worth it only where the plain sum, which counts shared
    pages once for each process, is too much.
    """
    for pid, text in status.items():
        rollup = _read(pid, "smaps_rollup")
        yield _total(_SHARE, rollup) * 1024 if rollup else held(text)


def _read(pid: int, name: str) -> bytes:
    """Return a file of /proc, nothing when the process is gone or not ours to see."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


def _total(pattern: "re.Pattern[bytes]", text: bytes) -> int:
    return sum(map(int, pattern.findall(text)))
