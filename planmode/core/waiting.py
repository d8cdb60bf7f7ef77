"""What a turn waits for."""

from dataclasses import dataclass
from enum import StrEnum

from planmode.core.state import CallStatus, PendingCall, SessionState


class Awaited(StrEnum):
    """Whose turn it is while a call waits."""

    REVIEW = "review"
    QUESTION = "question"
    APPROVAL = "approval"
    AGENT = "agent"  # another one, which this one started


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits; ``card`` is what it waits for: a card's id, or a child's."""

    awaited: Awaited
    card: str
    pending: PendingCall


def waiting(state: SessionState) -> Waiting | None:
    """Return what the open turn waits for, ``None`` when for nothing."""
    for pending in state.turn.calls:
        if pending.status is CallStatus.WAITING:
            return Waiting(_awaited(pending, state), pending.card, pending)
    return None


def _awaited(pending: PendingCall, state: SessionState) -> Awaited:
    if pending.card in state.children:
        return Awaited.AGENT
    if pending.card == state.plan.review:
        return Awaited.REVIEW
    return Awaited.QUESTION if pending.call.name == "AskUserQuestion" else Awaited.APPROVAL
