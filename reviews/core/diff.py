"""What changed between two texts, line by line, at a bounded price."""

import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

ENGINE: Final = 1
"""Raise it with each change of what ``outline`` returns: outlines are kept by it."""
_JOINED_BELOW: Final = 2
"""Hunks with fewer hidden lines between them are shown as one: a fold would take more room."""


class LineKind(StrEnum):
    """What became of a line."""

    KEPT = "kept"
    ADDED = "added"
    REMOVED = "removed"


_KINDS: Final = tuple(LineKind)


@dataclass(frozen=True, slots=True)
class DiffLine:
    r"""One line of the old or of the new text, or of both.

    Numbers count from 1. ``text`` holds the line's own ``\n`` (the last line may have none), so
    that a line end that was added or lost is a change like any other.
    """

    kind: LineKind
    old_number: int | None
    new_number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together in both texts, and how many kept ones before them are left out."""

    lines: tuple[DiffLine, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed; ``added`` and ``removed`` count lines.

    ``rest`` kept lines behind the last hunk are not shown.

    ``coarse`` says that some part was too large to compare within the limits: it stands there as
    removed and added as a whole, and may hold lines that did not change.
    """

    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    coarse: bool
    rest: int = 0


_Run = tuple[LineKind, int, int, int]
"""Lines of one kind: where they begin in the old and in the new text (from 0), and how many."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Which lines a diff shows, without their text; ``shown`` counts them.

    ``packed`` are their runs, four numbers each, compressed.
    """

    shown: int
    added: int
    removed: int
    coarse: bool
    packed: bytes

    def runs(self) -> Iterator[_Run]:
        """Yield the runs in order."""
        numbers = iter(array("I", zlib.decompress(self.packed)))
        for kind, old, new, count in zip(*[numbers] * 4, strict=True):
            yield _KINDS[kind], old, new, count


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """How much work one diff may be: counted, not timed, so that it always has one answer.

    ``visits`` are lines looked at in search of anchors. ``cells`` are pairs of lines compared,
    ``gap_cells`` the most in one gap between anchors.
    """

    visits: int = 1_000_000
    gap_cells: int = 25_000_000
    cells: int = 100_000_000


LIMITS: Final = DiffLimits()


def lines_of(text: str) -> list[str]:
    r"""Return the lines of ``text``, each with its ``\n``; nothing else ends a line."""
    *ended, rest = text.split("\n")
    lines = [f"{line}\n" for line in ended]
    return [*lines, rest] if rest else lines


def diff(old: str, new: str, *, context: int | None = 3, limits: DiffLimits = LIMITS) -> Diff:
    """Return what turns ``old`` into ``new``.

    ``context`` is how many kept lines are shown around a change; ``None`` shows all lines, as one
    hunk. Then kept and removed lines are ``old``, kept and added lines are ``new``, byte by byte.
    """
    return excerpt(outline(old, new, context=context, limits=limits), old, new)


def outline(old: str, new: str, *, context: int | None = 3, limits: DiffLimits = LIMITS) -> Outline:
    """Return which lines ``diff`` shows: all the work, and little to keep."""
    before, after = lines_of(old), lines_of(new)
    alignment = _Alignment.of(before, after, limits)
    steps = list(_steps(alignment.partner, len(after)))
    kept = sum(1 for partner in alignment.partner if partner >= 0)
    parts = _shown(steps, context)
    runs = array("I")
    for part in parts:
        for run in _runs(steps, part):
            runs.extend(run)
    return Outline(
        shown=sum(part.stop - part.start for part in parts),
        added=len(after) - kept,
        removed=len(before) - kept,
        coarse=alignment.coarse,
        packed=zlib.compress(runs.tobytes(), level=1),
    )


def excerpt(found: Outline, old: str, new: str, *, start: int = 0, most: int | None = None) -> Diff:
    """Return ``most`` of the lines that ``found`` (the outline of these texts) shows.

    They begin with the one at ``start``, from 0. A hunk that begins before has only its rest.
    """
    before, after = lines_of(old), lines_of(new)
    stop = found.shown if most is None else min(start + most, found.shown)
    hunks: list[tuple[int, list[DiffLine]]] = []
    place = end = 0
    for kind, old_at, new_at, count in found.runs():
        left_out, end = old_at - end, old_at + count * (kind is not LineKind.ADDED)
        first, last = max(start - place, 0), min(stop - place, count)
        place += count
        if first < last:
            if left_out or not hunks:
                hunks.append((0 if first else left_out, []))
            steps = (_step_of(kind, old_at + n, new_at + n) for n in range(first, last))
            hunks[-1][1].extend(_line(before, after, step) for step in steps)
    return Diff(
        hunks=tuple(Hunk(tuple(lines), left_out) for left_out, lines in hunks),
        added=found.added,
        removed=found.removed,
        coarse=found.coarse,
        rest=len(before) - end if hunks and stop == found.shown else 0,
    )


