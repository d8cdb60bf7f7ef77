"""Commands in the background: how they stand, and when one is lost."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

START_S: Final = 60.0
"""Seconds that may pass until the process that follows a command has said who it is."""
GRACE_S: Final = 60.0
"""Seconds over its limit after which a command that nobody can look at counts as lost."""


class TaskState(StrEnum):
    """How a background task stands; all but ``running`` are final."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    LOST = "lost"  # what followed it is gone without a word: nobody knows how it ended


class EndReason(StrEnum):
    """Why a command did not end as it would have by itself."""

    STOPPED = "stopped"  # somebody asked for it
    TERMINATED = "terminated"  # the host told its processes to end
    NOT_STARTED = "not_started"
    TIME = "time"  # from here on: what it had too much of
    OUTPUT = "output"
    CPU = "cpu"
    MEMORY = "memory"
    PROCESSES = "processes"
    FILE_SIZE = "file_size"
    OPEN_FILES = "open_files"


@dataclass(frozen=True, slots=True)
class Exit:
    """How a command ended, as the process that followed it wrote it down.

    ``exit_code`` is ``None`` when it was ended from outside; ``size`` counts the bytes of output,
    ``at`` is aware.
    """

    exit_code: int | None
    reason: EndReason | None
    size: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """Where process numbers mean something: ``spot`` is one start of a host and its namespace."""

    host: str
    spot: str


@dataclass(frozen=True, slots=True)
class Identity:
    """The process that follows a command; ``started`` is in clock ticks since its host's start.

    A number alone says nothing: after a while another process has it.
    """

    place: Place
    pid: int
    started: int


def state_of(found: Exit) -> TaskState:
    """Return the state of a task whose command ended like this."""
    if found.reason in {EndReason.STOPPED, EndReason.TERMINATED}:
        return TaskState.STOPPED
    return TaskState.DONE if found.exit_code == 0 else TaskState.FAILED


def can_be_seen(process: Identity, here: Place) -> bool:
    """Return whether its number means something ``here``."""
    return process.place == here


def is_lost(
    process: Identity | None, here: Place, *, alive: bool, age_s: float, limit_s: float
) -> bool:
    """Return whether a command without an ``Exit`` has lost the process that followed it.

    ``alive`` is what was seen, where it can be seen. A host of the same name with another start
    was started anew: nothing of before is left. Of other hosts only the time is known.
    """
    if process is None:
        return age_s > START_S
    if can_be_seen(process, here):
        return not alive
    return process.place.host == here.host or age_s > limit_s + GRACE_S
