"""What a worker does next with a turn, asked of the state."""

from dataclasses import dataclass
from typing import assert_never

from planmode.core.events import ReminderKind, TurnState
from planmode.core.failures import Failure, Halt
from planmode.core.presets import PlanModeConfig
from planmode.core.state import CallStatus, PendingCall, SessionState, TurnView


@dataclass(frozen=True, slots=True)
class AskModel:
    """Begin (or begin again) step ``number``."""

    number: int


@dataclass(frozen=True, slots=True)
class Judge:
    """Ask the guard about the call, then run it."""

    pending: PendingCall


@dataclass(frozen=True, slots=True)
class Recover:
    """The call was started by a worker that never wrote its result."""

    pending: PendingCall


@dataclass(frozen=True, slots=True)
class Deliver:
    """A person's answer lies in the log: write the call's result from it."""

    pending: PendingCall


@dataclass(frozen=True, slots=True)
class Skip:
    """An earlier call of this reply stopped the turn."""

    pending: PendingCall


@dataclass(frozen=True, slots=True)
class Park:
    """The turn waits for a person."""

    pending: PendingCall


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The reply that ended the turn may be a plan: look, and submit it."""


@dataclass(frozen=True, slots=True)
class Remind:
    """The agent stopped too early: say so, once."""

    kind: ReminderKind


@dataclass(frozen=True, slots=True)
class End:
    """The turn is over."""

    state: TurnState
    reason: str = ""


Move = AskModel | Judge | Recover | Deliver | Skip | Park | ReadReply | Remind | End


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """How long a turn may go on by itself, in model calls.

    ``attempts``: how often one call, of the model or of a tool, may take its worker with it.
    """

    steps: int = 200
    attempts: int = 3


def next_move(state: SessionState, config: PlanModeConfig, limits: TurnLimits) -> Move:
    """Return what is to be done next in the open turn of ``state``."""
    turn = state.turn
    if turn.calls:
        return _next_call(turn.calls[0], stopping=turn.stopping)
    if turn.stopping:
        return End(TurnState.STOPPED, turn.halt or str(state.plan.last_outcome or ""))
    if turn.replied and not turn.unseen and not turn.called:
        return _at_rest(state, config)
    if turn.asking and turn.attempts >= limits.attempts:
        return End(TurnState.FAILED, Failure.WORKER_LOST)
    number = turn.steps + 1 if turn.replied or not turn.steps else turn.steps
    return AskModel(number) if number <= limits.steps else End(TurnState.FAILED, Failure.STEP_LIMIT)


def _at_rest(state: SessionState, config: PlanModeConfig) -> Move:
    """The agent has nothing more to say: is that the end?"""
    plan, turn = state.plan, state.turn
    if plan.active and config.submit == "reply" and not turn.offered:
        return ReadReply()
    if plan.active and config.unsubmitted == "reminds" and not turn.let_be:
        return _reminded_once(turn, ReminderKind.UNSUBMITTED, Halt.UNSUBMITTED)
    if not plan.active and plan.open_steps:
        return _reminded_once(turn, ReminderKind.OPEN_STEPS, Halt.OPEN_STEPS)
    return End(TurnState.DONE)


def _reminded_once(turn: TurnView, kind: ReminderKind, halt: Halt) -> Move:
    return End(TurnState.STOPPED, halt) if turn.reminders else Remind(kind)


def _next_call(pending: PendingCall, *, stopping: bool) -> Move:
    match pending.status:
        case CallStatus.ANSWERED:
            return Deliver(pending)
        case CallStatus.STARTED:
            return Recover(pending)
        case CallStatus.WAITING:
            return Park(pending)
        case CallStatus.DUE | CallStatus.ALLOWED:
            return Skip(pending) if stopping else Judge(pending)
        case _:
            assert_never(pending.status)
