"""Agents that an agent starts: each a session of its own."""

from dataclasses import dataclass
from uuid import UUID

from planmode import turns
from planmode.core import events as ev
from planmode.core.errors import TurnOpenError
from planmode.core.permission import PermissionMode
from planmode.core.state import CallStatus
from planmode.core.titles import plan_title
from planmode.families import Family
from planmode.models import Claim, Session, Turn
from planmode.store import eventlog
from planmode.store.eventlog import Log
from prompts.rendering import escaped


@dataclass(frozen=True, slots=True)
class Task:
    """What the call ``call_id`` wants of an agent of the ``profile``.

    ``child`` is the session of one that has reported before, empty for a new one.
    """

    call_id: str
    profile: str
    text: str
    child: str = ""


def give(claim: Claim, task: Task) -> None:
    """Give the task to a child, and let the turn wait for its report: no worker is held.

    Raises:
        TurnOpenError: the child is at work, or its log says so.
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        child_id = _again(task) if task.child else _started(log, task)
        log.add(ev.ChildStarted(str(child_id), task.call_id, task.profile, task.text))
        turns.wait_again(claim)


def cancel(log: Log) -> None:
    """End the turn of the child that the open turn of ``log`` waits for, if it waits for one."""
    for pending in log.state.turn.calls:
        if pending.status is CallStatus.WAITING and pending.card in log.state.children:
            _end(log, UUID(pending.card))


def _started(log: Log, task: Task) -> UUID:
    """Start a child: of its parent's permissions it gets what forbids, never what allows."""
    parent, state = log.session, log.state
    child = Session(
        project=parent.project,
        owner=parent.owner,
        title=plan_title(task.text),
        workspace=parent.workspace,
        model=parent.model,
        parent=parent,
    )
    started = ev.SessionStarted(
        parent.project.name,
        parent.workspace,
        parent.model,
        state.preset,
        PermissionMode.MANUAL,
        parent.owner_id,
        rules=state.rules,
        parent=str(parent.pk),
        profile=task.profile,
    )
    with eventlog.creating(child) as own:
        own.add(started)
        _say(own, task)
    return child.pk


def _again(task: Task) -> UUID:
    with eventlog.writing(UUID(task.child)) as own:
        if own.state.turn.open:
            raise TurnOpenError("this agent is still at work: start another one")
        _say(own, task)
    return UUID(task.child)


def _say(own: Log, task: Task) -> None:
    # The words of an agent: nothing in them may read like the program's own.
    own.add(ev.MessagePosted(escaped(task.text), origin=ev.Origin.AGENT))
    turns.queue_turn(own)


def _end(parent: Log, child_id: UUID) -> None:
    with eventlog.writing(child_id) as own:
        turn = Turn.objects.select_for_update().filter(session=own.session).open().first()
        if turn is not None:
            ended = ev.TurnEnded(turn.number, ev.TurnState.CANCELLED)
            turns.close_turn(Family(own, parent), turn, ended)
