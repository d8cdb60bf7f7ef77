"""Which items of two sequences are the same ones, at a bounded price."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """How much work one diff may be: counted, not timed, so that it always has one answer.

    ``visits`` are items looked at in search of anchors. ``cells`` are pairs of items compared,
    ``gap_cells`` the most in one gap between anchors.
    """

    visits: int = 1_000_000
    gap_cells: int = 25_000_000
    cells: int = 100_000_000


LIMITS: Final = DiffLimits()

Step = tuple[int, int]
"""Index of an item in the old and in the new sequence; -1 where it is not there."""


@dataclass(frozen=True, slots=True)
class _Gap:
    """A part of both texts that is not aligned yet; ends are exclusive."""

    old: int
    old_end: int
    new: int
    new_end: int

    @property
    def items(self) -> int:
        return self.old_end - self.old + self.new_end - self.new

    @property
    def cells(self) -> int:
        return (self.old_end - self.old) * (self.new_end - self.new)


@dataclass(slots=True)
class Alignment:
    """Which old item became which new one: ``partner[old] == new``, or -1.

    Items are lines of a text, or words of a line, or whole blocks; here they are numbers, equal for
    equal ones. ``coarse`` says that some part was too much to compare, and stands unaligned.
    """

    before: Sequence[int]
    after: Sequence[int]
    partner: list[int]
    visits: int
    cells: int
    coarse: bool = False

    @classmethod
    def of(
        cls, before: Sequence[Hashable], after: Sequence[Hashable], limits: DiffLimits
    ) -> "Alignment":
        """Align as much as the limits allow."""
        numbers: dict[Hashable, int] = {}
        self = cls(
            [numbers.setdefault(item, len(numbers)) for item in before],
            [numbers.setdefault(item, len(numbers)) for item in after],
            [-1] * len(before),
            limits.visits,
            limits.cells,
        )
        gaps = [_Gap(0, len(before), 0, len(after))]
        while gaps:
            gap = self.trimmed(gaps.pop())
            if gap.cells:
                gaps += self.split(gap, limits.gap_cells)
        return self

    def trimmed(self, gap: _Gap) -> _Gap:
        """Align what is equal at both ends of ``gap``; return what is left."""
        old, old_end, new, new_end = gap.old, gap.old_end, gap.new, gap.new_end
        while old < old_end and new < new_end and self.before[old] == self.after[new]:
            self.partner[old] = new
            old, new = old + 1, new + 1
        while (
            old < old_end and new < new_end and self.before[old_end - 1] == self.after[new_end - 1]
        ):
            old_end, new_end = old_end - 1, new_end - 1
            self.partner[old_end] = new_end
        return _Gap(old, old_end, new, new_end)

    def split(self, gap: _Gap, gap_cells: int) -> list[_Gap]:
        """Align what can be aligned in ``gap``; return the smaller gaps that are left."""
        anchors: list[Step] = []
        if gap.items <= self.visits:
            self.visits -= gap.items
            anchors = self.anchors(gap)
        if not anchors:
            self.fill(gap, gap_cells)
            return []
        ends = [*anchors, (gap.old_end, gap.new_end)]
        starts = [(gap.old, gap.new), *((old + 1, new + 1) for old, new in anchors)]
        for old, new in anchors:
            self.partner[old] = new
        return [
            _Gap(old, old_end, new, new_end)
            for (old, new), (old_end, new_end) in zip(starts, ends, strict=True)
        ]

    def anchors(self, gap: _Gap) -> list[Step]:
        """Return lines that stand once on each side, as many as are in the same order on both.

        Such lines mean something; braces and blank lines, which stand everywhere, do not.
        """
        before, after = self.before[gap.old : gap.old_end], self.after[gap.new : gap.new_end]
        in_old, in_new = Counter(before), Counter(after)
        places = {line: place for place, line in enumerate(after, gap.new) if in_new[line] == 1}
        return longest_rising(
            [
                (place, places[line])
                for place, line in enumerate(before, gap.old)
                if in_old[line] == 1 and line in places
            ]
        )

    def fill(self, gap: _Gap, gap_cells: int) -> None:
        """Align as many lines of ``gap`` as possible, unless that is too much work."""
        if gap.cells > min(gap_cells, self.cells):
            self.coarse = True
            return
        self.cells -= gap.cells
        before, after = self.before[gap.old : gap.old_end], self.after[gap.new : gap.new_end]
        # The shorter side gives the width of the bit rows, the longer one their number.
        if len(before) < len(after):
            pairs = [(old, new) for new, old in _longest_common(after, before)]
        else:
            pairs = _longest_common(before, after)
        for old, new in pairs:
            self.partner[gap.old + old] = gap.new + new


def aligned(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Step]:
    """Return the pairs of places whose items are the same ones, in order."""
    partner = Alignment.of(old, new, LIMITS).partner
    return [(place, there) for place, there in enumerate(partner) if there >= 0]


def gaps(kept: Iterable[Step], ends: Step) -> Iterator[tuple[slice, slice, Step | None]]:
    """Yield what lies before each kept pair, and the pair; last what lies before the ``ends``."""
    old = new = 0
    for step in kept:
        yield slice(old, step[0]), slice(new, step[1]), step
        old, new = step[0] + 1, step[1] + 1
    yield slice(old, ends[0]), slice(new, ends[1]), None


def longest_rising(pairs: Sequence[Step]) -> list[Step]:
    """Return a longest part of ``pairs`` (rising on the left) that rises on the right, too."""
    tops: list[int] = []  # the smallest right end of a rising part, by the part's length
    ends: list[int] = []  # the pair that has it
    previous: list[int] = []
    for place, (_, right) in enumerate(pairs):
        length = bisect_left(tops, right)
        previous.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [right]
        ends[length : length + 1] = [place]
    rising: list[Step] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        rising.append(pairs[place])
        place = previous[place]
    rising.reverse()
    return rising


def _longest_common(rows: Sequence[int], columns: Sequence[int]) -> list[Step]:
    """Return a longest common subsequence as rising pairs of places in ``rows`` and ``columns``.

    All columns of a row are compared at once, as the bits of one number: bit c of a row's number
    is 0 where the best alignment with columns 0 to c is longer by one than with 0 to c - 1.
    """
    masks: dict[int, int] = {}
    for column, line in enumerate(columns):
        masks[line] = masks.get(line, 0) | 1 << column
    everything = (1 << len(columns)) - 1
    bits = everything
    table = [bits]
    for line in rows:
        if line in masks:
            hits = bits & masks[line]
            bits = (bits + hits | bits - hits) & everything
        table.append(bits)
    return _walked_back(table, len(columns))


def _walked_back(table: Sequence[int], column: int) -> list[Step]:
    pairs: list[Step] = []
    row = len(table) - 1
    while row and column:
        bit = 1 << column - 1
        if table[row] & bit:
            column -= 1
            continue
        row -= 1
        if table[row] & bit:  # longer by one in this row only: so these two lines are equal
            column -= 1
            pairs.append((row, column))
    pairs.reverse()
    return pairs
