"""CronCreate: a prompt that the session is given later."""

from typing import Annotated

from django.utils import timezone
from pydantic import Field

from planmode import schedules
from planmode.agent.contracts import Arguments, ToolContext, ToolResult, summarized
from planmode.core.errors import (
    MessageInvalidError,
    NoTurnError,
    ScheduleInvalidError,
    TooManyJobsError,
)
from planmode.core.guard import CallFacts
from planmode.core.schedule import LONGEST_LINE
from planmode.schedules import NewSchedule


class CronCreateArguments(Arguments):
    """``cron`` is in UTC; ``once`` means the first of its times only."""

    cron: Annotated[str, Field(min_length=1, max_length=LONGEST_LINE)]
    prompt: Annotated[str, Field(min_length=1, max_length=8000, pattern=r"\S")]
    once: bool = False


class CronCreate:
    """Keeps a schedule; its prompt comes as a message of its own."""

    name = "CronCreate"
    arguments = CronCreateArguments
    repeatable = False

    def facts(self, args: CronCreateArguments, context: ToolContext) -> CallFacts:
        """Return that no file is named."""
        return CallFacts(self.name)

    def summary(self, args: CronCreateArguments) -> str:
        """Return times and prompt."""
        often = "Once at" if args.once else "At each"
        line = " ".join(f"{often} {args.cron} (UTC) tell the agent: {args.prompt}".split())
        return summarized(line, size=len(args.prompt))

    def run(self, args: CronCreateArguments, context: ToolContext) -> ToolResult:
        """Keep it; return its number and its first time."""
        new = NewSchedule(context.call_id, args.cron, args.prompt, once=args.once)
        try:
            schedule = schedules.create(context.held, new, now=timezone.now())
        except (
            NoTurnError,
            MessageInvalidError,
            ScheduleInvalidError,
            TooManyJobsError,
        ) as error:
            return ToolResult(str(error), is_error=True)
        often = "once, at" if args.once else "first at"
        return ToolResult(
            f"Schedule {schedule.number}: the prompt comes {often} {schedule.next_at:%F %R} UTC."
        )
