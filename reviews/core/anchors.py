"""Where a comment stands, and where in later revisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from reviews.core.alignment import aligned
from reviews.core.diff import lines_of
from reviews.core.errors import AnchorInvalidError
from reviews.core.words import alike, significant, tokens

ENGINE: Final = 1
"""Raise it with each change of what ``carried`` returns: places are kept by it."""
LONGEST_QUOTE: Final = 2_000
"""Characters of an anchor's lines that are kept as its quote."""
MOST_LINES: Final = 200
_ALIKE: Final = 0.4
"""So much of their words two lines share at least to be versions of each other."""
_COMPARED: Final = 400
"""Lines that are looked at, at most, for one that is like those of the anchor."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Lines of a revision, from 1, both part of it; 0 for the whole plan.

    ``quote`` is what stands there, or the part of it that was selected.
    """

    first: int = 0
    last: int = 0
    quote: str = ""
    selected: bool = False

    @property
    def whole(self) -> bool:
        """Whether it is the whole plan."""
        return self.first == 0


class Fate(StrEnum):
    """What became of an anchor's text in a later revision."""

    EXACT = "exact"  # the same words, among the same
    MOVED = "moved"  # the same words, elsewhere
    CHANGED = "changed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an anchor stands in a later revision; lines are 0 for the whole plan and when lost."""

    fate: Fate
    first: int = 0
    last: int = 0


def anchored(text: str, first: int, last: int, *, selection: str = "") -> Anchor:
    """Return the anchor of the lines ``first`` to ``last`` of ``text``, or of a part of them.

    Words that were selected where the plan is drawn may not stand so in its source: then it is the
    lines.

    Raises:
        AnchorInvalidError: there are no such lines, or too many of them.
    """
    if not first and not last:
        return Anchor()
    lines = lines_of(text)
    if not 1 <= first <= last <= len(lines):
        raise AnchorInvalidError(f"this revision has the lines 1 to {len(lines)}")
    if last - first >= MOST_LINES:
        raise AnchorInvalidError(f"choose at most {MOST_LINES} lines")
    quoted = "".join(lines[first - 1 : last])
    chosen = selection if selection in quoted else ""
    return Anchor(first, last, (chosen or quoted)[:LONGEST_QUOTE], selected=bool(chosen))


def carried(anchor: Anchor, old: str, new: str) -> Place:
    """Return where the anchor, made of ``old``, stands in ``new``.

    Its lines, when they are all still there and together; else the same words where they stand
    now; else what took their place, if anything did. Bounded by the work of one line diff.
    """
    if anchor.whole:
        return Place(Fate.EXACT)
    before, after = lines_of(old), lines_of(new)
    wanted = before[anchor.first - 1 : anchor.last]
    partners = dict(aligned(before, after))
    kept = [partners.get(number) for number in range(anchor.first - 1, anchor.last)]
    if _together(kept):
        return Place(Fate.EXACT, (kept[0] or 0) + 1, (kept[-1] or 0) + 1)
    return (
        _moved(anchor, wanted, after)
        or _replaced(anchor, wanted, after, partners)
        or Place(Fate.LOST)
    )


def _together(kept: Sequence[int | None]) -> bool:
    start = kept[0] if kept else None
    return start is not None and list(kept) == list(range(start, start + len(kept)))


def _moved(anchor: Anchor, wanted: Sequence[str], after: Sequence[str]) -> Place | None:
    """Return the nearest place where the same words stand, if they say something."""
    if not significant(tokens(anchor.quote)) or not any(c.isalnum() for c in anchor.quote):
        return None
    if anchor.selected and "\n" not in anchor.quote:
        found = [place for place, line in enumerate(after) if anchor.quote in line]
        size = 1
    else:
        size = len(wanted)
        first = wanted[0].rstrip("\n")
        found = [
            place
            for place, line in enumerate(after)
            if line.rstrip("\n") == first and _same(after[place : place + size], wanted)
        ]
    if not found:
        return None
    place = min(found, key=lambda start: abs(start + 1 - anchor.first))
    return Place(Fate.MOVED, place + 1, place + size)


def _same(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    return [line.rstrip("\n") for line in lines] == [line.rstrip("\n") for line in wanted]


def _replaced(
    anchor: Anchor, wanted: Sequence[str], after: Sequence[str], partners: dict[int, int]
) -> Place | None:
    """Return the lines that stand between the anchor's kept neighbours and are like its own."""
    above = max((n for o, n in partners.items() if o < anchor.first - 1), default=-1)
    below = min((n for o, n in partners.items() if o >= anchor.last), default=len(after))
    inside = range(above + 1, max(above + 1, min(below, above + 1 + _COMPARED)))
    kept = {partners[o] for o in range(anchor.first - 1, anchor.last) if o in partners}
    said = [words for words in (significant(tokens(line)) for line in wanted) if words]
    like = {n for n in inside if n in kept or _is_like(after[n], said)}
    if like:
        return Place(Fate.CHANGED, min(like) + 1, max(like) + 1)
    between = above >= 0 or below < len(after)  # else nothing says that it is the same place
    if between and len(inside) <= len(wanted) and "".join(after[n] for n in inside).strip():
        return Place(Fate.CHANGED, inside.start + 1, inside.stop)
    return None


def _is_like(line: str, said: Sequence[frozenset[str]]) -> bool:
    words = significant(tokens(line))
    return any(alike(words, other) >= _ALIKE for other in said)
