"""What people answer: the same turn is due again, in its transaction."""

from uuid import UUID

from django.db.models.functions import Now

from planmode import turns
from planmode.core import events as ev
from planmode.core.errors import NotWaitingError
from planmode.core.outcomes import Closure
from planmode.core.state import waiting_for
from planmode.models import Turn
from planmode.store import eventlog
from planmode.wakeups import wake


def resolve_plan(session_id: UUID, resolved: ev.PlanResolved) -> None:
    """Resolve the open review: plan mode changes now, and the turn is due again.

    Raises:
        SessionUnknownError: no such session.
        NotWaitingError: this review is not the open one.
    """
    with eventlog.writing(session_id) as log:
        if log.state.plan.review != resolved.review:
            raise NotWaitingError("this review is not open any more")
        _requeue(session_id)
        turns.resolve_review(log, resolved)


def expire_review(session_id: UUID, review: str) -> None:
    """Close the open review because its time is over: nothing is decided, plan mode stays on.

    The agent is told so, and its turn stops and waits for a person. A child's review does not
    exist, so there is nobody else to tell.

    Raises:
        SessionUnknownError: no such session.
        NotWaitingError: this review is not the open one.
    """
    with eventlog.writing(session_id) as log:
        if log.state.plan.review != review:
            raise NotWaitingError("this review is not open any more")
        _requeue(session_id)
        log.add(ev.PlanReviewClosed(review, Closure.EXPIRED))


def answer_question(session_id: UUID, answered: ev.QuestionAnswered) -> None:
    """Give the agent its answers.

    Raises:
        SessionUnknownError: no such session.
        NotWaitingError: the question is not open any more.
    """
    _answer(session_id, answered.question, answered)


def answer_approval(session_id: UUID, resolved: ev.ApprovalResolved) -> None:
    """Allow or refuse a tool call; an allowed one is judged once more when it runs.

    Raises:
        SessionUnknownError: no such session.
        NotWaitingError: the approval is not open any more.
    """
    _answer(session_id, resolved.approval, resolved)


def _answer(session_id: UUID, card: str, event: ev.Event) -> None:
    with eventlog.writing(session_id) as log:
        if waiting_for(log.state, card) is None:
            raise NotWaitingError("this was answered already, or is not asked any more")
        _requeue(session_id)
        log.add(event)


def _requeue(session_id: UUID) -> None:
    waiting = Turn.objects.filter(session_id=session_id, state=ev.TurnState.WAITING)
    turn = waiting.select_for_update().first()
    if turn is None:
        raise NotWaitingError("no turn of this session waits")
    waiting.update(state=ev.TurnState.QUEUED, due_at=Now())
    wake(turn.pk)
