"""Follows one command in the background, as a process of its own."""

import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from planmode.agent import identity
from planmode.agent.bubblewrap import SandboxError
from planmode.agent.following import Ending, Prepared, follow
from planmode.core.background import EndReason, Exit
from planmode.store.taskfiles import Output, TaskFiles

_LOOK_S: Final = 0.1
"""How often it looks whether somebody wants the command to end."""
_READY: Final = b"."


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be followed: ``folder`` is the task's, ``limit_s`` its time in seconds."""

    folder: str
    prepared: Prepared
    limit_s: float


ORDER: Final = TypeAdapter(Order)


def main() -> int:
    """Read an order from standard input; return as soon as its follower runs by itself.

    The follower has no parent that waits for it: no worker's end, and no slice's, is its own. It
    begins once it has written down who it is, so that it can be found whatever happens then.
    """
    order = ORDER.validate_json(sys.stdin.buffer.read())
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        return 0 if os.read(reading, 1) == _READY else 1
    os.close(reading)
    files = TaskFiles(Path(order.folder))
    files.say_who(identity.own())
    os.write(writing, _READY)
    os.close(writing)
    files.say_end(followed(order, files))
    return 0


def followed(order: Order, files: TaskFiles) -> Exit:
    """Run the command of ``order`` to its end; the output goes to ``files``, time is bounded."""
    output, over, done = Output(files), threading.Event(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: over.set())
    # The command is started from the main thread: it would die with the one that started it.
    threading.Thread(target=_watch, args=(files, over, done), daemon=True).start()
    try:
        ending = follow(order.prepared, output, timeout_s=order.limit_s, abandoned=over)
    except (SandboxError, OSError) as error:
        output.take(f"{error}\n".encode())
        return Exit(None, EndReason.NOT_STARTED, output.total, _now())
    finally:
        done.set()
    return Exit(ending.exit_code, _reason(ending, files), output.total, _now())


def _watch(files: TaskFiles, over: threading.Event, done: threading.Event) -> None:
    while not done.wait(_LOOK_S):
        if files.stop_asked():
            over.set()


def _reason(ending: Ending, files: TaskFiles) -> EndReason | None:
    if ending.limit is not None:
        return EndReason(ending.limit.value)
    if ending.exit_code is not None:
        return None
    return EndReason.STOPPED if files.stop_asked() else EndReason.TERMINATED


def _now() -> datetime:
    return datetime.fromtimestamp(time.time(), UTC)


if __name__ == "__main__":
    sys.exit(main())
