"""A child's log together with that of the session that started it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from django.db.models.functions import Now

from planmode.core import events as ev
from planmode.core.state import waiting_for
from planmode.models import Claim, Session, Turn
from planmode.store import eventlog
from planmode.store.eventlog import Log
from planmode.wakeups import wake


@dataclass(frozen=True, slots=True)
class Family:
    """A session's log and, where an agent started it, the log of that agent's session."""

    log: Log
    parent: Log | None = None


@contextmanager
def opened(session_id: UUID, *, claim: Claim | None = None) -> Iterator[Family]:
    """Open the logs in one transaction, the parent's first: no two wait for each other.

    Raises:
        SessionUnknownError: no such session.
        ClaimLostError: another worker holds the turn; nothing was written.
    """
    with parent_opened(session_id) as parent, eventlog.writing(session_id, claim=claim) as log:
        yield Family(log, parent)


@contextmanager
def parent_opened(session_id: UUID) -> Iterator[Log | None]:
    """Open the log of the session that started this one, ``None`` where no agent did."""
    found = Session.objects.filter(pk=session_id).values_list("parent_id", flat=True).first()
    if found is None:
        yield None
        return
    with eventlog.writing(found) as parent:
        yield parent


def report(family: Family, ended: ev.TurnEnded) -> None:
    """Tell the parent, if there is one, how the child's turn ended."""
    if family.parent is not None:
        told = _last_answer(family.log)
        reported = ev.ChildReported(str(family.log.session.pk), told, ended.state, ended.reason)
        tell(family.parent, reported)


def tell(parent: Log, reported: ev.ChildReported) -> None:
    """Add the report to the log of a parent that waits for it; its turn is due then."""
    if waiting_for(parent.state, reported.child) is None:
        return
    parent.add(reported)
    # Whoever holds the turn at this moment has not seen the report: the turn is taken away.
    turns = Turn.objects.filter(session=parent.session).open()
    turns.update(state=ev.TurnState.QUEUED, due_at=Now(), lease_until=None)
    for turn in turns:
        wake(turn.pk)


def _last_answer(log: Log) -> str:
    """Return what the agent last said in this turn, nothing when it never came to that."""
    turn = log.state.turn
    if turn.steps <= 1 and not turn.replied:
        return ""
    return eventlog.last(log.session.pk, ev.ModelReplied).text
