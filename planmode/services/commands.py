"""What an operator types, done: a message, or a command with a slash."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never
from uuid import UUID

from django.contrib.auth.models import User

from planmode.access.may import Action
from planmode.core import commands
from planmode.core.attachments import NewAttachment
from planmode.core.permission import PermissionMode
from planmode.services.choices import Choice, want_permission_mode, want_plan_mode
from planmode.services.messages import checked_text, kept, say
from planmode.services.plans import empty_plan
from planmode.services.steering import steered
from planmode.store.eventlog import Log

_SENT: Final = "Sent: the agent begins with it."
_TAKEN_IN: Final = "Sent: the agent takes it in at its next step."
_STAYS_OPEN: Final = " The review of its plan stays open until somebody decides."


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a command, in plain words; ``choice`` where something was chosen.

    ``seq`` is the log's length now: what follows has a higher number.
    """

    said: str
    seq: int
    choice: Choice | None = None


def action_of(text: str, *, attachments: int = 0) -> Action:
    """Return what somebody must be allowed to do to type ``text`` with so many attachments.

    To leave plan mode, to choose a permission mode and to empty the plan, where people may have
    written, is a person's business, never a program's.

    Raises:
        CommandInvalidError: as in ``run_command``.
    """
    match commands.parse(text, attachments=attachments):
        case commands.PlanOff() | commands.PlanClear() | commands.Mode():
            return Action.STEER
        case _:
            return Action.POST_MESSAGE


def run_command(
    session_id: UUID, text: str, attachments: Sequence[NewAttachment] = (), *, by: User
) -> CommandResult:
    """Do what ``text`` says, whole or not at all.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        CommandInvalidError: there is no such command or mode, or it takes no attachments.
        MessageInvalidError: the message is blank or over 256 KiB.
        AttachmentRefusedError: a file can't go with a message.
        PermissionModeUnavailableError: ``auto`` is off in the installation or the project.
        NoPlanFileError: the session's preset keeps no plan file.
        PlanEditConflictError: the agent is writing at this moment.
        PlanUnderReviewError: the plan that is to be emptied waits for a decision.
    """
    command = commands.parse(text, attachments=len(attachments))
    with steered(session_id) as log:
        said, choice = _done(log, command, attachments, by)
        return CommandResult(said, log.seq, choice)


def _done(
    log: Log, command: commands.Command, attachments: Sequence[NewAttachment], by: User
) -> tuple[str, Choice | None]:
    match command:
        case commands.Say(text=text):
            return _say(log, text, attachments, by), None
        case commands.Plan(text=text):
            return _plan(log, text, attachments, by)
        case commands.PlanOff():
            return _leave(log, by)
        case commands.PlanClear():
            return _clear(log, by), None
        case commands.Mode(name=mode):
            return _mode(log, mode, by)
        case _:
            assert_never(command)


def _say(log: Log, text: str, attachments: Sequence[NewAttachment], by: User) -> str:
    files = kept(attachments)
    said = _TAKEN_IN if log.state.turn.open else _SENT
    say(log, checked_text(text, files=len(files)), files, author=by)
    return said


def _plan(
    log: Log, text: str, attachments: Sequence[NewAttachment], by: User
) -> tuple[str, Choice]:
    choice = want_plan_mode(log, active=True, by=by, prompt=text)
    said = _ENTERING[choice, log.state.plan.active]
    if text or attachments:
        said = f"{said} {_say(log, text, attachments, by)}"
    return said, choice


_AT_NEXT_STEP: Final = "Plan mode begins at the agent's next step."
_ENTERING: Final = {
    (Choice.NOOP, True): "Plan mode is on already.",
    (Choice.NOOP, False): _AT_NEXT_STEP,
    (Choice.QUEUED, False): _AT_NEXT_STEP,
    (Choice.COMMITTED, True): "Plan mode is on.",
    (Choice.CANCELLED, True): "Plan mode stays on.",
}
"""By what became of the choice, and whether plan mode is on now."""


def _leave(log: Log, by: User) -> tuple[str, Choice]:
    choice = want_plan_mode(log, active=False, by=by)
    said = _LEAVING[choice, log.state.plan.active]
    if choice is Choice.COMMITTED:
        said = f"{said} The permission mode is {log.state.permission_mode}."
    return said + (_STAYS_OPEN if log.state.plan.review else ""), choice


_LEAVES_AT_NEXT_STEP: Final = "Plan mode ends at the agent's next step."
_LEAVING: Final = {
    (Choice.NOOP, False): "Plan mode is off already.",
    (Choice.NOOP, True): _LEAVES_AT_NEXT_STEP,
    (Choice.QUEUED, True): _LEAVES_AT_NEXT_STEP,
    (Choice.COMMITTED, False): "Plan mode is off.",
    (Choice.CANCELLED, False): "Plan mode does not begin.",
}


def _clear(log: Log, by: User) -> str:
    if not log.state.plan.active:
        return "Plan mode is off: there is no plan to clear."
    return "The plan is empty now." if empty_plan(log, by=by) else "The plan is empty already."


def _mode(log: Log, mode: PermissionMode, by: User) -> tuple[str, Choice]:
    choice = want_permission_mode(log, mode, by=by)
    match choice:
        case Choice.COMMITTED:
            return f"The permission mode is {mode}.", choice
        case Choice.CANCELLED:
            return f"The permission mode stays {mode}.", choice
        case _ if log.state.wanted.mode is mode:
            return f"The permission mode is {mode} from the agent's next step on.", choice
        case _:
            return f"The permission mode is {mode} already.", choice
