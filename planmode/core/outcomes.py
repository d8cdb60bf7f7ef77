"""What a person can decide about a plan, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from planmode.core.presets import PlanModeConfig


class Outcome(StrEnum):
    """How a review was resolved."""

    APPROVED = "approved"
    REVISE = "revise"
    REJECTED = "rejected"
    REJECTED_AND_EXITED = "rejected_and_exited"
    DISMISSED = "dismissed"
    AUTO_APPROVED = "auto_approved"


class Closure(StrEnum):
    """How a review ended without a decision."""

    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Consequence:
    """What an outcome does to plan mode, to the turn and to the tool's result."""

    exits_plan_mode: bool = False
    stops_turn: bool = False
    is_error: bool = False
    approved: bool = False


CONSEQUENCES: Final[Mapping[Outcome, Consequence]] = {
    Outcome.APPROVED: Consequence(exits_plan_mode=True, approved=True),
    Outcome.REVISE: Consequence(),
    Outcome.REJECTED: Consequence(stops_turn=True, is_error=True),
    Outcome.REJECTED_AND_EXITED: Consequence(exits_plan_mode=True, stops_turn=True, is_error=True),
    Outcome.DISMISSED: Consequence(),
    Outcome.AUTO_APPROVED: Consequence(exits_plan_mode=True, approved=True),
}


def consequence(outcome: Outcome, config: PlanModeConfig) -> Consequence:
    """Return what ``outcome`` does in a session of this kind."""
    usual = CONSEQUENCES[outcome]
    error = config.refusal == "error"
    match outcome:
        case Outcome.REVISE:
            return replace(usual, is_error=error)
        case Outcome.DISMISSED:
            return replace(usual, is_error=error, stops_turn=config.after_dismiss == "waits")
        case _:
            return usual
