"""CronDelete: ends a scheduled prompt."""

from typing import Annotated

from pydantic import Field

from planmode import schedules
from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.core.errors import NoTurnError, ScheduleUnknownError
from planmode.core.guard import CallFacts


class CronDeleteArguments(Arguments):
    """Which one."""

    schedule: Annotated[int, Field(ge=1, le=1_000_000)]


class CronDelete:
    """Ends a schedule: its prompt is not given any more."""

    name = "CronDelete"
    arguments = CronDeleteArguments
    repeatable = False

    def facts(self, args: CronDeleteArguments, context: ToolContext) -> CallFacts:
        """Return that no file is named."""
        return CallFacts(self.name)

    def summary(self, args: CronDeleteArguments) -> str:
        """Return what is ended."""
        return f"Delete scheduled prompt {args.schedule}"

    def run(self, args: CronDeleteArguments, context: ToolContext) -> ToolResult:
        """End it."""
        try:
            claim = context.held
            ended = schedules.delete(claim.session_id, args.schedule, claim=claim)
        except (NoTurnError, ScheduleUnknownError) as error:
            return ToolResult(str(error), is_error=True)
        return ToolResult(f"Schedule {ended.number} is deleted: {ended.cron} comes no more.")
