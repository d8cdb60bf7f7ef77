"""Which words changed inside changed lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from reviews.core.alignment import Step, gaps
from reviews.core.diff import DiffLine, LineKind
from reviews.core.pairing import Effort, Sayings, Weighed, kept_words, paired


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line; ``changed`` marks what the line's other version lacks."""

    text: str
    changed: bool = False


@dataclass(frozen=True, slots=True)
class WordedLine:
    """A line with its changed words marked.

    Joined, the ``spans`` are ``line.text``. A line that has no other version has no mark: it
    changed as a whole, as ``line.kind`` says.
    """

    line: DiffLine
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """An old and a new line side by side; a kept line stands on both sides.

    Two lines in one row are not always versions of each other: a row is only where they stand.
    """

    old: WordedLine | None
    new: WordedLine | None

    @property
    def kept(self) -> bool:
        """Whether both sides are the same line."""
        return self.old is not None and self.old.line.kind is LineKind.KEPT


def rows(lines: Iterable[DiffLine], effort: Effort) -> Iterator[Row]:
    """Yield ``lines`` (of one hunk) as rows, with changed words marked as far as ``effort`` goes.

    Read down the left side, kept lines with it, it is the old text; down the right, the new one.
    """
    for kept, run in groupby(lines, key=lambda line: line.kind is LineKind.KEPT):
        if kept:
            for line in run:
                same = whole(line)
                yield Row(same, same)
        else:
            found = list(run)
            removed = [line for line in found if line.kind is LineKind.REMOVED]
            added = [line for line in found if line.kind is LineKind.ADDED]
            yield from _changed(removed, added, effort)


def unified(found: Iterable[Row]) -> Iterator[WordedLine]:
    """Yield the lines of rows one below the other: of each change first what was removed."""
    for kept, run in groupby(found, key=lambda row: row.kept):
        members = list(run)
        yield from (row.old for row in members if row.old)
        if not kept:
            yield from (row.new for row in members if row.new)


def whole(line: DiffLine) -> WordedLine:
    """Return ``line`` without marks."""
    return WordedLine(line, (Span(line.text),))


def versions(old: str, new: str, effort: Effort) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return both versions of a text, with the words marked that the other one lacks.

    Neither has a mark where too little is kept, or where that is too much work.
    """
    words = effort.words(old), effort.words(new)
    before, after = words
    found = _marked(before, after) if before and after else None
    return found or ((Span(old),), (Span(new),))


def _changed(
    removed: Sequence[DiffLine], added: Sequence[DiffLine], effort: Effort
) -> Iterator[Row]:
    if not removed or not added:
        yield from _beside(removed, added)
        return
    old = Sayings.of([effort.words(line.text) for line in removed])
    new = Sayings.of([effort.words(line.text) for line in added])
    for gone, come, pair in gaps(paired(old, new, effort), (len(removed), len(added))):
        yield from _beside(removed[gone], added[come])
        if pair:
            yield _pair(removed[pair[0]], added[pair[1]], (old, new), pair)


def _beside(removed: Sequence[DiffLine], added: Sequence[DiffLine]) -> Iterator[Row]:
    for old, new in zip_longest(removed, added):
        yield Row(whole(old) if old else None, whole(new) if new else None)


def _pair(old: DiffLine, new: DiffLine, said: tuple[Sayings, Sayings], places: Step) -> Row:
    before, after = (side.words[place] or () for side, place in zip(said, places, strict=True))
    found = _marked(before, after)
    if found is None:
        return Row(whole(old), whole(new))
    return Row(WordedLine(old, found[0]), WordedLine(new, found[1]))


def _marked(
    old: Sequence[str], new: Sequence[str]
) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
    kept = kept_words(Weighed.of(old), Weighed.of(new))
    if kept is None:
        return None
    return _spans(old, {place for place, _ in kept}), _spans(new, {place for _, place in kept})


def _spans(words: Sequence[str], kept: set[int]) -> tuple[Span, ...]:
    runs = groupby(enumerate(words), key=lambda item: item[0] not in kept)
    return tuple(Span("".join(word for _, word in run), changed) for changed, run in runs)
