"""What changed between two texts, line by line, at a bounded price."""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from reviews.core.alignment import LIMITS, Alignment, DiffLimits, Step

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

    def kept(self, old_size: int) -> Iterator[Step]:
        """Yield the numbers, from 1, that each kept line has in the old and in the new text.

        ``old_size`` is how many lines the old text has.
        """
        old = new = 0
        for kind, old_at, new_at, count in self.runs():
            gone = count * (kind is not LineKind.ADDED)
            # What is not shown before a run is kept.
            same = old_at - old + (count if kind is LineKind.KEPT else 0)
            yield from ((old + n, new + n) for n in range(1, same + 1))
            old, new = old_at + gone, new_at + count * (kind is not LineKind.REMOVED)
        yield from ((old + n, new + n) for n in range(1, old_size - old + 1))


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
    alignment = Alignment.of(before, after, limits)
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


def _steps(partner: Sequence[int], size: int) -> Iterator[Step]:
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


def _shown(steps: Sequence[Step], context: int | None) -> list[slice]:
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


def _runs(steps: Sequence[Step], part: slice) -> Iterator[tuple[int, int, int, int]]:
    """Yield the runs of a part: what stands before it is kept, so it says where both texts are."""
    old, new = (place + 1 for place in steps[part.start - 1]) if part.start else (0, 0)
    for kind, members in groupby(steps[part], key=_kind):
        count = sum(1 for _ in members)
        yield _KINDS.index(kind), old, new, count
        old += count * (kind is not LineKind.ADDED)
        new += count * (kind is not LineKind.REMOVED)


def _kind(step: Step) -> LineKind:
    old, new = step
    if new < 0:
        return LineKind.REMOVED
    return LineKind.ADDED if old < 0 else LineKind.KEPT


def _step_of(kind: LineKind, old: int, new: int) -> Step:
    return -1 if kind is LineKind.ADDED else old, -1 if kind is LineKind.REMOVED else new


def _line(before: Sequence[str], after: Sequence[str], step: Step) -> DiffLine:
    old, new = step
    if new < 0:
        return DiffLine(LineKind.REMOVED, old + 1, None, before[old])
    if old < 0:
        return DiffLine(LineKind.ADDED, None, new + 1, after[new])
    return DiffLine(LineKind.KEPT, old + 1, new + 1, after[new])
