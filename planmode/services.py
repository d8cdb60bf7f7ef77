"""Verbs of people on the agent's side, each one transaction."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models.functions import Now

from planmode import turns
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.errors import (
    MessageInvalidError,
    NoTurnError,
    NotWaitingError,
    ProjectUnknownError,
    SessionInvalidError,
)
from planmode.core.outcomes import Closure
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.core.state import waiting_for
from planmode.core.titles import plan_title
from planmode.core.wire import clean
from planmode.models import Session, Turn
from planmode.store import eventlog, workspaces
from planmode.wakeups import wake
from prompts.unseen import says_something

LONGEST_MESSAGE: Final = 256 * 1024
LONGEST_MODEL_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a session starts with; ``local`` says that a person on this machine asks."""

    project: str
    workspace: str
    prompt: str
    model: str
    preset: str = "kimi"
    permission_mode: str = PermissionMode.MANUAL.value
    plan: bool = True
    local: bool = False


def start_session(new: NewSession, *, owner: User) -> UUID:
    """Start a session with its first turn due; return its id.

    Raises:
        ProjectUnknownError: no such project.
        WorkspaceRefusedError: the workspace is not available.
        SessionInvalidError: model, preset or permission mode can't be used.
        MessageInvalidError: the prompt is blank or too large.
    """
    project = Project.objects.filter(name=new.project).first()
    if project is None:
        raise ProjectUnknownError(f"no project {new.project!r}")
    mode = _checked_mode(new)
    prompt = _checked_message(new.prompt)
    session = Session(
        project=project,
        owner=owner,
        title=plan_title(prompt),
        workspace=workspaces.checked(new.workspace, local=new.local),
        model=new.model,
    )
    with eventlog.creating(session) as log:
        log.add(
            ev.SessionStarted(
                project.name, session.workspace, new.model, new.preset, mode, owner.pk
            )
        )
        if new.plan:
            log.add(turns.entering(log.state, by=owner.pk))
        log.add(ev.MessagePosted(prompt, author=owner.pk))
        turns.queue_turn(log)
    return session.pk


def _checked_mode(new: NewSession) -> PermissionMode:
    if new.preset not in PRESETS:
        raise SessionInvalidError(f"no preset {new.preset!r}; there are: {', '.join(PRESETS)}")
    model = new.model
    if not model or len(model) > LONGEST_MODEL_NAME or not model.isprintable():
        raise SessionInvalidError("name a model, such as openai:gpt-5 or scripted:FILE")
    if model.startswith("scripted:") and not new.local and not _is_plain(model):
        raise SessionInvalidError("a scripted model is named by a file of SCRIPTS_DIR")
    try:
        return PermissionMode(new.permission_mode)
    except ValueError as error:
        names = ", ".join(PermissionMode)
        raise SessionInvalidError(
            f"no permission mode {new.permission_mode!r}; there are: {names}"
        ) from error


def _is_plain(model: str) -> bool:
    name = model.removeprefix("scripted:")
    return bool(name) and "/" not in name and "\\" not in name and not name.startswith(".")


def _checked_message(text: str) -> str:
    if not says_something(text):
        raise MessageInvalidError("the message is blank")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_MESSAGE:
        raise MessageInvalidError(f"the message has {size} bytes, the limit is {LONGEST_MESSAGE}")
    return clean(text)


def post_message(session_id: UUID, text: str, *, author: User) -> None:
    """Say something to the agent: the open turn takes it in at its next step, else a turn is due.

    Raises:
        SessionUnknownError: no such session.
        MessageInvalidError: the text is blank or over 256 KiB.
    """
    checked = _checked_message(text)
    with eventlog.writing(session_id) as log:
        log.add(ev.MessagePosted(checked, author=author.pk))
        if not log.state.turn.open:
            turns.queue_turn(log)


def cancel_turn(session_id: UUID) -> None:
    """End the open turn now: its worker's next write is refused, an open review is withdrawn.

    Plan mode stays as it is: only an explicit decision leaves it. What was said since the turn's
    first step, and not heard, gets a turn of its own; a turn that never began takes along all that
    it was to answer, until the next message.

    Raises:
        SessionUnknownError: no such session.
        NoTurnError: no turn is open.
    """
    with eventlog.writing(session_id) as log:
        turn = Turn.objects.select_for_update().filter(session_id=session_id).open().first()
        if turn is None:
            raise NoTurnError("the agent is not at work")
        if log.state.plan.review:
            log.add(ev.PlanReviewClosed(log.state.plan.review, Closure.WITHDRAWN))
        turns.close_turn(log, turn, ev.TurnEnded(turn.number, ev.TurnState.CANCELLED))
        if log.state.turn.steps and log.state.turn.unseen:
            turns.queue_turn(log)


def hold_session(session_id: UUID) -> None:
    """Lock a session for the rest of the caller's transaction, before it writes rows of its own.

    Every verb locks the session first, so that no two wait for each other.
    """
    Session.objects.select_for_update().filter(pk=session_id).first()


# What people answer. The same turn is due again, in the transaction of the answer.


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
