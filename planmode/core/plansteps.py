"""The steps of a plan that stands in a reply, and claims about them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

MOST_STEPS: Final = 200
"""Further ones stay in the text alone."""

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_FENCE: Final = re.compile(r"[ >]*(?:(?:[-*+]|\d{1,9}[.)]) +)?(`{3,}(?=[^`]*\Z)|~{3,})")
_CLOSING: Final = re.compile(r"[ >]*(`{3,}|~{3,}) *\Z")
_HEADER: Final = re.compile(r"(?:(?<![A-Za-z0-9_])plan|计划)[:\uff1a]\*{0,2}\Z", re.IGNORECASE)
_HEADING: Final = re.compile(r" *(#{1,6})(?: |\Z)")
_STEP: Final = re.compile(r" *([0-9]{1,9})(?:[.)](?= )|[\u3001\uff0e\uff09]) *(\S.*)\Z")
_WORD: Final = re.compile(r"[^\W_]")
_NO_PROSE: Final = re.compile(r" *(?:[-*+](?: |\Z)|>|[0-9]{1,9}[.)](?: |\Z))")
_RULE: Final = re.compile(r" *([-=*_])(?: *\1){2,} *\Z")
_LABEL: Final = re.compile(r".*[:\uff1a](?:\*\*|__)?\Z|\*\*[^*]+\*\*\Z|__[^_]+__\Z")
_MARKER: Final = re.compile(r"\[DONE:([0-9]{1,9})\]", re.IGNORECASE)
_TICKS: Final = re.compile(r"`+")
_NO_HEADING: Final = 7
"""Above each level of a heading: any heading ends what it is the level of."""
_NESTED: Final = 2
"""Columns by which a line has to be further in than its list to belong to a step."""


class PlanStepStatus(StrEnum):
    """How far a step of the plan is, as far as anybody said."""

    OPEN = "open"
    CLAIMED = "claimed"  # the agent says so, and nobody has looked


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan; ``number`` counts from 1, ``text`` is the agent's own, uncut."""

    number: int
    text: str
    status: PlanStepStatus = PlanStepStatus.OPEN


def find_steps(reply: str) -> tuple[PlanStep, ...]:
    """Return the steps of the first list under a header in ``reply``, none without a header.

    A header is a line that ends in ``Plan:`` or ``计划:``, whichever colon it has. The list's own
    level counts: what is further in belongs to a step, and bullets are no steps. It ends where
    another section begins (a heading that is no deeper than the header, a label such as
    ``Risks:``, a rule) or, behind other text, where the numbers begin anew. A step's text is its
    first paragraph. Code is not read. Takes time in proportion to the reply. (pi:P-13 to P-18,
    with their traps set right.)
    """
    return _parts(reply)[1]


def above_steps(reply: str) -> tuple[str, ...]:
    """Return the lines above the header of the list that ``find_steps`` reads, without code."""
    return _parts(reply)[0]


def _parts(reply: str) -> tuple[tuple[str, ...], tuple[PlanStep, ...]]:
    above: list[str] = []
    for header, lines in _sections(reply):
        found = _List(_level(header))
        for line in lines if header else ():
            if not found.takes(line):
                break
        if found.paragraphs:
            texts = [" ".join(parts) for parts in found.paragraphs[:MOST_STEPS]]
            steps = tuple(PlanStep(number, text) for number, text in enumerate(texts, 1))
            return tuple(above), steps
        above += [header, *lines]
    return (), ()


def claims(reply: str, steps: tuple[PlanStep, ...]) -> tuple[PlanStep, ...]:
    """Return ``steps`` with those as claimed that ``reply`` marks by ``[DONE:n]``.

    A claim is never taken back, numbers that no step has change nothing, and markers in code are
    no claims. What a sentence says around a marker is not read. (pi:P-24)
    """
    named = {
        int(found[1])
        for paragraph in _paragraphs(_prose(reply))
        for found in _MARKER.finditer(_without_code(paragraph))
    }
    return tuple(
        replace(step, status=PlanStepStatus.CLAIMED) if step.number in named else step
        for step in steps
    )


