"""Rows of background tasks: begun, found and ended."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Max

from planmode.core.background import Exit, Identity, Place, TaskState, state_of
from planmode.core.errors import TaskUnknownError, TooManyJobsError
from planmode.models import BackgroundTask, Claim
from planmode.store import eventlog
from planmode.store.taskfiles import TaskFiles

MOST_RUNNING: Final = 8
"""Commands of one session that run in the background at the same time."""
MOST_KEPT: Final = 20
"""Tasks of one session whose output is kept."""
_LOOK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class NewTask:
    """A command as it is begun; ``limit_s`` in seconds, ``mark`` as in the row."""

    call_id: str
    command: str
    sandboxed: bool
    limit_s: int
    mark: str


def files(task: BackgroundTask) -> TaskFiles:
    """Return the task's folder, which is there once it was begun."""
    folder = settings.DATA_DIR / "sessions" / str(task.session_id) / "tasks" / str(task.number)
    return TaskFiles(folder)


def begin(claim: Claim, new: NewTask) -> BackgroundTask:
    """Write the row of a command that is about to start; the oldest outputs go.

    Raises:
        TooManyJobsError: so many run already.
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        tasks = BackgroundTask.objects.filter(session=log.session)
        if tasks.running().count() >= MOST_RUNNING:
            raise TooManyJobsError(f"{MOST_RUNNING} commands run in the background already")
        newest = tasks.aggregate(number=Max("number"))["number"] or 0
        task = BackgroundTask.objects.create(
            session=log.session,
            number=newest + 1,
            call_id=new.call_id[:200],
            command=new.command,
            sandboxed=new.sandboxed,
            limit_s=new.limit_s,
            mark=new.mark,
            started_at=log.now,
        )
        last = task.number - MOST_KEPT  # a few more are looked at: some of them may run long
        old = tasks.filter(number__gt=last - MOST_KEPT, number__lte=last)
        outdated = list(old.exclude(state=TaskState.RUNNING))
    for each in outdated:
        files(each).drop_output()
    return task


def note_follower(task: BackgroundTask, who: Identity) -> None:
    """Write which process follows the command."""
    BackgroundTask.objects.filter(pk=task.pk).update(
        host=who.place.host, spot=who.place.spot, pid=who.pid, pid_started=who.started
    )


def follower(task: BackgroundTask) -> Identity | None:
    """Return which process follows the command, by the row, or by its folder until that says so."""
    if task.pid is None:
        return files(task).who()
    return Identity(Place(task.host, task.spot), task.pid, task.pid_started)


def find(session_id: UUID, number: int) -> BackgroundTask:
    """Return the session's task ``number``.

    Raises:
        TaskUnknownError: there is none.
    """
    task = BackgroundTask.objects.filter(session_id=session_id, number=number).first()
    if task is None:
        raise TaskUnknownError(f"there is no background task {number}")
    return task


def end(task: BackgroundTask, found: Exit) -> None:
    """Write how the command ended, unless somebody else has."""
    BackgroundTask.objects.filter(pk=task.pk).running().update(
        state=state_of(found),
        exit_code=found.exit_code,
        reason=found.reason or "",
        size=found.size,
        ended_at=found.at,
    )


def lose(task: BackgroundTask, now: datetime) -> None:
    """Write that nobody knows how the command ended, unless somebody does."""
    size = files(task).read(0, 0).size
    running = BackgroundTask.objects.filter(pk=task.pk).running()
    running.update(state=TaskState.LOST, size=size, ended_at=now)


def stop(task: BackgroundTask, *, within_s: float) -> bool:
    """Ask for the command's end, and return whether it came ``within_s`` seconds."""
    folder = files(task)
    folder.ask_to_stop()
    deadline = time.monotonic() + within_s
    while (found := folder.end()) is None:
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK_S)
    end(task, found)
    return True
