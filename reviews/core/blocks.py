"""A plan cut into blocks, each with its lines of the source.

Comments, changes, moves and what somebody has seen all hang on blocks, and blocks are what is
drawn. So the cut is the renderer's own: its grammar reads the plan, and is watched while it does.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.preprocessors import NormalizeWhitespace

from reviews.core.characters import marked
from reviews.core.diff import lines_of
from reviews.core.effort import PlainReason, too_costly, too_long
from reviews.core.grammar import HEADINGS, grammar
from reviews.core.layout import CodeBlock, Span, laid_out


class BlockKind(StrEnum):
    """What a block is drawn as."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    RULE = "rule"


_KIND_OF: Final = {
    **dict.fromkeys(HEADINGS, BlockKind.HEADING),
    "ul": BlockKind.LIST,
    "ol": BlockKind.LIST,
    "table": BlockKind.TABLE,
    "pre": BlockKind.CODE,
    "blockquote": BlockKind.QUOTE,
    "hr": BlockKind.RULE,
}
CODE_LINE: Final = re.compile(r" *\0(\d+)\0")
"""A line of a page that stands for a fenced block of code."""
_ITEM: Final = re.compile(r"(?:-|\d+\.)(?: |$)")
_DEFINITION: Final = re.compile(r" *\[([^\[\]]+)\]: *(\S+)(?: +(?:\"(.*)\"|'.*'|\(.*\)))? *")


