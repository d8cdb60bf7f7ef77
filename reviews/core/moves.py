"""What only stands at another place now."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from reviews.core.alignment import longest_rising
from reviews.core.blocks import Block, BlockKind
from reviews.core.diff import LineKind, Outline
from reviews.core.layout import Span
from reviews.core.pairing import Effort
from reviews.core.words import alike, significant, weight

_LEAST: Final = 8
"""Letters and digits of a block below which it may be the same by chance; a heading never is."""
_LEAST_EDITED: Final = 20
_OPENING: Final = 200
"""Characters in which so many are looked for."""
_ALIKE: Final = 0.7
"""How much a block that moved and was edited has to say the same still."""
_MARK: Final = re.compile(r"\A\s*(?:[-+*]|\d{1,9}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Move:
    """Lines of the old text that are lines of the new one, at another place.

    Both ends are included and count from 1. ``edited``: the words are not quite the same.
    """

    old: Span
    new: Span
    edited: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    """A block, or an item of a list, all of whose lines changed; ``gap`` says in which change.

    ``place`` counts all blocks and items of the text.
    """

    place: int
    span: Span
    gap: int
    kind: BlockKind
    text: str

    @property
    def fingerprint(self) -> str:
        """What it says, without the mark before an item: a step may get another number."""
        return " ".join(_MARK.sub("", self.text, count=1).split())


def moves(
    old: Sequence[Block], new: Sequence[Block], found: Outline, effort: Effort
) -> tuple[Move, ...]:
    """Return what moved, in the order of the new text.

    ``old`` and ``new`` are the blocks of both texts, ``found`` says which lines changed. What keeps
    its place within one change did not move, whatever was put before it.
    """
    changes = _Changes.of(found)
    gone = list(_units(old, changes.removed))
    come = list(_units(new, changes.added))
    same = list(_same(gone, come))
    edited = _edited(_without(gone, 0, same), _without(come, 1, same), effort)
    pairs = [(pair, False) for pair in _elsewhere(same)]
    pairs += [(pair, True) for pair in edited]
    return tuple(sorted(_joined(pairs), key=lambda move: move.new))


@dataclass(slots=True)
class _Changes:
    """Which lines changed: line -> number of the change that it is part of."""

    removed: dict[int, int] = field(default_factory=dict)
    added: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Outline) -> "_Changes":
        self = cls()
        change = 0
        last = 0, 0
        for kind, old, new, count in found.runs():
            change += kind is LineKind.KEPT or (old, new) != last
            goes, comes = kind is not LineKind.ADDED, kind is not LineKind.REMOVED
            last = old + count * goes, new + count * comes
            if not comes:
                self.removed.update(dict.fromkeys(range(old + 1, old + count + 1), change))
            if not goes:
                self.added.update(dict.fromkeys(range(new + 1, new + count + 1), change))
        return self


def _units(blocks: Iterable[Block], changed: dict[int, int]) -> Iterator[_Unit]:
    parts = ((block, part) for block in blocks for part in block.parts or [_span(block)])
    for place, (block, (first, last)) in enumerate(parts):
        lines = block.text.split("\n")[first - block.first : last - block.first + 1]
        written = [number for number, line in enumerate(lines, start=first) if line.strip()]
        if written and all(number in changed for number in written):
            span, gap = (first, written[-1]), changed[written[0]]
            yield _Unit(place, span, gap, block.kind, "\n".join(lines))


def _span(block: Block) -> Span:
    return block.first, block.last


_Pair = tuple[_Unit, _Unit]


def _same(old: Iterable[_Unit], new: Iterable[_Unit]) -> Iterator[_Pair]:
    """Yield units that say the same, each once, the first with the first."""
    by_text: dict[tuple[BlockKind, str], list[_Unit]] = defaultdict(list)
    for unit in new:
        by_text[unit.kind, unit.fingerprint].append(unit)
    for found in by_text.values():
        found.reverse()
    for unit in old:
        others = by_text.get((unit.kind, unit.fingerprint))
        if others and (unit.kind is BlockKind.HEADING or weight(unit.text[:_OPENING]) >= _LEAST):
            yield unit, others.pop()


def _without(units: Iterable[_Unit], side: int, pairs: Iterable[_Pair]) -> list[_Unit]:
    taken = {pair[side].span for pair in pairs}
    free = (unit for unit in units if unit.span not in taken)
    return [unit for unit in free if weight(unit.text[:_OPENING]) >= _LEAST_EDITED]


def _edited(old: Sequence[_Unit], new: Sequence[_Unit], effort: Effort) -> Iterator[_Pair]:
    """Yield units of two changes that say nearly the same, each with the one it is most like."""
    said = [[effort.words(unit.text) or [] for unit in side] for side in (old, new)]
    before, after = ([significant(words) for words in side] for side in said)
    if not effort.allows((len(old) + sum(map(len, before))) * len(new)):
        return
    free = set(range(len(new)))
    for place, unit in enumerate(old):
        scores = [
            (alike(before[place], after[there]), -there)
            for there in free
            if new[there].gap != unit.gap and new[there].kind == unit.kind
        ]
        score, there = max(scores, default=(0.0, 0))
        if score >= _ALIKE:
            free.remove(-there)
            yield unit, new[-there]


def _elsewhere(pairs: Sequence[_Pair]) -> Iterator[_Pair]:
    """Yield the pairs that are not in one change, in the same order on both sides."""
    by_gap: dict[int, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        if pair[0].gap == pair[1].gap:
            by_gap[pair[0].gap].append(pair)
        else:
            yield pair
    for inside in by_gap.values():
        places = [(one.span[0], other.span[0]) for one, other in inside]
        stay = set(longest_rising(places))
        yield from (pair for pair, place in zip(inside, places, strict=True) if place not in stay)


def _joined(pairs: Iterable[tuple[_Pair, bool]]) -> Iterator[Move]:
    """Yield the moves; what went together is one, as a section with its heading."""
    runs: list[list[tuple[_Pair, bool]]] = []
    last = -1, -1
    for pair, edited in sorted(pairs, key=lambda item: item[0][0].place):
        places = pair[0].place, pair[1].place
        if places == (last[0] + 1, last[1] + 1):
            runs[-1].append((pair, edited))
        else:
            runs.append([(pair, edited)])
        last = places
    for run in runs:
        (first, _), (end, _) = run[0], run[-1]
        old, new = ((first[side].span[0], end[side].span[1]) for side in (0, 1))
        yield Move(old, new, edited=any(edited for _, edited in run))
