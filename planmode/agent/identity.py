"""Which process is which, also after its number was given to another."""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

from planmode.core.background import Identity, Place, can_be_seen

_DEAD = frozenset("ZXx")


def here() -> Place:
    """Return where this process's numbers mean something.

    Raises:
        OSError: this system doesn't say (it is no Linux).
    """
    boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    return Place(socket.gethostname(), f"{boot} {Path('/proc/self/ns/pid').readlink()}")


def own() -> Identity:
    """Return who this process is.

    Raises:
        OSError: this system doesn't say (it is no Linux).
    """
    started = _started(os.getpid())
    if started is None:
        raise ProcessLookupError("this process is not in /proc")
    return Identity(here(), os.getpid(), started)


def alive(process: Identity) -> bool:
    """Return whether it can be seen from here and still runs."""
    return can_be_seen(process, here()) and _started(process.pid) == process.started


def kill(process: Identity) -> None:
    """Kill exactly this process; nothing happens when it is gone."""
    with suppress(ProcessLookupError, PermissionError):
        handle = os.pidfd_open(process.pid)
        try:
            if alive(process):  # asked once the handle is there: it can't become another any more
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)


def _started(pid: int) -> int | None:
    """Return when the process started, in clock ticks; ``None`` when it runs no more."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    state, *rest = told.rpartition(")")[2].split()  # its name may hold blanks and brackets
    return None if state in _DEAD else int(rest[18])
