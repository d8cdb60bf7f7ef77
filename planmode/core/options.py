"""The choices a plan offers: 1 to 3, readable, unique."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from planmode.core.errors import OptionsInvalidError
from prompts.unseen import UNSEEN

MOST_OPTIONS: Final = 3
LONGEST_LABEL: Final = 80
LONGEST_DESCRIPTION: Final = 2000
SHOWN_FROM: Final = 2
"""A single option is a plain approval: choices are shown from two up."""

RESERVED: Final = frozenset(
    {
        "approve", "reject", "reject and exit", "revise", "dismiss",
        "批准", "拒绝", "拒绝并退出", "需修改", "请求修改", "忽略",
    }
)  # fmt: skip
_UNSEEN: Final = re.compile(rf"[\t\n\r{UNSEEN}]")
_UNASSIGNED: Final = frozenset({"Co", "Cs", "Cn"})
"""Categories of what has no shape that two people would agree on."""


@dataclass(frozen=True, slots=True)
class PlanOption:
    """One choice; ``label`` is what a decision names."""

    label: str
    description: str = ""


def folded(label: str) -> str:
    """Return the form under which two labels count as the same."""
    wide = unicodedata.normalize("NFKC", label)
    visible = "".join(c for c in wide if c.isspace() or _can_be_seen(c))
    return " ".join(visible.casefold().split())


def checked(options: Sequence[PlanOption]) -> tuple[PlanOption, ...]:
    """Return ``options`` with labels trimmed.

    Raises:
        OptionsInvalidError: a label is blank, too long, reserved, doubled or holds characters
            that can't be seen; or there are more than three options.
    """
    if len(options) > MOST_OPTIONS:
        raise OptionsInvalidError(f"offer at most {MOST_OPTIONS} options, not {len(options)}")
    seen: dict[str, str] = {}
    for option in options:
        _check(option)
        key = folded(option.label)
        if key in seen:
            raise OptionsInvalidError(f"two options read alike: {seen[key]!r}, {option.label!r}")
        seen[key] = option.label
    return tuple(PlanOption(o.label.strip(), o.description) for o in options)


def _can_be_seen(char: str) -> bool:
    return not _UNSEEN.match(char) and unicodedata.category(char) not in _UNASSIGNED


def _check(option: PlanOption) -> None:
    label = option.label.strip()
    if not all(map(_can_be_seen, label)):
        raise OptionsInvalidError(f"the label {label!r} holds characters that can't be seen")
    if not folded(label):
        raise OptionsInvalidError("an option needs a label that can be read")
    if len(label) > LONGEST_LABEL:
        raise OptionsInvalidError(f"a label has at most {LONGEST_LABEL} characters: {label!r}")
    if len(option.description) > LONGEST_DESCRIPTION:
        raise OptionsInvalidError(f"a description has at most {LONGEST_DESCRIPTION} characters")
    if folded(label) in RESERVED:
        raise OptionsInvalidError(f"{label!r} is the name of a decision; choose another label")
