"""TodoList: the agent's own list of what is to be done."""

from typing import Annotated, Literal

from pydantic import Field

from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.core.events import TodoItem, TodoListWritten
from planmode.core.guard import CallFacts


class Item(Arguments):
    """One line of the list."""

    text: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
    status: Literal["pending", "in_progress", "done"]


class TodoListArguments(Arguments):
    """The whole list; it replaces the one before."""

    items: Annotated[tuple[Item, ...], Field(max_length=100)]


class TodoList:
    """Keeps the list in the session; nothing else changes."""

    name = "TodoList"
    arguments = TodoListArguments
    repeatable = True

    def facts(self, args: TodoListArguments, context: ToolContext) -> CallFacts:
        """Return that no file is written."""
        return CallFacts(self.name)

    def summary(self, args: TodoListArguments) -> str:
        """Return how long the list is."""
        return f"Keep a list of {len(args.items)} items"

    def run(self, args: TodoListArguments, context: ToolContext) -> ToolResult:
        """Return the list as an event."""
        items = tuple(TodoItem(item.text, item.status) for item in args.items)
        done = sum(item.status == "done" for item in items)
        text = f"Kept {len(items)} items, {done} of them done."
        return ToolResult(text, events=(TodoListWritten(items),))