@dataclass(frozen=True)
class Block:
    """A top-level block of a plan: a heading, a list with its items, a table.

    ``first`` and ``last`` are lines of the source, from 1, both part of the block; ``text`` is
    what stands there, byte for byte. ``path`` are the headings that it stands below, outermost
    first (a heading's own path does not hold it). ``parts`` are the lines of a list's items.
    ``level`` is a heading's, 0 for all else. ``page`` are its lines as the renderer takes them,
    ``codes`` the fenced blocks among them.
    """

    kind: BlockKind
    first: int
    last: int
    text: str
    path: tuple[str, ...] = ()
    parts: tuple[Span, ...] = ()
    level: int = 0
    page: tuple[str, ...] = ()
    codes: tuple[CodeBlock, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Sha256 of ``text``: the same words are the same block, wherever they stand."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def title(self) -> str:
        """What a heading says, without its marks; empty for all else."""
        if not self.level:
            return ""
        line = self.text.lstrip().partition("\n")[0].strip()
        return line.lstrip("#").strip().rstrip("#").rstrip() if line.startswith("#") else line


@dataclass(frozen=True, slots=True)
class Reading:
    """A plan as it is read.

    ``definitions`` are its links' targets and titles by name. ``plain`` says why it is not read as
    Markdown, if it is not: then blocks are what blank lines part.
    """

    blocks: tuple[Block, ...]
    definitions: dict[str, tuple[str, str]] = field(default_factory=dict)
    plain: PlainReason | None = None


def cut(text: str) -> tuple[Block, ...]:
    """Return the blocks of ``text`` in order.

    Each line that is not blank belongs to one of them. Whatever the text, the price is that of
    reading it a few times.
    """
    return read(text).blocks


def read(text: str) -> Reading:
    """Return ``text`` as blocks, with what their drawing needs of the whole."""
    source = lines_of(text)
    reason = too_long(text)
    if reason is not None:
        return Reading(_plain_blocks(source), plain=reason)
    codes: list[CodeBlock] = []

    def keep(code: CodeBlock) -> str:
        codes.append(code)
        return f"\0{len(codes) - 1}\0"

    md = grammar()
    lines = NormalizeWhitespace(md).run(marked(text).split("\n"))
    page = laid_out(lines, keep)
    reason = too_costly(page.lines)
    if reason is not None:
        return Reading(_plain_blocks(source), plain=reason)
    try:
        steps = _Steps.over(page.lines, md)
    except RecursionError:
        return Reading(_plain_blocks(source), plain=PlainReason.FAILED)
    found = (_block(step, page.lines, page.sources, source, codes) for step in steps.groups)
    return Reading(tuple(_with_paths(found)), _definitions(page.lines))


def _definitions(page: Sequence[str]) -> dict[str, tuple[str, str]]:
    found = filter(None, map(_DEFINITION.fullmatch, page))
    parts = (definition.groups(default="") for definition in found)
    return {name.strip().lower(): (target.strip("<>"), title) for name, target, title in parts}


@dataclass(frozen=True, slots=True)
class _Group:
    """Elements that were made of the lines ``start`` to ``stop`` of the page (from 0)."""

    tags: tuple[str, ...]
    start: int
    stop: int


@dataclass(slots=True)
class _Steps:
    """Watches a parser at the root of a page: which lines became which elements.

    Each step takes the first chunk of the page away, whole or in part, and makes elements of it,
    or adds to the last one. What it left is a suffix of the page, so its length says how far the
    parser is.
    """

    parser: BlockParser
    text: str
    starts: list[int]
    root: Element = field(default_factory=lambda: Element("div"))
    groups: list[_Group] = field(default_factory=list)
    place: int = 0
    made: int = 0

    @classmethod
    def over(cls, lines: Sequence[str], md: Markdown) -> "_Steps":
        starts, place = [], 0
        for line in lines:
            starts.append(place)
            place += len(line) + 1
        steps = cls(md.parser, "\n".join(lines), starts)
        inner = md.parser.parseBlocks

        def watched(parent: Element, blocks: list[str]) -> None:
            if parent is steps.root:
                steps.walk(blocks)
            else:
                inner(parent, blocks)

        md.parser.parseBlocks = watched  # type: ignore[method-assign]
        md.parser.root = steps.root
        watched(steps.root, steps.text.split("\n\n"))
        return steps

    def walk(self, blocks: list[str]) -> None:
        """Parse ``blocks``; what a step parses before its own lines comes here, too."""
        while blocks:
            start, count, chunk = self.place, len(blocks), blocks[0]
            self.step(blocks)
            if len(blocks) == count:
                end = start + len(chunk) - len(blocks[0])
            else:
                end = start + len(chunk) + (2 if blocks else 0)
            self.note(end)

    def step(self, blocks: list[str]) -> None:
        """Let the first processor that takes the next chunk do so; the last one takes all."""
        any(
            processor.test(self.root, blocks[0]) and processor.run(self.root, blocks) is not False
            for processor in self.parser.blockprocessors
        )

    def note(self, end: int) -> None:
        """Say that the page up to ``end`` became what is new below the root."""
        tags = tuple(element.tag for element in self.root[self.made :])
        said = self.text[self.place : end]
        if said.strip(" \n"):
            first = self.place + len(said) - len(said.lstrip("\n"))
            start = bisect_right(self.starts, first) - 1
            stop = bisect_right(self.starts, self.place + len(said.rstrip(" \n")) - 1)
            if tags or not self.groups:
                self.groups.append(_Group(tags, start, stop))
            else:
                last = self.groups[-1]
                self.groups[-1] = _Group(last.tags, last.start, stop)
        self.place, self.made = end, len(self.root)


def _block(
    group: _Group,
    page: Sequence[str],
    sources: Sequence[Span],
    source: Sequence[str],
    codes: Sequence[CodeBlock],
) -> Block:
    lines = page[group.start : group.stop]
    spans = [span for span in sources[group.start : group.stop] if span[0]]
    first, last = spans[0][0], max(span[1] for span in spans)
    kind = _kind(group.tags, lines)
    inside = [codes[int(found[1])] for found in map(CODE_LINE.fullmatch, lines) if found]
    return Block(
        kind,
        first,
        last,
        "".join(source[first - 1 : last]),
        parts=tuple(_items(lines, sources[group.start : group.stop]))
        if kind is BlockKind.LIST
        else (),
        level=HEADINGS[group.tags[0]] if kind is BlockKind.HEADING else 0,
        page=tuple(lines),
        codes=tuple(inside),
    )


def _kind(tags: Sequence[str], lines: Sequence[str]) -> BlockKind:
    if len(lines) == 1 and CODE_LINE.fullmatch(lines[0]):
        return BlockKind.CODE
    return _KIND_OF.get("".join(tags[:1]), BlockKind.PARAGRAPH)


def _items(lines: Sequence[str], sources: Sequence[Span]) -> Iterator[Span]:
    """Yield the source lines of each item of a list."""
    first = last = sources[0][0]
    for line, span in zip(lines, sources, strict=True):
        if _ITEM.match(line) and span[0] != first:
            yield first, last
            first = span[0]
        last = max(last, span[1])
    yield first, last


def _with_paths(blocks: Iterator[Block]) -> Iterator[Block]:
    above: list[tuple[int, str]] = []
    for block in blocks:
        if block.level:
            above = [(level, title) for level, title in above if level < block.level]
        yield _below(block, tuple(title for _, title in above))
        if block.level:
            above.append((block.level, block.title))


def _below(block: Block, path: tuple[str, ...]) -> Block:
    fields = (block.kind, block.first, block.last, block.text)
    return Block(*fields, path, block.parts, block.level, block.page, block.codes)


def _plain_blocks(source: Sequence[str]) -> tuple[Block, ...]:
    """Return what blank lines part."""
    blocks = []
    numbered = enumerate(source, start=1)
    for blank, run in groupby(numbered, key=lambda line: not line[1].strip()):
        if not blank:
            lines = list(run)
            text = "".join(line for _, line in lines)
            blocks.append(Block(BlockKind.PARAGRAPH, lines[0][0], lines[-1][0], text))
    return tuple(blocks)
