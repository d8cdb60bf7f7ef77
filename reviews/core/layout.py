"""Plan text as people write it, in the form the renderer needs."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

_STEP: Final = 4
"""Columns by which the renderer wants the content of a list item to be indented."""

_MARKER: Final = re.compile(r"([-+*]|\d{1,9}[.)])( +|$)(?:\[([ xX])\](?= ))?")
_RULE: Final = re.compile(r"(?:(?:- *){3,}|(?:_ *){3,}|(?:\* *){3,})$")
_UNDERLINE: Final = re.compile(r"(?:=+|-+) *$")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_HEADING: Final = re.compile(r"#{1,6}(?: |$)")
_TABLE_RULE: Final = frozenset("|:- ")
_BOXES: Final = {"": "", " ": "☐", "x": "☑", "X": "☑"}


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A fenced block; ``info`` is what stood after the opening fence."""

    info: str
    text: str

    @property
    def language(self) -> str:
        """The first word of ``info``, lower-case, or nothing."""
        return "".join(self.info.lower().split()[:1])


Span = tuple[int, int]
"""First and last line of the source, counted from 1; ``(0, 0)`` for a line that is not in it."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A page's lines, and for each of them what it was made of."""

    lines: list[str]
    sources: list[Span]


def laid_out(lines: Iterable[str], keep: Callable[[CodeBlock], str]) -> Laid:
    """Return ``lines`` with lists, headings, tables and code where the renderer finds them.

    Lists may be indented by what their marker takes (as CommonMark has it), may follow a paragraph
    at once, and have task boxes as characters. ``keep`` stores a fenced block and returns the line
    that stands for it. Lines come without line ends and tabs. One pass, so the price is linear.
    """
    page = _Page(keep)
    for line in lines:
        page.read(line)
    page.end()
    return Laid(page.lines, page.sources)


@dataclass(frozen=True, slots=True)
class _Item:
    """An open list item: the column of its content, and its marker's last character."""

    content: int
    kind: str


@dataclass(slots=True)
class _Code:
    """An open fence."""

    fence: str
    indent: int
    info: str
    first: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Page:
    keep: Callable[[CodeBlock], str]
    lines: list[str] = field(default_factory=list)
    sources: list[Span] = field(default_factory=list)
    number: int = 0
    """Of the line that was read last."""
    items: list[_Item] = field(default_factory=list)
    code: _Code | None = None
    literal: bool = False
    """Whether the last line belongs to a code block by its indent."""
    closed: str = ""
    """Kind of the list item that was closed last, while only its siblings may follow."""

    def read(self, line: str) -> None:
        self.number += 1
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if self.code is not None:
            self.read_code(self.code, line, indent)
        elif not text:
            self.add("")
        elif self.lazy(text, indent):
            self.put(text)
        else:
            self.leave(indent)
            self.read_block(text, indent)

    def read_block(self, text: str, indent: int) -> None:
        base = self.items[-1].content if self.items else 0
        fence, marker = _FENCE.match(text), _MARKER.match(text)
        self.literal = indent - base >= _STEP and (self.literal or self.after_blank())
        if self.literal:
            self.put(" " * (indent - base) + text)
        elif fence:
            self.code = _Code(fence[1], indent, fence[2].strip(), self.number)
        elif marker and not _RULE.match(text):
            self.read_item(marker, text, indent)
        elif _HEADING.match(text):
            self.part()
            self.put(_without_closing(text))
            self.part()
        else:
            self.read_text(text)

    def read_text(self, text: str) -> None:
        if _UNDERLINE.match(text) or _RULE.match(text):
            if self.closed:
                self.part()
            self.put(text)
            self.part()
            return
        if self.lines and _TABLE_RULE.issuperset(text) and "|" in self.lines[-1]:
            header, source = self.lines.pop(), self.sources.pop()
            if "|" not in (self.lines[-1] if self.lines else ""):
                self.part()
            self.add(header, source)
        self.put(text)

    def read_item(self, marker: re.Match[str], text: str, indent: int) -> None:
        sign, gap, box = marker[1], len(marker[2]), marker[3] or ""
        kind = sign[-1]
        if self.closed != kind and (self.closed or not self.items):
            self.part()
        sign = f"{sign[:-1]}." if kind in ".)" else "-"
        self.put(f"{sign} {_BOXES[box]}{text[marker.end() :]}")
        width = len(marker[1]) + (gap if 0 < gap <= _STEP else 1)
        self.items.append(_Item(indent + width, kind))
        self.closed = ""

    def lazy(self, text: str, indent: int) -> bool:
        """Whether this line only goes on with the paragraph above, whatever its indent."""
        if self.after_blank() or self.literal or not self.items:
            return False
        inside = indent >= self.items[-1].content
        starts = any(block.match(text) for block in (_MARKER, _RULE, _FENCE, _HEADING))
        return not inside and not starts

    def leave(self, indent: int) -> None:
        """Close the items that a block at ``indent`` does not belong to."""
        self.closed = ""
        while self.items and indent < self.items[-1].content:
            self.closed = self.items.pop().kind

    def read_code(self, code: _Code, line: str, indent: int) -> None:
        text = line.strip(" ")
        if len(text) >= len(code.fence) and not text.strip(code.fence[0]):
            self.close_code()
        else:
            code.lines.append(line[min(indent, code.indent) :])

    def close_code(self) -> None:
        code = self.code
        if code is not None:
            text = "".join(f"{line}\n" for line in code.lines)
            kept = self.keep(CodeBlock(code.info, text))
            source = code.first, self.number
            self.code = None
            self.part()
            self.put(kept, source)
            self.part()

    def end(self) -> None:
        """Close the fence that nobody closed, and leave two blank lines, as the renderer wants."""
        while self.code is not None and self.code.lines and not self.code.lines[-1].strip():
            self.code.lines.pop()
            self.number -= 1
        self.close_code()
        self.add("")
        self.add("")

    def put(self, text: str, source: Span | None = None) -> None:
        self.add(" " * (_STEP * len(self.items)) + text, source or (self.number, self.number))

    def part(self) -> None:
        """Make sure that a blank line stands here."""
        if not self.after_blank():
            self.add("")

    def add(self, line: str, source: Span = (0, 0)) -> None:
        self.lines.append(line)
        self.sources.append(source)

    def after_blank(self) -> bool:
        return not self.lines or not self.lines[-1]


def _without_closing(heading: str) -> str:
    """Return ``heading`` without the number signs that may close it."""
    open_part = heading.rstrip(" ").rstrip("#")
    return open_part if open_part.endswith(" ") else heading
