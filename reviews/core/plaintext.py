"""Changed lines as plain text, for terminals."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from reviews.core.characters import marked
from reviews.core.diff import LineKind
from reviews.core.moves import Move
from reviews.core.split import SplitHunk, SplitLine, SplitRow

_SIGNS: Final = {LineKind.KEPT: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}
_MARKS: Final = {LineKind.REMOVED: ("[-", "-]"), LineKind.ADDED: ("{+", "+}")}


def unified_text(
    hunks: Sequence[SplitHunk], moves: Sequence[Move], names: tuple[str, str], *, words: bool
) -> str:
    """Return the hunks as ``diff -u`` writes them, between the ``names`` of both texts.

    What moved is told above, one line each. With ``words`` changed words stand in ``[-…-]`` and
    ``{+…+}``, and then the text is for reading only. Hidden characters are marked, so that no text
    speaks to the terminal.
    """
    return "".join(f"{marked(line)}\n" for line in _lines(hunks, moves, names, words=words))


def _lines(
    hunks: Sequence[SplitHunk], moves: Sequence[Move], names: tuple[str, str], *, words: bool
) -> Iterator[str]:
    for move in moves:
        edited = ", edited" if move.edited else ""
        yield f"moved: lines {_span(move.old)} to lines {_span(move.new)}{edited}"
    if hunks:
        yield f"--- {names[0]}"
        yield f"+++ {names[1]}"
    old = new = 0
    for hunk in hunks:
        lines = list(one_below_the_other(hunk.rows))
        old, new = old + hunk.left_out, new + hunk.left_out
        removed = sum(line.line.old_number is not None for line in lines)
        added = sum(line.line.new_number is not None for line in lines)
        place = f"@@ -{_range(old, removed)} +{_range(new, added)} @@"
        yield " ".join([place, " > ".join(hunk.path)]).rstrip()
        for line in lines:
            yield f"{_SIGNS[line.line.kind]}{_said(line, words=words)}"
            if not line.line.text.endswith("\n"):
                yield "\\ No newline at end of file"
        old, new = old + removed, new + added


def _span(span: tuple[int, int]) -> str:
    first, last = span
    return str(first) if first == last else f"{first}-{last}"


def _range(before: int, count: int) -> str:
    """Return where ``count`` lines stand, as diffs write it: of none, the line before."""
    if count == 1:
        return str(before + 1)
    return f"{before + 1 if count else before},{count}"


def _said(line: SplitLine, *, words: bool) -> str:
    text = line.line.text.removesuffix("\n")
    # A line that is marked whole has its sign already.
    if not words or line.line.kind is LineKind.KEPT or line.whole:
        return text
    before, behind = _MARKS[line.line.kind]
    parts = (f"{before}{span.text}{behind}" if span.changed else span.text for span in line.spans)
    return "".join(parts).removesuffix("\n")


def one_below_the_other(rows: Sequence[SplitRow]) -> Iterator[SplitLine]:
    """Yield the lines of ``rows``: of each change first what was removed."""
    for kept, run in groupby(rows, key=lambda row: row.kept):
        members = list(run)
        if kept:
            yield from (row.new for row in members if row.new)
            continue
        yield from (row.old for row in members if row.old)
        yield from (row.new for row in members if row.new)
