"""CronList: the session's scheduled prompts, one a line."""

from typing import Final

from planmode import queries
from planmode.agent.contracts import NoArguments, ToolContext, ToolResult
from planmode.core.errors import NoTurnError
from planmode.core.guard import CallFacts
from planmode.queries import ScheduleRow

_LONGEST: Final = 200


class CronList:
    """Lists the schedules that are still to come."""

    name = "CronList"
    arguments = NoArguments
    repeatable = True

    def facts(self, args: NoArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is changed."""
        return CallFacts(self.name)

    def summary(self, args: NoArguments) -> str:
        """Return what is listed."""
        return "List the scheduled prompts"

    def run(self, args: NoArguments, context: ToolContext) -> ToolResult:
        """Return one line for each."""
        try:
            rows = queries.active_schedules(context.held.session_id)
        except NoTurnError as error:
            return ToolResult(str(error), is_error=True)
        return ToolResult("\n".join(map(_line, rows)) or "Nothing is scheduled.")


def _line(row: ScheduleRow) -> str:
    often = "once" if row.once else "each time"
    prompt = " ".join(row.prompt.split())
    short = prompt if len(prompt) <= _LONGEST else f"{prompt[:_LONGEST]} …"
    return f"{row.number}: {row.cron} (UTC), {often}, next at {row.next_at:%F %R}: {short}"
