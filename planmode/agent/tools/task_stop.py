"""TaskStop: ends a command in the background."""

from typing import Annotated

from django.utils import timezone
from pydantic import Field

from planmode.agent import background
from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.core.background import TaskState
from planmode.core.errors import NoTurnError, TaskUnknownError
from planmode.core.guard import CallFacts
from planmode.store import background as rows


class TaskStopArguments(Arguments):
    """Which one."""

    task: Annotated[int, Field(ge=1, le=1_000_000)]


class TaskStop:
    """Ends the command with everything that it started."""

    name = "TaskStop"
    arguments = TaskStopArguments
    repeatable = False

    def facts(self, args: TaskStopArguments, context: ToolContext) -> CallFacts:
        """Return that no file is named."""
        return CallFacts(self.name)

    def summary(self, args: TaskStopArguments) -> str:
        """Return what is ended."""
        return f"Stop background task {args.task}"

    def run(self, args: TaskStopArguments, context: ToolContext) -> ToolResult:
        """End it; one that has ended already is no error."""
        try:
            claim = context.held
            background.look([rows.find(claim.session_id, args.task)], timezone.now())
            task = rows.find(claim.session_id, args.task)
        except (NoTurnError, TaskUnknownError) as error:
            return ToolResult(str(error), is_error=True)
        if task.state != TaskState.RUNNING:
            return ToolResult(f"Task {task.number} had ended already: it is {task.state}.")
        if background.stop(task):
            return ToolResult(f"Task {task.number} has ended, with everything that it started.")
        return ToolResult(
            f"Task {task.number} was asked to end and has not yet: TaskOutput tells when it has.",
            is_error=True,
        )
