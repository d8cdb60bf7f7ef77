"""Going back: again, to an earlier message, or as another session."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from planmode import modes, turns
from planmode.core import events as ev
from planmode.core.errors import (
    ForkRefusedError,
    RetryRefusedError,
    StoredDataError,
    TurnOpenError,
    UndoRefusedError,
)
from planmode.core.failures import may_be_retried
from planmode.core.history import beginnings, living, plan_file
from planmode.models import Session, Turn
from planmode.services.steering import steered
from planmode.signals import Logged
from planmode.store import blobs, eventlog, planfiles, revisions
from planmode.store.eventlog import Log
from prompts.rendering import reminder, render

_AT_WORK: Final = frozenset({ev.TurnState.QUEUED, ev.TurnState.RUNNING})


def retry_turn(session_id: UUID, *, by: User) -> None:
    """Let the agent go on after a turn that failed, was cancelled, or was halted.

    Nobody says anything new: only where the agent had the last word it is told to go on.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        TurnOpenError: the agent is at work.
        RetryRefusedError: the newest turn came to its own end, or was taken back.
    """
    with steered(session_id) as log:
        turn = _newest(log)
        if turn is not None:
            _check_ended(turn)
        if turn is None or not may_be_retried(turn.state, turn.reason):
            raise RetryRefusedError("the newest turn came to its own end: say something instead")
        if _is_taken_back(log, turn):
            raise RetryRefusedError("this turn was taken back: say something instead")
        if log.state.turn.open:  # its row alone says that it failed
            log.add(ev.TurnEnded(turn.number, ev.TurnState(turn.state), turn.reason))
        if log.state.turn.replied and not log.state.turn.called:
            text = reminder(render("messages/go_on"))
            log.add(ev.MessagePosted(text, author=by.pk, origin=ev.Origin.INJECTION))
        turns.queue_turn(log)


def undo(session_id: UUID, to: int, *, by: User) -> None:
    """Take back the message with the number ``to``, which began a turn, and all that followed.

    The plan of that moment comes back, too, as it then was. What was submitted stays: version
    numbers are never used twice, and what was decided was decided. Files of the workspace stay as
    they are.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        TurnOpenError: the agent is at work.
        UndoRefusedError: no message of that number can be taken back, or the text that the plan
            then had was not kept.
    """
    with steered(session_id) as log:
        turn = _newest(log)
        if turn is not None:
            _check_ended(turn)
        past = [logged.event for logged in eventlog.read(session_id)]
        if to not in beginnings(past):
            raise UndoRefusedError(
                f"number {to} is no message that began a turn, or it was taken back, compacted "
                "away or said in another session"
            )
        log.add(ev.ConversationUndone(to, by=by.pk))
        _put_plan_back(log, past[: to - 1])


def fork(session_id: UUID, *, by: User, at: int | None = None) -> UUID:
    """Start a session of ``by`` whose log begins as this one's does, up to number ``at``.

    Without ``at`` it is the whole log. An open plan goes on under an id and in a file of its own;
    the workspace is the same. What waited for a person is cut; nothing is due in the new session.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        TurnOpenError: a worker has the session's turn, or soon will.
        ForkRefusedError: the log has no event of that number, or the plan's text of that moment
            was not kept.
    """
    with steered(session_id) as source:
        turn = _newest(source)
        if turn is not None and turn.state in _AT_WORK:
            raise TurnOpenError("the agent is at work: interrupt it, or wait until it has ended")
        seq = source.seq if at is None else at
        if not 1 <= seq <= source.seq:
            raise ForkRefusedError(f"the log has the numbers 1 to {source.seq}")
        past = eventlog.read(session_id, limit=seq)
        copy = _copy(source.session, by)
        with eventlog.copying(copy, past) as log:
            _begin(log, source.session, past, by)
    return copy.pk


def compact(session_id: UUID, summary: str) -> None:
    """Let ``summary`` stand for the conversation so far in what the model is sent.

    Raises:
        SessionUnknownError: no such session.
        TurnOpenError: the agent is at work.
    """
    with eventlog.writing(session_id) as log:
        turn = _newest(log)
        if turn is not None:
            _check_ended(turn)
        log.add(ev.ContextCompacted(summary))


def _newest(log: Log) -> Turn | None:
    return Turn.objects.filter(session=log.session).order_by("-number").first()


def _check_ended(turn: Turn) -> None:
    if not ev.TurnState(turn.state).ended:
        raise TurnOpenError(
            "the agent is at work or waits for an answer: interrupt it first, on the session's page"
        )


def _is_taken_back(log: Log, turn: Turn) -> bool:
    kept = living([logged.event for logged in eventlog.read(log.session.pk)])
    return not any(isinstance(e, ev.TurnQueued) and e.number == turn.number for _, e in kept)


def _copy(source: Session, by: User) -> Session:
    return Session(
        project=source.project,
        owner=by,
        title=source.title,
        workspace=source.workspace,
        model=source.model,
    )


def _begin(log: Log, source: Session, past: Sequence[Logged], by: User) -> None:
    """Add what the fork does not share with its source: the plan's identity and file."""
    plan = log.state.plan
    new_id = modes.new_plan_id(log.state) if plan.active else None
    log.add(ev.SessionForked(str(source.pk), len(past), new_id, by=by.pk))
    if new_id is None or plan.plan_id is None:
        return
    try:
        content = _bytes_of(source, [logged.event for logged in past], plan.plan_id)
    except StoredDataError as error:
        raise ForkRefusedError(
            "the plan's text of that moment was not kept: fork at another number"
        ) from error
    if content is not None:
        planfiles.keep(log.session.pk, new_id, content)
        sha256 = revisions.sha256(content)
        log.add(ev.PlanFileWritten(new_id, sha256, len(content), by=plan.edited_by))


def _put_plan_back(log: Log, past: Sequence[ev.Event]) -> None:
    """Give the plan that is open again the bytes that the log tells of that moment."""
    plan_id = log.state.plan.plan_id
    if plan_id is None or planfiles.kept(log.session.pk, plan_id) is None:
        return
    try:
        content = _bytes_of(log.session, past, plan_id)
    except StoredDataError as error:
        raise UndoRefusedError(
            "the plan's text of that moment was not kept: go back to another message"
        ) from error
    # Without a text the file is emptied, not forgotten: nothing would replace what lies there.
    planfiles.keep(log.session.pk, plan_id, content or b"")


def _bytes_of(session: Session, past: Sequence[ev.Event], plan_id: str) -> bytes | None:
    """Return the bytes that ``plan_id`` had after ``past``, ``None`` when it had none.

    Raises:
        StoredDataError: they were not kept.
    """
    written = plan_file(past, plan_id)
    if written is None:
        return None
    newest = planfiles.kept(session.pk, plan_id)
    if newest is not None and revisions.sha256(newest) == written.sha256:
        return newest
    return blobs.store().get(written.sha256)
