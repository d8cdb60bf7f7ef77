"""Changed lines side by side, with what a page says of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviews.core.blocks import Block
from reviews.core.diff import Diff, DiffLine, LineKind
from reviews.core.headings import path_at
from reviews.core.moves import Move
from reviews.core.pairing import Effort
from reviews.core.wording import Row, Span, WordedLine, rows


@dataclass(frozen=True, slots=True)
class SplitLine:
    """A line on its side; ``moved`` is its line on the other side, 0 when it did not move.

    ``whole``: it has no other version beside it, so all of it is marked.
    """

    line: DiffLine
    spans: tuple[Span, ...]
    moved: int = 0
    whole: bool = False

    @property
    def number(self) -> int:
        """Its number on its side."""
        return self.line.new_number or self.line.old_number or 0


@dataclass(frozen=True, slots=True)
class SplitRow:
    """What stands side by side; ``starts`` says that a change begins here."""

    old: SplitLine | None
    new: SplitLine | None
    kept: bool
    starts: bool


@dataclass(frozen=True, slots=True)
class SplitHunk:
    """Rows that stand together; ``path`` are the headings that the first one stands below."""

    rows: tuple[SplitRow, ...]
    left_out: int
    path: tuple[str, ...]


def split(
    found: Diff, moves: Sequence[Move], blocks: Sequence[Block], effort: Effort
) -> tuple[SplitHunk, ...]:
    """Return the hunks of ``found`` as rows; ``blocks`` are those of the new text."""
    away, here = _lines(moves)
    hunks: list[SplitHunk] = []
    for hunk in found.hunks:
        number = next((line.new_number for line in hunk.lines if line.new_number), 0)
        inside = tuple(_rows(rows(hunk.lines, effort), away, here))
        hunks.append(SplitHunk(inside, hunk.left_out, path_at(blocks, number)))
    return tuple(hunks)


def _lines(moves: Sequence[Move]) -> tuple[dict[int, int], dict[int, int]]:
    """Return for each moved line, old and new, one of the other side that it is part of."""
    away: dict[int, int] = {}
    here: dict[int, int] = {}
    for move in moves:
        away.update(dict.fromkeys(range(move.old[0], move.old[1] + 1), move.new[0]))
        here.update(dict.fromkeys(range(move.new[0], move.new[1] + 1), move.old[0]))
    return away, here


def _rows(
    found: Iterator[Row], away: Mapping[int, int], here: Mapping[int, int]
) -> Iterator[SplitRow]:
    changed = False
    for row in found:
        old = _line(row.old, away) if row.old else None
        new = _line(row.new, here) if row.new else None
        yield SplitRow(old, new, row.kept, starts=not row.kept and not changed)
        changed = not row.kept


def _line(worded: WordedLine, others: Mapping[int, int]) -> SplitLine:
    line = worded.line
    if line.kind is LineKind.KEPT:
        return SplitLine(line, worded.spans)
    number = line.new_number if line.kind is LineKind.ADDED else line.old_number
    whole = not any(span.changed for span in worded.spans)
    return SplitLine(line, tuple(marks(worded)), others.get(number or 0, 0), whole)


def marks(worded: WordedLine) -> Iterator[Span]:
    """Yield what to mark of a changed line: its changed words, or all behind its indent."""
    if any(span.changed for span in worded.spans):
        yield from worded.spans
        return
    text = worded.line.text
    said = text.lstrip(" \t")
    yield Span(text[: len(text) - len(said)])
    yield Span(said, changed=True)
