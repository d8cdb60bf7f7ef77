"""Glob: files by the form of their names."""

from pathlib import PurePosixPath
from typing import Annotated, Final

from pydantic import Field

from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.agent.workspace import reading
from planmode.core.globs import matches
from planmode.core.guard import CallFacts
from planmode.store.confined import MOST_ENTRIES, PathRefusedError

MOST_FILES: Final = 200
_SKIPPED: Final = frozenset({".git"})


class GlobArguments(Arguments):
    """``pattern`` counts from ``path``."""

    pattern: Annotated[str, Field(min_length=1, max_length=500)]
    path: str = "."


class Glob:
    """Lists files of the workspace, or plans of the session."""

    name = "Glob"
    arguments = GlobArguments
    repeatable = True

    def facts(self, args: GlobArguments, context: ToolContext) -> CallFacts:
        """Return what is read, and that nothing is written."""
        return reading(self.name, args.path, context.reach)

    def summary(self, args: GlobArguments) -> str:
        """Return what is looked for."""
        return " ".join(f"Find {args.pattern} in {args.path}".split())[:500]

    def run(self, args: GlobArguments, context: ToolContext) -> ToolResult:
        """Return the paths, one a line."""
        try:
            place = context.reach.locate(args.path)
            listing = place.folder.walk(place.relative, skip=_SKIPPED)
        except PathRefusedError as error:
            return ToolResult(str(error), is_error=True)
        found = [
            file
            for file in listing.files
            if _fits(file, place.relative, args.pattern) and not context.hides(place.named(file))
        ]
        lines = [place.named(file) for file in found[:MOST_FILES]]
        if len(found) > MOST_FILES:
            lines.append(f"(the first {MOST_FILES} of {len(found)} files)")
        if listing.cut:
            lines.append(f"(stopped after {MOST_ENTRIES} files and folders)")
        return ToolResult("\n".join(lines) or "No file matches.")


def _fits(file: PurePosixPath, folder: PurePosixPath, pattern: str) -> bool:
    return matches(file.relative_to(folder), pattern)
