"""Why turns fail, and what people are told of it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


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
    INTERNAL_ERROR = "internal_error"


WORTH_RETRYING: Final = frozenset({Failure.TIMEOUT, Failure.RATE_LIMIT, Failure.ERROR})
"""The same model call may succeed later."""

WORDS: Final[Mapping[Failure, str]] = {
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
    Failure.INTERNAL_ERROR: "something broke here; the server's log has it",
}


def in_words(code: str) -> str:
    """Return what the failure ``code`` means; any other text comes back as it is."""
    return WORDS[Failure(code)] if code in set(Failure) else code
