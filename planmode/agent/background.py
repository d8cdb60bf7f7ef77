"""Commands that go on after their call: started, looked at and ended."""

import logging
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone

from planmode.agent import identity
from planmode.agent.following import Prepared, kill_marked
from planmode.agent.sandbox import Sandbox
from planmode.agent.supervisor import ORDER, Order
from planmode.core.background import EndReason, Exit, is_lost
from planmode.models import BackgroundTask, Claim
from planmode.store import background as rows
from planmode.store.background import NewTask

logger = logging.getLogger(__name__)

STOP_S: Final = 10.0
"""Seconds that the follower of a command has to end it, before it is killed itself."""
_LAUNCH_S: Final = 30


@dataclass(frozen=True, slots=True)
class Command:
    """What is to go on in the background; ``cwd`` is the workspace, as in ``Sandbox.run``."""

    claim: Claim
    call_id: str
    text: str
    cwd: Path
    sandboxed: bool


def start(command: Command, sandbox: Sandbox) -> BackgroundTask:
    """Start the command, in the same sandbox and with the same limits as any other.

    Raises:
        SandboxError: as ``Sandbox.run``.
        OSError: it can't be started.
        TooManyJobsError: the session has enough of them.
        ClaimLostError: another worker holds the turn.
    """
    session_id = command.claim.session_id
    prepared = sandbox.prepared(command.text, command.cwd, sandboxed=command.sandboxed)
    look(BackgroundTask.objects.filter(session=session_id).running(), timezone.now())
    new = NewTask(
        command.call_id,
        command.text,
        sandboxed=command.sandboxed,
        limit_s=settings.TASK_LIMIT_S,
        mark=prepared.mark or "",
    )
    task = rows.begin(command.claim, new)
    try:
        _launch(task, prepared)
    except OSError:
        rows.end(task, Exit(None, EndReason.NOT_STARTED, 0, timezone.now()))
        raise
    who = rows.follower(task)
    if who is not None:
        rows.note_follower(task, who)
    return task


def _launch(task: BackgroundTask, prepared: Prepared) -> None:
    """Start the process that follows the command; it is nobody's child once this returns."""
    files = rows.files(task)
    files.make()
    try:
        subprocess.run(
            [sys.executable, "-m", "planmode.agent.supervisor"],
            input=ORDER.dump_json(Order(str(files.root), prepared, task.limit_s)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=settings.BASE_DIR,
            start_new_session=True,
            check=True,
            timeout=_LAUNCH_S,
        )
    except subprocess.SubprocessError as error:
        raise OSError("the process that would follow it did not start") from error


def look(tasks: Iterable[BackgroundTask], now: datetime) -> None:
    """Write down which of the ``tasks`` that run as far as is known have ended, and how."""
    for task in tasks:
        try:
            _look(task, now)
        except OSError as error:  # its folder does not answer: the others shall not wait for it
            logger.warning("task %s of %s can't be seen: %s", task.number, task.session_id, error)


def _look(task: BackgroundTask, now: datetime) -> None:
    if not _settled(task) and _lost(task, now) and not _settled(task):
        if task.mark:
            kill_marked(task.mark)  # without a sandbox they outlive what followed them
        rows.lose(task, now)


def _settled(task: BackgroundTask) -> bool:
    found = rows.files(task).end()
    if found is not None:
        rows.end(task, found)
    return found is not None


def _lost(task: BackgroundTask, now: datetime) -> bool:
    who = rows.follower(task)
    return is_lost(
        who,
        identity.here(),
        alive=who is not None and identity.alive(who),
        age_s=(now - task.started_at).total_seconds(),
        limit_s=task.limit_s,
    )


def stop(task: BackgroundTask) -> bool:
    """End the command with all that it started; return whether that is done.

    A follower on another host is asked by a file, and may need longer. One that is here and does
    not answer is killed, and what it follows with it.
    """
    if rows.stop(task, within_s=STOP_S):
        return True
    who = rows.follower(task)
    if who is None or not identity.alive(who):
        return False
    identity.kill(who)
    if task.mark:
        kill_marked(task.mark)
    size = rows.files(task).read(0, 0).size
    rows.end(task, Exit(None, EndReason.STOPPED, size, timezone.now()))
    return True
