"""What became of a plan's options from revision to revision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviews.core.pairing import Effort
from reviews.core.wording import Span, versions


class OptionState(StrEnum):
    """What an option is beside the previous revision's."""

    FIRST = "first"  # there is no previous revision
    KEPT = "kept"
    ADDED = "added"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a revision; where it is ``changed``, both texts with their words marked."""

    label: str
    description: str
    state: OptionState
    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """An option that an earlier revision offered, and the revision from which on it is gone."""

    label: str
    version: int


@dataclass(frozen=True, slots=True)
class Offer:
    """The options of one revision, and those that went before it."""

    choices: tuple[Choice, ...] = ()
    dropped: tuple[Dropped, ...] = ()


Options = Sequence[Mapping[str, str]]


def offer(history: Sequence[tuple[int, Options]]) -> Offer:
    """Return the options of the last revision of ``history`` (version and options, oldest first).

    An option is the same one as long as its label is: the label is what a person approves.
    """
    if not history:
        return Offer()
    _, now = history[-1]
    before = _by_label(history[-2][1]) if len(history) > 1 else None
    return Offer(tuple(_choice(option, before) for option in now), tuple(_dropped(history)))


def _by_label(options: Options) -> dict[str, str]:
    return {option["label"]: option.get("description", "") for option in options}


def _choice(option: Mapping[str, str], before: Mapping[str, str] | None) -> Choice:
    label, text = option["label"], option.get("description", "")
    if before is None:
        return Choice(label, text, OptionState.FIRST)
    if label not in before:
        return Choice(label, text, OptionState.ADDED)
    if before[label] == text:
        return Choice(label, text, OptionState.KEPT)
    old, new = versions(before[label], text, Effort())
    return Choice(label, text, OptionState.CHANGED, old, new)


def _dropped(history: Sequence[tuple[int, Options]]) -> list[Dropped]:
    """Return what is not offered any more, in the order in which it went."""
    gone: dict[str, int] = {}
    known: set[str] = set()
    for version, options in history:
        there = set(_by_label(options))
        for label in known - there:
            gone.setdefault(label, version)
        for label in there & gone.keys():
            del gone[label]
        known |= there
    return [Dropped(label, gone[label]) for label in sorted(gone, key=lambda one: (gone[one], one))]
