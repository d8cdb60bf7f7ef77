"""Grep: lines that match a regular expression."""

import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import Field
from pydantic_core import SchemaError, SchemaValidator, core_schema

from planmode.agent.bubblewrap import SandboxError
from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.agent.sandbox import Finished
from planmode.agent.workspace import LARGEST_FILE, Place, reading
from planmode.core.globs import matches
from planmode.core.guard import CallFacts
from planmode.store.confined import PathRefusedError

MOST_LINES: Final = 400
MOST_BYTES: Final = 100_000
LONGEST_LINE: Final = 500
TIMEOUT_S: Final = 20.0
_SKIPPED: Final = frozenset({".git"})
_NOTHING: Final = "No match."


class GrepArguments(Arguments):
    """``context`` is in lines, around each match; ``glob`` chooses among the files."""

    pattern: Annotated[str, Field(min_length=1, max_length=2000)]
    path: str = "."
    glob: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    output_mode: Literal["content", "files"] = "content"
    context: Annotated[int, Field(ge=0, le=20)] = 0


class Grep:
    """Searches files of the workspace, or plans of the session.

    ripgrep does it where it is installed; both ways speak the same dialect, whose running time is
    linear in the text, whatever the pattern.
    """

    name = "Grep"
    arguments = GrepArguments
    repeatable = True

    def facts(self, args: GrepArguments, context: ToolContext) -> CallFacts:
        """Return what is read, and that nothing is written."""
        return reading(self.name, args.path, context.reach)

    def summary(self, args: GrepArguments) -> str:
        """Return what is looked for."""
        return " ".join(f"Search {args.path} for {args.pattern}".split())[:500]

    def run(self, args: GrepArguments, context: ToolContext) -> ToolResult:
        """Return the matches, one a line."""
        try:
            pattern = _compiled(args.pattern)
            place = context.reach.locate(args.path)
            _check_there(place)
            rg = shutil.which("rg")
            # ripgrep does not know our rules: where some files are hidden it may not look.
            if rg is None or context.hides_files or not context.sandbox.starts(rg):
                return _bounded(_searched(args, place, pattern, context))
            return _by_ripgrep(args, place, context, rg)
        except (PathRefusedError, SandboxError) as error:
            return ToolResult(str(error), is_error=True)
        except SchemaError as error:
            reason = str(error).partition("SchemaError: ")[2][:500]
            return ToolResult(f"The pattern can't be used: {reason}", is_error=True)
        except OSError as error:
            return ToolResult(f"The search could not run: {error.strerror}", is_error=True)


def _compiled(pattern: str) -> SchemaValidator:
    """Return what says whether a line matches.

    Python's own expressions can take for ever on a short line, and nothing in the process can
    stop them; pydantic's engine can't.
    """
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


def _check_there(place: Place) -> None:
    """Refuse what is no file or folder, or lies behind a link: ripgrep would follow that one."""
    if not (place.folder.exists(place.relative) or place.folder.is_folder(place.relative)):
        raise PathRefusedError(f"{place.folder.root / place.relative} is no file or folder")


def _by_ripgrep(args: GrepArguments, place: Place, context: ToolContext, rg: str) -> ToolResult:
    """Run ripgrep, in the sandbox where there is one: then no link leads anywhere."""
    command = shlex.join(
        [
            rg, "--no-config", "--no-follow", "--hidden", "--no-ignore-global", "--color=never",
            "--no-heading", "--with-filename", "--sort=path", f"--max-filesize={LARGEST_FILE}",
            f"--max-columns={LONGEST_LINE}", "--max-columns-preview",
            *_mode(args),
            *(["--glob", args.glob] if args.glob else []), "--glob", "!.git",
            "--regexp", args.pattern, "--", place.named(place.relative),
        ]
    )  # fmt: skip
    finished = context.sandbox.run(
        f"{command} 2>/dev/null",
        cwd=place.folder.root,
        sandboxed=context.sandbox.available,
        timeout_s=TIMEOUT_S,
        output_limit=MOST_BYTES,
    )
    return _told(finished)


def _mode(args: GrepArguments) -> list[str]:
    if args.output_mode == "files":
        return ["--files-with-matches"]
    return ["--line-number", f"--context={args.context}"]


def _told(finished: Finished) -> ToolResult:
    """Return ripgrep's answer; it ends with 2 for one unreadable file, too."""
    if finished.timed_out:
        text = f"The search took more than {TIMEOUT_S:.0f} s: narrow the path or the pattern"
        return ToolResult(text, is_error=True)
    if not finished.output and finished.exit_code not in {0, 1}:
        text = "The search failed: check the pattern and the glob"
        return ToolResult(text, is_error=True)
    lines = (line.removeprefix("./") for line in finished.output.splitlines())
    return _bounded(lines)


def _bounded(lines: Iterator[str]) -> ToolResult:
    shown: list[str] = []
    for line in lines:
        if len(shown) == MOST_LINES:
            shown.append(f"(cut after {MOST_LINES} lines)")
            break
        shown.append(line)
    return ToolResult("\n".join(shown) or _NOTHING)


def _searched(
    args: GrepArguments, place: Place, pattern: SchemaValidator, context: ToolContext
) -> Iterator[str]:
    """Yield what ripgrep would print, within the same time, of files that may be read."""
    deadline = time.monotonic() + TIMEOUT_S
    for file in _files(args, place):
        if context.hides(place.named(file)):
            continue
        if time.monotonic() > deadline:
            yield f"(stopped after {TIMEOUT_S:.0f} s)"
            return
        lines = _lines_of(file, place)
        hits = [n for n, line in enumerate(lines) if pattern.isinstance_python(line)]
        if hits and args.output_mode == "files":
            yield place.named(file)
        elif hits:
            yield from _around(lines, hits, args.context, place.named(file))


def _files(args: GrepArguments, place: Place) -> Iterator[PurePosixPath]:
    if place.folder.exists(place.relative):
        yield place.relative
        return
    for file in place.folder.walk(place.relative, skip=_SKIPPED).files:
        if args.glob is None or matches(file, _anywhere(args.glob)):
            yield file


def _anywhere(glob: str) -> str:
    """Return ``glob`` as ripgrep reads it: without a slash it counts in every folder."""
    return glob if "/" in glob else f"**/{glob}"


def _lines_of(file: PurePosixPath, place: Place) -> list[str]:
    """Return the file's lines; none when it is binary, too large or out of reach."""
    try:
        content = place.folder.read(file, LARGEST_FILE)
    except PathRefusedError:
        return []
    if b"\0" in content:
        return []
    return content.decode("utf-8", "replace").removesuffix("\n").split("\n")


def _around(lines: list[str], hits: list[int], context: int, name: str) -> Iterator[str]:
    """Yield the lines that match and ``context`` lines around them, groups set apart."""
    wanted = sorted(
        {n for hit in hits for n in range(max(0, hit - context), hit + context + 1)}
        & set(range(len(lines)))
    )
    matching = set(hits)
    for before, number in zip([None, *wanted], wanted, strict=False):
        if context and before is not None and number > before + 1:
            yield "--"
        mark = ":" if number in matching else "-"
        yield f"{name}{mark}{number + 1}{mark}{lines[number][:LONGEST_LINE]}"
