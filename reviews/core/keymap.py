"""The keys of the pages: one table, and what a person may make of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from prompts.unseen import says_something

OFF: Final = ""
"""What stands for a key that a person switched off."""


class Place(StrEnum):
    """Where a key means something."""

    QUEUE = "queue"
    REVIEW = "review"
    RECORDS = "records"  # audit, telemetry, revisions


EVERYWHERE: Final = frozenset(Place)
_QUEUE: Final = frozenset({Place.QUEUE})
_REVIEW: Final = frozenset({Place.REVIEW})
_RECORDS: Final = frozenset({Place.RECORDS})
_CARDS: Final = _QUEUE | _REVIEW


@dataclass(frozen=True, slots=True)
class Shortcut:
    """An action of the pages and its key by default.

    A key is one character as it is typed (``X`` is Shift and x), or two with a blank between,
    pressed one after the other. Pages name the action (``data-action``), never the key.
    """

    action: str
    key: str
    places: frozenset[Place] = EVERYWHERE


SHORTCUTS: Final = (
    Shortcut("help", "?"),
    Shortcut("search", "/"),
    Shortcut("go-queue", "g q"),
    Shortcut("go-archive", "g v"),
    Shortcut("go-audit", "g a"),
    Shortcut("go-telemetry", "g t"),
    Shortcut("next", "j"),
    Shortcut("previous", "k"),
    Shortcut("open", "o"),
    Shortcut("refresh", "."),
    Shortcut("next-part", "]"),
    Shortcut("previous-part", "["),
    Shortcut("view", "v"),
    Shortcut("select", "x", _QUEUE),
    Shortcut("extend-next", "J", _QUEUE),
    Shortcut("extend-previous", "K", _QUEUE),
    Shortcut("unread", "u", _QUEUE),
    Shortcut("assign", "a", _QUEUE),
    Shortcut("snooze", "s", _CARDS),
    Shortcut("next-change", "n", _REVIEW),
    Shortcut("previous-change", "p", _REVIEW),
    Shortcut("next-unseen", "u", _REVIEW),
    Shortcut("comment", "c", _REVIEW),
    Shortcut("comment-selection", "C", _REVIEW),
    Shortcut("comment-plan", "G", _REVIEW),
    Shortcut("suggest", "e", _REVIEW),
    Shortcut("reply", "r", _REVIEW),
    Shortcut("compare", "d", _REVIEW | _RECORDS),
    Shortcut("approve", "a", _REVIEW),
    Shortcut("revise", "w", _REVIEW),
    Shortcut("reject", "X", _REVIEW),
    Shortcut("option-1", "1", _REVIEW),
    Shortcut("option-2", "2", _REVIEW),
    Shortcut("option-3", "3", _REVIEW),
    Shortcut("extend", "t", _REVIEW),
)
"""All actions; none of them decides anything: those of decisions open a sheet."""
DEFAULTS: Final[Mapping[str, str]] = {shortcut.action: shortcut.key for shortcut in SHORTCUTS}


def settled(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the key of each action, ``OFF`` where there is none.

    What ``chosen`` says of actions that there are not counts for nothing: they went meanwhile.
    """
    return {action: chosen.get(action, key) for action, key in DEFAULTS.items()}


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a key can't be had: ``other`` is the action that has it, empty when it is no key."""

    other: str = ""


def typed(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the key of each action as ``texts`` has it, blanks settled; the default without."""
    return {action: " ".join(texts.get(action, key).split()) for action, key in DEFAULTS.items()}


def faults(keys: Mapping[str, str]) -> dict[str, Fault]:
    """Return the actions whose key in ``keys`` can't be pressed, or means two things on a page."""
    found = {action: Fault() for action, key in keys.items() if not _can_be_pressed(key)}
    for action, other in _clashes(keys):
        found.setdefault(action, Fault(other))
    return found


def choices(keys: Mapping[str, str]) -> dict[str, str]:
    """Return what a person chose: the keys that are not the default."""
    return {action: key for action, key in keys.items() if key != DEFAULTS[action]}


def _can_be_pressed(key: str) -> bool:
    """Return whether ``key`` is off, one character that is seen, or two of them."""
    parts = key.split(" ") if key else []
    return len(parts) <= len("ab") and all(len(p) == 1 and says_something(p) for p in parts)


def _clashes(keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield actions, each with an earlier one of the same page that can't be told from it."""
    for place, later in enumerate(SHORTCUTS):
        for earlier in SHORTCUTS[:place]:
            if later.places & earlier.places and _same(keys[later.action], keys[earlier.action]):
                yield later.action, earlier.action


def _same(one: str, other: str) -> bool:
    """Return whether one of the two keys is the other, or begins it."""
    if not one or not other:
        return False
    return f"{one} ".startswith(f"{other} ") or f"{other} ".startswith(f"{one} ")
