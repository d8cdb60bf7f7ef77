"""What a worker does next with a turn, asked of the state."""

from dataclasses import dataclass
from typing import assert_never

from planmode.core.events import TurnState
from planmode.core.state import CallStatus, PendingCall, SessionState


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
class End:
    """The turn is over."""

    state: TurnState
    reason: str = ""


Move = AskModel | Judge | Recover | Deliver | Skip | Park | End


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """How long a turn may go on by itself, in model calls.

    ``attempts``: how often one call, of the model or of a tool, may take its worker with it.
    """

    steps: int = 200
    attempts: int = 3


def next_move(state: SessionState, limits: TurnLimits) -> Move:
    """Return what is to be done next in the open turn of ``state``."""
    turn = state.turn
    if turn.calls:
        return _next_call(turn.calls[0], stopping=turn.stopping)
    if turn.stopping:
        return End(TurnState.STOPPED, str(state.plan.last_outcome or ""))
    if turn.replied and not turn.unseen and not turn.called:
        return End(TurnState.DONE)
    if turn.asking and turn.attempts >= limits.attempts:
        return End(TurnState.FAILED, "worker_lost")
    number = turn.steps + 1 if turn.replied or not turn.steps else turn.steps
    return AskModel(number) if number <= limits.steps else End(TurnState.FAILED, "step_limit")


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
