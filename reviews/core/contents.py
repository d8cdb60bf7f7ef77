"""A plan's table of contents, and in which language it is written."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from reviews.core.blocks import Block

_HAN: Final = range(0x3400, 0xA000)
_ENOUGH: Final = 0.1
"""So large a share of Han among the letters makes a text Chinese: code and names stay Latin."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it up to the next heading, whatever its level.

    ``first`` is the heading's line; a plan that does not begin with one has a first section with
    no ``title``. ``depth`` counts from 1, the plan's highest level of headings. ``changed`` and
    ``unseen`` count its blocks, the heading among them.
    """

    title: str
    first: int
    depth: int
    blocks: int
    changed: int
    unseen: int


def contents(
    blocks: Sequence[Block], *, changed: Collection[int], unseen: Collection[int]
) -> tuple[Section, ...]:
    """Return the plan's sections in order; ``changed`` and ``unseen`` hold blocks' first lines."""
    top = min((block.level for block in blocks if block.level), default=1)
    groups: list[list[Block]] = []
    for block in blocks:
        if block.level or not groups:
            groups.append([])
        groups[-1].append(block)
    return tuple(
        Section(
            title=group[0].title,
            first=group[0].first,
            depth=max(group[0].level - top, 0) + 1,
            blocks=len(group),
            changed=sum(block.first in changed for block in group),
            unseen=sum(block.first in unseen for block in group),
        )
        for group in groups
    )


def changed_since(old: Sequence[Block], new: Sequence[Block]) -> frozenset[int]:
    """Return the first lines of those of ``new`` whose words are nowhere in ``old``."""
    known = {block.digest for block in old}
    return frozenset(block.first for block in new if block.digest not in known)


def language(text: str) -> str:
    """Return ``zh-CN`` for text that is Chinese for a good part, else ``en``."""
    letters = [ord(char) for char in text if char.isalpha()]
    han = sum(point in _HAN for point in letters)
    return "zh-CN" if letters and han / len(letters) >= _ENOUGH else "en"
