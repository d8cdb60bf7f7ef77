"""What changed between two revisions, as it is drawn."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Final

from django.core.cache import cache

from reviews.core.alignment import Step, gaps
from reviews.core.blending import all_marked, blended
from reviews.core.blocks import Block, BlockKind, cut
from reviews.core.diff import ENGINE, Outline, lines_of, outline
from reviews.core.fragments import COME, GONE
from reviews.core.layout import Span
from reviews.core.moves import Move, moves
from reviews.core.pairing import Effort, Sayings, paired
from reviews.rendering import VERSION, DrawnBlock, drawn

DRAWN_ENGINE: Final = 1
"""Raise it with each change of what ``changes`` or ``compared`` return: both are kept by it."""
_OPENING: Final = 500
"""Characters of a block by which its other version is found."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which lines changed between two texts, and which only moved."""

    outline: Outline
    moves: tuple[Move, ...]


class ChangeKind(StrEnum):
    """What became of a block."""

    KEPT = "kept"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    HERE = "here"  # moved: where it stands now
    LEFT = "left"  # moved: where it stood


@dataclass(frozen=True, slots=True)
class Change:
    """A block that changed, or a run of blocks that did not.

    ``first`` to ``last`` are its lines: of the old text where it is not in the new one. A run that
    did not change has the ``title`` of its heading and the ``count`` of blocks below; its heading
    stands in ``heading``. ``move`` is the number of the move (from 1) that the block is part of, 0
    for none, ``other`` a line of its other end, ``begins`` is so for the first block of a move.
    ``inside`` are moves of single items to this list.
    """

    kind: ChangeKind
    html: str
    first: int
    last: int
    heading: str = ""
    count: int = 0
    move: int = 0
    other: int = 0
    begins: bool = False
    edited: bool = False
    digest: str = ""
    inside: tuple[Move, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether nothing changed."""
        return self.kind is ChangeKind.KEPT


def compared(old: str, new: str) -> Comparison:
    """Return which lines changed and moved from ``old`` to ``new``; worked out once for a pair."""
    pair = _digest(old), _digest(new)
    found = known(*pair)
    if found is None:
        lines = outline(old, new)
        found = Comparison(lines, moves(cut(old), cut(new), lines, Effort()))
        cache.set(_key(*pair), found, timeout=None)
    return found


def known(old_sha256: str, new_sha256: str) -> Comparison | None:
    """Return what ``compared`` says of these texts, if it was worked out already."""
    found: Comparison | None = cache.get(_key(old_sha256, new_sha256))
    return found


def _key(old_sha256: str, new_sha256: str) -> str:
    return f"compared:{ENGINE}:{DRAWN_ENGINE}:{old_sha256}:{new_sha256}"


def changes(old: str, new: str) -> tuple[Change, ...] | None:
    """Return what became of the blocks of ``old`` and ``new``; ``None`` if one can't be drawn.

    One copy for everybody, kept for ever: nothing in it depends on who looks, or in what language.
    Marked text stands in ``GONE`` and ``COME``.
    """
    key = f"changes:{DRAWN_ENGINE}:{ENGINE}:{VERSION}:{_digest(old)}:{_digest(new)}"
    found: tuple[Change, ...] | None = cache.get(key)
    if found is None:
        before, after = drawn(old), drawn(new)
        if before.plain_reason or after.plain_reason:
            return None
        found_lines = compared(old, new)
        lines = dict(found_lines.outline.kept(len(lines_of(old))))
        pair = _Pair(before.blocks, after.blocks, found_lines.moves, lines)
        found = tuple(_folded(pair.changes()))
        cache.set(key, found, timeout=None)
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Pair:
    """The drawn blocks of two texts, and what moved between them."""

    def __init__(
        self,
        old: Sequence[DrawnBlock],
        new: Sequence[DrawnBlock],
        found: Sequence[Move],
        lines: Mapping[int, int],
    ) -> None:
        self.old, self.new, self.moves, self.lines = old, new, found, lines
        self.effort = Effort(longest=4_000, characters=150_000)

    def changes(self) -> Iterator[Change]:
        """Yield what became of the blocks, in the order in which a reader meets them."""
        for gone, come, pair in gaps(self.kept(), (len(self.old), len(self.new))):
            yield from self.gap(self.old[gone], self.new[come])
            if pair:
                yield _change(ChangeKind.KEPT, self.new[pair[1]].html, self.new[pair[1]].block)

    def kept(self) -> Iterator[Step]:
        """Yield the blocks that look the same, and whose lines were not moved."""
        places = {drawing.block.first: place for place, drawing in enumerate(self.new)}
        for place, drawing in enumerate(self.old):
            there = places.get(self.lines.get(drawing.block.first, 0))
            if there is not None and self.new[there].html == drawing.html:
                yield place, there

    def gap(self, old: Sequence[DrawnBlock], new: Sequence[DrawnBlock]) -> Iterator[Change]:
        """Yield what became of blocks between two that were kept."""
        for gone, come, pair in gaps(self.versions(old, new), (len(old), len(new))):
            yield from map(self.removed, old[gone])
            yield from map(self.added, new[come])
            if pair:
                yield from self.merged(old[pair[0]], new[pair[1]])

    def versions(self, old: Sequence[DrawnBlock], new: Sequence[DrawnBlock]) -> list[Step]:
        """Return which blocks are versions of each other; what moved has its other end."""
        olds = [place for place, drawing in enumerate(old) if not self.left(drawing.block)]
        news = [place for place, drawing in enumerate(new) if not self.here(drawing.block)]
        if not olds or not news:
            return []
        before = self.sayings(old[place].block for place in olds)
        after = self.sayings(new[place].block for place in news)
        return [(olds[a], news[b]) for a, b in paired(before, after, self.effort)]

    def sayings(self, blocks: Iterable[Block]) -> Sayings:
        """Return what ``blocks`` say."""
        found = list(blocks)
        words = [self.effort.words(block.text[:_OPENING]) for block in found]
        return Sayings.of(words, [block.kind for block in found])

    def left(self, block: Block) -> int:
        """Return the number of the move that took ``block`` away, 0 for none."""
        spans = enumerate((move.old for move in self.moves), start=1)
        return next((number for number, span in spans if _within(block, span)), 0)

    def here(self, block: Block) -> int:
        """Return the number of the move that brought ``block`` here, 0 for none."""
        spans = enumerate((move.new for move in self.moves), start=1)
        return next((number for number, span in spans if _within(block, span)), 0)

    def removed(self, old: DrawnBlock) -> Change:
        """Return that ``old`` is not here any more."""
        move = self.left(old.block)
        if move:
            other = self.moves[move - 1].new[0]
            return replace(_change(ChangeKind.LEFT, old.html, old.block), move=move, other=other)
        return _change(ChangeKind.REMOVED, all_marked(old.html, GONE), old.block)

    def added(self, new: DrawnBlock) -> Change:
        """Return that ``new`` was not here before."""
        move = self.here(new.block)
        if not move:
            return _change(ChangeKind.ADDED, all_marked(new.html, COME), new.block)
        source = self.moves[move - 1]
        html = self.moved(new, source) if source.edited else new.html
        change = _change(ChangeKind.HERE, html, new.block)
        begins = new.block.first == source.new[0]
        other, edited = source.old[0], source.edited
        return replace(change, move=move, other=other, begins=begins, edited=edited)

    def moved(self, new: DrawnBlock, move: Move) -> str:
        """Return ``new`` with the words marked that changed on its way."""
        before = [b for b in self.old if _within(b.block, move.old)]
        after = [b.block.first for b in self.new if _within(b.block, move.new)]
        place = after.index(new.block.first)
        same_kind = place < len(before) and before[place].block.kind == new.block.kind
        html = blended(before[place].html, new.html, self.effort) if same_kind else None
        return str(new.html) if html is None else html

    def merged(self, old: DrawnBlock, new: DrawnBlock) -> Iterator[Change]:
        """Yield two versions as one block, or as two where that is too much work."""
        if old.html == new.html:
            yield _change(ChangeKind.KEPT, new.html, new.block)
            return
        html = blended(old.html, new.html, self.effort)
        if html is None:
            yield self.removed(old)
            yield self.added(new)
            return
        block = new.block
        items = (m for m in self.moves if block.first <= m.new[0] and m.new[1] <= block.last)
        yield replace(_change(ChangeKind.CHANGED, html, block), inside=tuple(items))


def _within(block: Block, span: Span) -> bool:
    return span[0] <= block.first and block.last <= span[1]


def _change(kind: ChangeKind, html: str, block: Block) -> Change:
    heading = block.title if block.kind is BlockKind.HEADING else ""
    return Change(kind, str(html), block.first, block.last, heading, digest=block.digest)


def _folded(found: Iterable[Change]) -> Iterator[Change]:
    """Yield changes; what left together is one, and what was kept is one below each heading."""
    for (kind, _), run in groupby(found, key=lambda change: (change.kind, change.move)):
        match kind:
            case ChangeKind.KEPT:
                yield from map(_section, _sections(run))
            case ChangeKind.LEFT:
                members = list(run)
                html = "\n".join(change.html for change in members)
                yield replace(members[0], html=html, last=members[-1].last, begins=True)
            case _:
                yield from run


def _sections(run: Iterable[Change]) -> list[list[Change]]:
    sections: list[list[Change]] = [[]]
    for change in run:
        if change.heading and sections[-1]:
            sections.append([])
        sections[-1].append(change)
    return sections


def _section(members: Sequence[Change]) -> Change:
    first, last = members[0], members[-1]
    below = members[1:] if first.heading else members
    html = "\n".join(change.html for change in (below or members))
    return replace(first, html=html, last=last.last, count=len(below), digest="")
