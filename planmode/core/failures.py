"""Why turns fail, and what people are told of it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from planmode.core.events import TurnState


class Failure(StrEnum):
    """What made a model call, or a whole turn, fail."""

    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    ERROR = "error"
    REFUSED = "refused"
    KEY_MISSING = "key_missing"
    UNKNOWN_MODEL = "unknown_model"
    SCRIPT_EXHAUSTED = "script_exhausted"
    SCRIPT_INVALID = "script_invalid"
    STEP_LIMIT = "step_limit"
    WORKER_LOST = "worker_lost"
    NO_SECTION = "no_section"
    RULES_INVALID = "rules_invalid"
    INTERNAL_ERROR = "internal_error"


class Halt(StrEnum):
    """Why a turn stopped, with the agent's work unfinished, although nobody decided so."""

    UNSUBMITTED = "unsubmitted"
    OPEN_STEPS = "open_steps"
    SAME_REFUSED_CALL = "same_refused_call"
    SAME_CALL = "same_call"
    REVIEW_EXPIRED = "review_expired"


HALTS: Final = frozenset(halt.value for halt in Halt)
"""The reasons of turns that stopped although nobody decided so."""


def halted(state: str, reason: str) -> bool:
    """Return whether a turn that ended like this stopped although nobody decided so."""
    return state == TurnState.STOPPED and reason in HALTS


def needs_somebody(state: str, reason: str) -> bool:
    """Return whether a turn that ended like this is unfinished, and nobody decided so."""
    return state == TurnState.FAILED or halted(state, reason)


def may_be_retried(state: str, reason: str) -> bool:
    """Return whether the agent may be told to go on after a turn that ended like this."""
    return state == TurnState.CANCELLED or needs_somebody(state, reason)


WORTH_RETRYING: Final = frozenset({Failure.TIMEOUT, Failure.RATE_LIMIT, Failure.ERROR})
"""The same model call may succeed later."""

WORDS: Final[Mapping[str, str]] = {
    Halt.UNSUBMITTED: "it stopped without a submission or a question, although reminded",
    Halt.OPEN_STEPS: "it stopped with open plan steps, although reminded",
    Halt.SAME_REFUSED_CALL: "it asked for the same refused call again and again",
    Halt.SAME_CALL: "it made the same call again and again",
    Halt.REVIEW_EXPIRED: "the review of its plan expired: nobody decided in time",
    Failure.TIMEOUT: "the model did not answer in time",
    Failure.RATE_LIMIT: "the provider asks for a pause",
    Failure.ERROR: "the provider could not answer",
    Failure.REFUSED: "the provider refused the call",
    Failure.KEY_MISSING: "the workers have no key for this model",
    Failure.UNKNOWN_MODEL: "there is no such model",
    Failure.SCRIPT_EXHAUSTED: "the script has no reply left",
    Failure.SCRIPT_INVALID: "the script can't be played",
    Failure.STEP_LIMIT: "the turn has had as many steps as a turn may have",
    Failure.WORKER_LOST: "worker after worker ended while it had this turn",
    Failure.NO_SECTION: "nothing says how to plan here: the plan section is missing",
    Failure.RULES_INVALID: "the permission rules can't be read; `manage.py check` says why",
    Failure.INTERNAL_ERROR: "something broke here; the server's log has it",
}


def in_words(code: str) -> str:
    """Return what the failure ``code`` means; any other text comes back as it is."""
    return WORDS.get(code, code)
