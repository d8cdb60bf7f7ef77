"""Write: a whole file, new or replaced."""

from dataclasses import replace

from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.agent.workspace import writing, written
from planmode.core.guard import CallFacts
from planmode.store.confined import PathRefusedError


class WriteArguments(Arguments):
    """``content`` is all that the file will hold."""

    path: str
    content: str


class Write:
    """Writes a file of the workspace, or the plan file."""

    name = "Write"
    arguments = WriteArguments
    repeatable = False

    def facts(self, args: WriteArguments, context: ToolContext) -> CallFacts:
        """Return where the file lies, and that it is written whole."""
        return replace(writing(self.name, args.path, context.reach), replaces=True)

    def summary(self, args: WriteArguments) -> str:
        """Return which file gets how much text."""
        size = len(args.content.encode())
        return " ".join(f"Write {size} bytes to {args.path}".split())[:500]

    def run(self, args: WriteArguments, context: ToolContext) -> ToolResult:
        """Write it."""
        content = args.content.encode()
        try:
            place = context.reach.locate(args.path)
            context.reach.write(place, content)
        except PathRefusedError as error:
            return ToolResult(str(error), is_error=True)
        return ToolResult(
            f"Wrote {len(content)} bytes to {args.path}.",
            events=written(place, content),
            plan_bytes=content if place.kind == "plan_file" else None,
        )
