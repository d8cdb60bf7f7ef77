"""What one command may use, with all that it starts."""

import os
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MIB: Final = 1024 * 1024
_MORE_ADDRESSES: Final = 32
"""Runtimes reserve far more addresses than they fill: Java and WebAssembly start with gigabytes."""
_GRACE_S: Final = 5
"""Seconds between the signal that names the reason and the one that can't be caught."""
_SIGNALLED: Final = 128
_APART_SINCE: Final = (5, 14)
"""Since this kernel a namespace's processes are counted apart from all others of the same user."""


class Limit(StrEnum):
    """What a command can have too much of."""

    TIME = "time"
    OUTPUT = "output"
    CPU = "cpu"
    MEMORY = "memory"
    PROCESSES = "processes"
    FILE_SIZE = "file_size"
    OPEN_FILES = "open_files"


_SAYING: Final = {
    Limit.MEMORY: re.compile(
        r"MemoryError|bad_alloc|(cannot|can't|could not|failed to) allocate|"
        r"out of memory|memory exhausted|OutOfMemory|No space left on device",
        re.IGNORECASE,
    ),
    Limit.PROCESSES: re.compile(
        r"fork\b.*(temporarily unavailable|retry)|can't start new thread|cannot fork", re.IGNORECASE
    ),
    Limit.FILE_SIZE: re.compile(r"file size limit exceeded|file too large", re.IGNORECASE),
    Limit.OPEN_FILES: re.compile("too many open files", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A limit as kernel and shell know it.

    ``name`` stands in /proc/PID/limits, ``flag`` is the shell's, which counts in ``unit`` bytes.
    """

    name: str
    number: int
    flag: str
    soft: int
    hard: int
    unit: int = 1

    def commands(self) -> Iterator[str]:
        """Yield what sets it; a limit that this process has itself is never raised."""
        for kind, value in (("S", self.soft), ("H", self.hard)):
            yield f"ulimit -{kind}{self.flag} {self.possible(value) // self.unit}"

    def possible(self, value: int) -> int:
        """Return ``value``, or this process's own limit where that is lower."""
        own = resource.getrlimit(self.number)[1]
        return value if own == resource.RLIM_INFINITY else min(value, own)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command's processes may use: the kernel holds each to it, the watch all together.

    ``cpu_s`` is in seconds, ``memory`` and ``file_size`` in bytes; each thread is a process.
    """

    cpu_s: int = 600
    memory: int = 2048 * MIB
    processes: int = 512
    file_size: int = 1024 * MIB
    open_files: int = 4096

    def call(self, shell: str, command: str, *, apart: bool) -> list[str]:
        """Return the call that runs ``command`` in ``shell`` under these limits.

        The shell limits itself and then becomes the one that runs it: between fork and exec no
        Python may run in a process with threads. Where memory runs out on the whole machine, the
        command goes first. ``apart``: it has a namespace of its own.
        """
        steps = [step for row in self.rows(shell, apart=apart) for step in row.commands()]
        steps += ['exec "$0" -c "$1"']
        script = "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; " + " && ".join(steps)
        return [shell, "-c", script, shell, command]

    def rows(self, shell: str, *, apart: bool) -> list[Row]:
        """Return what the kernel holds each process of a command to.

        Data and not addresses are what memory means: what is reserved and never written costs
        nothing. Processes are counted where they are counted ``apart`` alone: elsewhere all of
        this user's count, also the server's own.
        """
        bash = shell.endswith("bash")
        addresses = self.memory * _MORE_ADDRESSES
        rows = [
            _row("cpu time", resource.RLIMIT_CPU, "t", self.cpu_s, more=_GRACE_S),
            _row("data size", resource.RLIMIT_DATA, "d", self.memory, unit=1024),
            _row("address space", resource.RLIMIT_AS, "v", addresses, unit=1024),
            _row(
                "file size", resource.RLIMIT_FSIZE, "f", self.file_size, unit=1024 if bash else 512
            ),
            _row("open files", resource.RLIMIT_NOFILE, "n", self.open_files),
            _row("core file size", resource.RLIMIT_CORE, "c", 0),
        ]
        if apart and _counted_apart():
            flag = "u" if bash else "p"
            rows.append(_row("processes", resource.RLIMIT_NPROC, flag, self.processes))
        return rows

    def told(self, limit: Limit) -> str:
        """Return how much of it a command may use, in words."""
        return {
            Limit.TIME: "its time",
            Limit.OUTPUT: "the output that a command may have",
            Limit.CPU: f"{self.cpu_s} s of CPU time",
            Limit.MEMORY: f"{self.memory // MIB} MiB of memory",
            Limit.PROCESSES: f"{self.processes} processes and threads",
            Limit.FILE_SIZE: f"{self.file_size // MIB} MiB in one file",
            Limit.OPEN_FILES: f"{self.open_files} open files",
        }[limit]


def of_exit(exit_code: int) -> Limit | None:
    """Return the limit whose signal ended a command, as its exit code tells."""
    signalled = {_SIGNALLED + 24: Limit.CPU, _SIGNALLED + 25: Limit.FILE_SIZE}  # XCPU, XFSZ
    return signalled.get(exit_code)


def suspected(output: str) -> Limit | None:
    """Return the limit that a failed command seems to speak of; what it says is not trusted."""
    return next((limit for limit, words in _SAYING.items() if words.search(output)), None)


def _row(name: str, number: int, flag: str, value: int, **fields: int) -> Row:
    hard = value + fields.get("more", 0)
    return Row(f"Max {name}", number, flag, value, hard, fields.get("unit", 1))


def _counted_apart() -> bool:
    return tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) >= _APART_SINCE