_Step = tuple[int, int]
"""Index of a line in the old and in the new text; -1 where it is not there."""


def _steps(partner: Sequence[int], size: int) -> Iterator[_Step]:
    """Walk both texts: in each gap first what was removed, then what was added."""
    new = 0
    for old, match in enumerate(partner):
        while match >= 0 and new < match:
            yield -1, new
            new += 1
        yield old, match
        new += match >= 0
    while new < size:
        yield -1, new
        new += 1


def _shown(steps: Sequence[_Step], context: int | None) -> list[slice]:
    """Return the parts of ``steps`` to show: each change with ``context`` lines around it."""
    if context is None:
        return [slice(0, len(steps))] if steps else []
    parts: list[slice] = []
    for place in (place for place, step in enumerate(steps) if min(step) < 0):
        start, stop = max(place - context, 0), min(place + context + 1, len(steps))
        if parts and start - parts[-1].stop < _JOINED_BELOW:
            parts[-1] = slice(parts[-1].start, stop)
        else:
            parts.append(slice(start, stop))
    return parts


def _runs(steps: Sequence[_Step], part: slice) -> Iterator[tuple[int, int, int, int]]:
    """Yield the runs of a part: what stands before it is kept, so it says where both texts are."""
    old, new = (place + 1 for place in steps[part.start - 1]) if part.start else (0, 0)
    for kind, members in groupby(steps[part], key=_kind):
        count = sum(1 for _ in members)
        yield _KINDS.index(kind), old, new, count
        old += count * (kind is not LineKind.ADDED)
        new += count * (kind is not LineKind.REMOVED)


def _kind(step: _Step) -> LineKind:
    old, new = step
    if new < 0:
        return LineKind.REMOVED
    return LineKind.ADDED if old < 0 else LineKind.KEPT


def _step_of(kind: LineKind, old: int, new: int) -> _Step:
    return -1 if kind is LineKind.ADDED else old, -1 if kind is LineKind.REMOVED else new


def _line(before: Sequence[str], after: Sequence[str], step: _Step) -> DiffLine:
    old, new = step
    if new < 0:
        return DiffLine(LineKind.REMOVED, old + 1, None, before[old])
    if old < 0:
        return DiffLine(LineKind.ADDED, None, new + 1, after[new])
    return DiffLine(LineKind.KEPT, old + 1, new + 1, after[new])


@dataclass(frozen=True, slots=True)
class _Gap:
    """A part of both texts that is not aligned yet; ends are exclusive."""

    old: int
    old_end: int
    new: int
    new_end: int

    @property
    def lines(self) -> int:
        return self.old_end - self.old + self.new_end - self.new

    @property
    def cells(self) -> int:
        return (self.old_end - self.old) * (self.new_end - self.new)


@dataclass(slots=True)
class _Alignment:
    """Which old line became which new one: ``partner[old] == new``, or -1.

    Lines are numbers here, equal for equal lines.
    """

    before: Sequence[int]
    after: Sequence[int]
    partner: list[int]
    visits: int
    cells: int
    coarse: bool = False

    @classmethod
    def of(cls, before: Sequence[str], after: Sequence[str], limits: DiffLimits) -> "_Alignment":
        numbers: dict[str, int] = {}
        self = cls(
            [numbers.setdefault(line, len(numbers)) for line in before],
            [numbers.setdefault(line, len(numbers)) for line in after],
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
        anchors: list[_Step] = []
        if gap.lines <= self.visits:
            self.visits -= gap.lines
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

    def anchors(self, gap: _Gap) -> list[_Step]:
        """Return lines that stand once on each side, as many as are in the same order on both.

        Such lines mean something; braces and blank lines, which stand everywhere, do not.
        """
        before, after = self.before[gap.old : gap.old_end], self.after[gap.new : gap.new_end]
        in_old, in_new = Counter(before), Counter(after)
        places = {line: place for place, line in enumerate(after, gap.new) if in_new[line] == 1}
        return _longest_rising(
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


def _longest_rising(pairs: Sequence[_Step]) -> list[_Step]:
    """Return a longest part of ``pairs`` (rising on the left) that rises on the right, too."""
    tops: list[int] = []  # the smallest right end of a rising part, by the part's length
    ends: list[int] = []  # the pair that has it
    previous: list[int] = []
    for place, (_, right) in enumerate(pairs):
        length = bisect_left(tops, right)
        previous.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [right]
        ends[length : length + 1] = [place]
    rising: list[_Step] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        rising.append(pairs[place])
        place = previous[place]
    rising.reverse()
    return rising


def _longest_common(rows: Sequence[int], columns: Sequence[int]) -> list[_Step]:
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


def _walked_back(table: Sequence[int], column: int) -> list[_Step]:
    pairs: list[_Step] = []
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
