"""Read: a text file's lines, numbered."""

from typing import Annotated, Final

from pydantic import Field

from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.agent.workspace import reading
from planmode.core.guard import CallFacts
from planmode.store.confined import PathRefusedError

MOST_LINES: Final = 2000
LONGEST_LINE: Final = 2000
MOST_CHARACTERS: Final = 200_000
"""What one call gives back at most, so that a file of long lines does not fill the model's view."""


class ReadArguments(Arguments):
    """``offset`` is a line's number, from 1."""

    path: str
    offset: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1, le=MOST_LINES)] = MOST_LINES


class Read:
    """Shows a file of the workspace, or a plan of the session."""

    name = "Read"
    arguments = ReadArguments
    repeatable = True

    def facts(self, args: ReadArguments, context: ToolContext) -> CallFacts:
        """Return what is read, and that nothing is written."""
        return reading(self.name, args.path, context.reach)

    def summary(self, args: ReadArguments) -> str:
        """Return which file is shown."""
        return " ".join(f"Read {args.path}".split())[:500]

    def run(self, args: ReadArguments, context: ToolContext) -> ToolResult:
        """Return the lines asked for."""
        try:
            content = context.reach.read(context.reach.locate(args.path))
        except PathRefusedError as error:
            return ToolResult(str(error), is_error=True)
        if b"\0" in content:
            return ToolResult(f"{args.path} is a binary file", is_error=True)
        lines = content.decode("utf-8", "replace").split("\n")
        if not lines[-1]:
            lines.pop()
        return _page(lines, args)


def _page(lines: list[str], args: ReadArguments) -> ToolResult:
    if not lines:
        return ToolResult(f"{args.path} is empty.")
    if args.offset > len(lines):
        text = f"{args.path} has {len(lines)} lines; there is no line {args.offset}"
        return ToolResult(text, is_error=True)
    shown = _bounded(lines[args.offset - 1 : args.offset - 1 + args.limit], args.offset)
    last = args.offset + len(shown) - 1
    if last < len(lines):
        shown.append(f"(lines {args.offset} to {last} of {len(lines)})")
    return ToolResult("\n".join(shown))


def _bounded(lines: list[str], first: int) -> list[str]:
    """Return ``lines`` with their numbers, as many as may be shown at once."""
    shown: list[str] = []
    room = MOST_CHARACTERS
    for number, line in enumerate(lines, start=first):
        text = line.removesuffix("\r")
        cut = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} (line cut)"
        room -= len(cut)
        if room < 0:
            break
        shown.append(f"{number:>6}\t{cut}")
    return shown