def listed(steps: Iterable[PlanStep]) -> str:
    """Return ``steps`` as the lines of a numbered list, as the agent wrote them."""
    return "\n".join(f"{step.number}. {step.text}" for step in steps)


def _prose(reply: str) -> Iterator[str]:
    """Yield each line, without tabs and blanks at its end; those of code blocks are empty."""
    fence = ""
    for raw in _LINE_END.split(reply):
        line = raw.expandtabs(4).rstrip()
        found = (_CLOSING if fence else _FENCE).match(line)
        yield "" if fence or found else line
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""


def _sections(reply: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each header with what follows it up to the next, at first ``""`` with what precedes."""
    header, lines = "", list[str]()
    for line in _prose(reply):
        if _HEADER.search(line) and not _NO_PROSE.match(line):
            yield header, lines
            header, lines = line, []
        else:
            lines.append(line)
    yield header, lines


def _level(line: str) -> int:
    heading = _HEADING.match(line)
    return len(heading[1]) if heading else _NO_HEADING


@dataclass(slots=True)
class _List:
    """Reads the lines under a header of ``level``, and keeps each step's first paragraph.

    ``indent`` and ``last`` are the list's columns and newest number; ``unfinished`` says that the
    next line may go on with the newest paragraph, ``interrupted`` that other text came since.
    """

    level: int
    paragraphs: list[list[str]] = field(default_factory=list)
    indent: int = 0
    last: int = 0
    unfinished: bool = False
    interrupted: bool = False

    def takes(self, line: str) -> bool:
        """Read the next line; ``False`` means that the list is over."""
        if not line:
            self.unfinished = False
            return True
        indent = len(line) - len(line.lstrip(" "))
        inside = bool(self.paragraphs) and indent >= self.indent + _NESTED
        if not inside and _level(line) < _NO_HEADING:
            return self._takes_heading(line)
        step = None if inside else _STEP.match(line)
        if step and _WORD.search(step[2]):
            return self._takes_step(indent, int(step[1]), step[2])
        if not inside and self.paragraphs and (_RULE.match(line) or _is_label(line)):
            return False
        self._takes_text(line, inside=inside)
        return True

    def _takes_heading(self, line: str) -> bool:
        """A part of the plan may count anew."""
        self.last, self.unfinished, self.interrupted = 0, False, False
        return _level(line) > self.level

    def _takes_step(self, indent: int, number: int, text: str) -> bool:
        if self.interrupted and number <= self.last:
            return False
        if not self.paragraphs:
            self.indent = indent
        self.paragraphs.append([text])
        self.last, self.unfinished, self.interrupted = number, True, False
        return True

    def _takes_text(self, line: str, *, inside: bool) -> None:
        if self.unfinished and not _NO_PROSE.match(line):
            self.paragraphs[-1].append(line.strip(" "))
            return
        self.unfinished = False
        self.interrupted = self.interrupted or (bool(self.paragraphs) and not inside)


def _is_label(line: str) -> bool:
    return not _NO_PROSE.match(line) and _LABEL.match(line.lstrip(" ")) is not None


def _paragraphs(lines: Iterator[str]) -> Iterator[str]:
    gathered: list[str] = []
    for line in lines:
        if line:
            gathered.append(line)
        else:
            yield "\n".join(gathered)
            gathered = []
    yield "\n".join(gathered)


def _without_code(paragraph: str) -> str:
    """Return ``paragraph`` without its code spans: what stands between equally long ticks."""
    ticks = list(_TICKS.finditer(paragraph))
    closing: dict[int, int] = {}
    newest: dict[int, int] = {}
    for at in reversed(range(len(ticks))):
        length = len(ticks[at][0])
        if length in newest:
            closing[at] = newest[length]
        newest[length] = at
    kept: list[str] = []
    read, after = 0, -1
    for at, tick in enumerate(ticks):
        if at > after and at in closing:
            kept.append(paragraph[read : tick.start()])
            after = closing[at]
            read = ticks[after].end()
    return "".join([*kept, paragraph[read:]])
