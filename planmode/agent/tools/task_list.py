"""TaskList: the session's commands in the background, one a line."""

from typing import Final

from django.utils import timezone

from planmode import queries
from planmode.agent import background
from planmode.agent.contracts import NoArguments, ToolContext, ToolResult
from planmode.core.errors import NoTurnError
from planmode.core.guard import CallFacts
from planmode.models import BackgroundTask
from planmode.queries import TaskRow

MOST_TASKS: Final = 20
_LONGEST: Final = 200


class TaskList:
    """Lists what was started in the background, the newest first."""

    name = "TaskList"
    arguments = NoArguments
    repeatable = True

    def facts(self, args: NoArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is changed."""
        return CallFacts(self.name)

    def summary(self, args: NoArguments) -> str:
        """Return what is listed."""
        return "List the commands in the background"

    def run(self, args: NoArguments, context: ToolContext) -> ToolResult:
        """Return one line for each."""
        try:
            session_id = context.held.session_id
        except NoTurnError as error:
            return ToolResult(str(error), is_error=True)
        running = BackgroundTask.objects.filter(session_id=session_id).running()
        background.look(running, timezone.now())
        rows = queries.tasks(session_id, limit=MOST_TASKS + 1)
        lines = [_line(row) for row in rows[:MOST_TASKS]]
        if len(rows) > MOST_TASKS:
            lines.append(f"(older ones than these {MOST_TASKS} are left out)")
        return ToolResult("\n".join(lines) or "Nothing was started in the background.")


def _line(row: TaskRow) -> str:
    code = "" if row.exit_code is None else f", exit code {row.exit_code}"
    reason = f" ({row.reason})" if row.reason else ""
    kind = "read-only" if row.sandboxed else "may write"
    command = " ".join(row.command.split())
    short = command if len(command) <= _LONGEST else f"{command[:_LONGEST]} …"
    stands = f"{row.state}{reason}{code}, since {row.started_at:%F %T} UTC"
    return f"{row.number}: {stands}, {kind}: {short}"
