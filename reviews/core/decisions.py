"""What a person decides, and what makes a decision complete."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from planmode.core.options import SHOWN_FROM
from planmode.core.outcomes import Outcome
from planmode.core.presets import PlanModeConfig
from planmode.core.wire import clean
from prompts.unseen import says_something
from reviews.core.errors import DecisionIncompleteError
from reviews.core.policy import Rules

LONGEST_FEEDBACK: Final = 64 * 1024


class DecisionKind(StrEnum):
    """The five explicit decisions; none turns into another."""

    APPROVE = "approve"
    REVISE = "revise"
    REJECT = "reject"
    REJECT_AND_EXIT = "reject_and_exit"
    DISMISS = "dismiss"


OUTCOME_OF: Final[Mapping[DecisionKind, Outcome]] = {
    DecisionKind.APPROVE: Outcome.APPROVED,
    DecisionKind.REVISE: Outcome.REVISE,
    DecisionKind.REJECT: Outcome.REJECTED,
    DecisionKind.REJECT_AND_EXIT: Outcome.REJECTED_AND_EXITED,
    DecisionKind.DISMISS: Outcome.DISMISSED,
}
REJECTS: Final = frozenset({DecisionKind.REJECT, DecisionKind.REJECT_AND_EXIT})
TAKES_FEEDBACK: Final = frozenset({DecisionKind.APPROVE, DecisionKind.REVISE})


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision as a person sends it; ``sha256`` is the revision that they read.

    ``feedback`` goes with revise (required) and approve (a note), ``reason`` with the others.
    ``start`` false lets an approved agent stop instead of going to work.
    """

    kind: DecisionKind
    sha256: str
    option: str = ""
    feedback: str = ""
    reason: str = ""
    start: bool = True


def offered(config: PlanModeConfig) -> tuple[DecisionKind, ...]:
    """Return the decisions that a review of this kind of session takes."""
    return tuple(kind for kind in DecisionKind if config.rejects or kind not in REJECTS)


def check_offered(kind: DecisionKind, config: PlanModeConfig) -> None:
    """Refuse a decision that this kind of session knows nothing of.

    Raises:
        DecisionIncompleteError: it is none of those that are offered.
    """
    if kind not in offered(config):
        names = ", ".join(offered(config))
        raise DecisionIncompleteError(f"this agent's reviews take no {kind}; decide: {names}")


def completed(decision: Decision, options: Sequence[str], *, remarks: int = 0) -> Decision:
    """Return ``decision`` with blanks counted as nothing, once it is complete.

    ``options`` are the labels that the card offers, ``remarks`` how many open comments go along.

    Raises:
        DecisionIncompleteError: something is missing, too long, or does not belong to this kind.
    """
    tidy = replace(
        decision,
        option=decision.option.strip(),
        feedback=_tidy("feedback", decision.feedback),
        reason=_tidy("reason", decision.reason),
    )
    _check_option(tidy, options)
    _check_words(tidy, remarks)
    if not tidy.start and tidy.kind is not DecisionKind.APPROVE:
        raise DecisionIncompleteError("start: false goes with approve only")
    return tidy


def check_reason(decision: Decision, rules: Rules) -> None:
    """Refuse a rejection without a word where the policy wants one.

    Raises:
        DecisionIncompleteError: the reason is missing.
    """
    if rules.reason_required and decision.kind in REJECTS and not decision.reason:
        raise DecisionIncompleteError("say in reason why; this project's policy wants one")


def combined(notes: Sequence[tuple[str, str]]) -> str:
    """Return the notes of several approvals as one, each under its person's name.

    ``notes`` are names with texts, of which blank ones are left out. The note of one alone is given
    as it was written.

    Raises:
        DecisionIncompleteError: together they are too long.
    """
    said = [(name, text) for name, text in notes if text]
    if len(notes) == 1:
        return said[0][1] if said else ""
    text = "\n\n".join(f"{name}:\n{text}" for name, text in said)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_FEEDBACK:
        raise DecisionIncompleteError(
            f"the notes of all approvals together have {size} bytes, the limit is "
            f"{LONGEST_FEEDBACK}; shorten yours"
        )
    return text


def _tidy(name: str, text: str) -> str:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_FEEDBACK:
        raise DecisionIncompleteError(
            f"{name} has {size} bytes, the limit is {LONGEST_FEEDBACK}; shorten it"
        )
    return clean(text) if says_something(text) else ""


def _check_option(decision: Decision, options: Sequence[str]) -> None:
    if decision.kind is not DecisionKind.APPROVE:
        if decision.option:
            raise DecisionIncompleteError("an option goes with approve only")
        return
    offered = list(options) if len(options) >= SHOWN_FROM else []
    if decision.option and decision.option not in offered:
        names = ", ".join(offered) or "none"
        raise DecisionIncompleteError(
            f"this plan offers no option {decision.option!r}; offered: {names}"
        )
    if offered and not decision.option:
        raise DecisionIncompleteError(f"name the option that you approve: {', '.join(offered)}")


def _check_words(decision: Decision, remarks: int) -> None:
    kind = decision.kind
    if kind is DecisionKind.REVISE and not decision.feedback and not remarks:
        raise DecisionIncompleteError(
            "say in feedback what the agent shall change, or publish comments that do"
        )
    if decision.feedback and kind not in TAKES_FEEDBACK:
        raise DecisionIncompleteError(f"feedback goes with approve and revise; {kind} takes reason")
    if decision.reason and kind in TAKES_FEEDBACK:
        raise DecisionIncompleteError(f"reason does not go with {kind}; use feedback")
