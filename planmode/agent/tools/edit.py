"""Edit: one text in a file replaced by another, exactly."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.agent.workspace import LARGEST_FILE, writing, written
from planmode.core.guard import CallFacts
from planmode.store.confined import PathRefusedError


class EditArguments(Arguments):
    """``old_string`` must occur once, unless all its occurrences are meant."""

    path: str
    old_string: Annotated[str, Field(min_length=1)]
    new_string: str
    replace_all: bool = False

    @model_validator(mode="after")
    def changes_something(self) -> Self:
        """Refuse an edit that would leave the file as it is."""
        if self.old_string == self.new_string:
            raise PydanticCustomError("same_text", "old_string and new_string are the same")
        return self


class Edit:
    """Changes a file of the workspace, or the plan file."""

    name = "Edit"
    arguments = EditArguments
    repeatable = False

    def facts(self, args: EditArguments, context: ToolContext) -> CallFacts:
        """Return where the file lies."""
        return writing(self.name, args.path, context.reach)

    def summary(self, args: EditArguments) -> str:
        """Return which file is changed, and what in it."""
        where = f"Edit {args.path}{' (every occurrence)' if args.replace_all else ''}"
        return " ".join(f"{where}: {args.old_string!r} to {args.new_string!r}".split())[:500]

    def run(self, args: EditArguments, context: ToolContext) -> ToolResult:
        """Change it."""
        try:
            place = context.reach.locate(args.path)
            text, count = _replaced(context.reach.read(place).decode(), args)
            content = text.encode()
            context.reach.write(place, content)
        except (PathRefusedError, _NotEditableError) as error:
            return ToolResult(str(error), is_error=True)
        except UnicodeDecodeError:
            return ToolResult(f"{args.path} is not UTF-8 text", is_error=True)
        what = "1 occurrence" if count == 1 else f"{count} occurrences"
        return ToolResult(
            f"Replaced {what} in {args.path}.",
            events=written(place, content),
            plan_bytes=content if place.kind == "plan_file" else None,
        )


class _NotEditableError(Exception):
    """The text is not there, there too often, or would grow too large."""


def _replaced(text: str, args: EditArguments) -> tuple[str, int]:
    """Return the new text and how often the old string occurred."""
    old, new = _with_endings(text, args)
    count = text.count(old)
    if not count:
        raise _NotEditableError(f"old_string does not occur in {args.path}")
    if count > 1 and not args.replace_all:
        raise _NotEditableError(
            f"old_string occurs {count} times in {args.path}: make it unique, or set replace_all"
        )
    # Asked before the text is made: a short file can hold a million places.
    if len(text) + count * (len(new) - len(old)) > LARGEST_FILE:
        raise _NotEditableError(f"{args.path} would be larger than {LARGEST_FILE} bytes")
    return text.replace(old, new), count


def _with_endings(text: str, args: EditArguments) -> tuple[str, str]:
    """Return both strings with the file's line ends, which Read does not show."""
    old, new = args.old_string, args.new_string
    if old in text or "\r\n" not in text or "\r\n" in old:
        return old, new
    return old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
