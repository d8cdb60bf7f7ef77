"""What makes a plan too costly to be drawn from Markdown."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final

MOST_CHARACTERS: Final = 512 * 1024
MOST_LINES: Final = 10_000
LONGEST_LINE: Final = 20_000
DEEPEST: Final = 20
MOST_CELLS: Final = 5_000
MOST_OPEN: Final = 500
"""Brackets in one block that nothing closes."""

MOST_MARKS: Final = 40_000
"""Characters that may mean something in Markdown; a block counts for some of them."""

MOST_READ: Final = 3_000_000
"""Characters that may be read again in search of the ends of brackets and code."""


class PlainReason(StrEnum):
    """Why a plan is shown as it is."""

    LENGTH = "length"
    LINES = "lines"
    LINE = "line"
    DEPTH = "depth"
    MARKS = "marks"
    TABLE = "table"
    FAILED = "failed"


def too_long(text: str) -> PlainReason | None:
    """Return why ``text``, as it came, is too much to be drawn; ``None`` if it is not."""
    if len(text) > MOST_CHARACTERS:
        return PlainReason.LENGTH
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        return PlainReason.LINES
    if max(map(len, lines)) > LONGEST_LINE:
        return PlainReason.LINE
    return None


def too_costly(lines: Sequence[str]) -> PlainReason | None:
    """Return why ``lines`` (laid out, without their code) would cost too much; ``None`` if not.

    The renderer looks for the end of each mark by itself, and nests by calling itself; so the
    price of marks that are never closed grows with the square of their number.
    """
    if any(_depth(line) > DEEPEST for line in lines):
        return PlainReason.DEPTH
    blocks = list(_blocks(lines))
    if sum(_cells(block) for block in blocks) > MOST_CELLS:
        return PlainReason.TABLE
    if sum(map(_marks, lines)) + _BLOCK_SHARE * len(blocks) > MOST_MARKS:
        return PlainReason.MARKS
    left = MOST_READ
    for block in blocks:
        left -= _read_again("\n".join(block), left)
        if left < 0:
            return PlainReason.MARKS
    return None


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    for blank, block in groupby(lines, key=lambda line: not line.strip()):
        if not blank:
            yield list(block)


_BLOCK_SHARE: Final = 3
_MARKS: Final = re.compile(r"[*_`~\[\]<>&\\]")


def _marks(line: str) -> int:
    return sum(1 for _ in _MARKS.finditer(line))


_STEP: Final = 4
_OPENER: Final = re.compile(r" *(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ >]|$))")
_RULE: Final = frozenset("-_* ")


def _depth(line: str) -> int:
    """Return in how many lists and quotes ``line`` may stand, by its indent and its marks."""
    depth = (len(line) - len(line.lstrip(" "))) // _STEP
    opener = None if _RULE.issuperset(line) else _OPENER.match(line)
    while opener is not None and depth <= DEEPEST:
        depth += 1
        opener = _OPENER.match(line, opener.end())
    return depth


_TABLE_RULE: Final = frozenset("|:- ")


def _cells(block: Sequence[str]) -> int:
    is_table = len(block) > 1 and "|" in block[0] and _TABLE_RULE.issuperset(block[1])
    return sum(line.count("|") for line in block) if is_table else 0


_STASHED: Final = re.compile(r"\\.|`|&|<")
_PLACEHOLDER: Final = "." * 18
"""The renderer puts something of this length where it has read a piece of code or an escape."""

_BRACKETS: Final = re.compile(r"[\[\]]")
_PARENTHESES: Final = re.compile("[()\"']")
_TITLES: Final = {quote: re.compile(rf"{quote}[^{quote}]*{quote} *\)") for quote in "\"'"}
_TICKS: Final = re.compile("`+")
_TICK_SHARE: Final = 4
"""Code is searched for by pattern, brackets letter by letter, which takes so much longer."""


def _read_again(block: str, most: int) -> int:
    """Return how many characters of ``block`` are read again, or some number over ``most``."""
    total = _ticks(block) // _TICK_SHARE
    block = _STASHED.sub(_PLACEHOLDER, block)
    opened: list[int] = []
    for bracket in _BRACKETS.finditer(block):
        place = bracket.start()
        if bracket[0] == "[":
            opened.append(place)
            continue
        total += place - opened.pop() if opened else 0
        if block.startswith("(", place + 1):
            total += _target(block, place + 2)
        if total > most:
            return total
    if len(opened) > MOST_OPEN:
        return most + 1
    return total + sum(len(block) - place for place in opened)


def _target(block: str, start: int) -> int:
    """Return how far the renderer reads for the end of a link's target."""
    depth = 1
    for sign in _PARENTHESES.finditer(block, start):
        if sign[0] in "\"'":
            # A quote may begin a title, and then a parenthesis is one of its letters.
            title = _TITLES[sign[0]].match(block, sign.start())
            return title.end() - start if title else len(block) - start
        depth += 1 if sign[0] == "(" else -1
        if not depth:
            return sign.end() - start
    return len(block) - start


def _ticks(block: str) -> int:
    """Return how far the renderer reads for backticks that close as many as were opened."""
    total = 0
    next_of: dict[int, int] = {}
    for ticks in reversed(list(_TICKS.finditer(block))):
        size = len(ticks[0])
        total += next_of.get(size, len(block)) - ticks.start()
        next_of[size] = ticks.start()
    return total
