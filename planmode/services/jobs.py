"""Ending what an agent left running or scheduled."""

from typing import Final
from uuid import UUID

from planmode import schedules
from planmode.core.background import TaskState
from planmode.store import background

STOP_S: Final = 2.0
"""Seconds that a person waits for a background task to end."""


def stop_task(session_id: UUID, number: int) -> bool:
    """End a background task with all that it started; return whether it has ended by now.

    One that takes longer than two seconds to end, or that runs on another host, ends soon.

    Raises:
        TaskUnknownError: the session has no background task of that number.
    """
    task = background.find(session_id, number)
    return task.state != TaskState.RUNNING or background.stop(task, within_s=STOP_S)


def delete_schedule(session_id: UUID, number: int) -> None:
    """End a schedule: its prompt is not given any more.

    Raises:
        SessionUnknownError: no such session.
        ScheduleUnknownError: it has no active schedule of that number.
    """
    schedules.delete(session_id, number)
