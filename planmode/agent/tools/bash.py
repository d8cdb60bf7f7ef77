"""Bash: a shell command in the workspace."""

from typing import Annotated, Final

from django.conf import settings
from pydantic import Field

from planmode.agent import background
from planmode.agent.background import Command
from planmode.agent.bubblewrap import SandboxError
from planmode.agent.contracts import Arguments, ToolContext, ToolResult, summarized
from planmode.agent.limits import Limit, Limits, suspected
from planmode.agent.sandbox import Finished
from planmode.core.errors import NoTurnError, TooManyJobsError
from planmode.core.guard import CallFacts
from planmode.core.profiles import MAIN
from planmode.shell.verdict import read

MOST_OUTPUT: Final = 64 * 1024
"""Bytes of output that the model is shown."""


class BashArguments(Arguments):
    """``timeout`` is in seconds; it does not count in the background."""

    command: Annotated[str, Field(min_length=1, max_length=32_768, pattern=r"\S")]
    timeout: Annotated[int, Field(ge=1, le=600)] = 120
    description: Annotated[str, Field(max_length=500)] = ""
    run_in_background: bool = False


class Bash:
    """Runs a command and everything it starts, to the end, or begins it in the background."""

    name = "Bash"
    arguments = BashArguments
    repeatable = False

    def facts(self, args: BashArguments, context: ToolContext) -> CallFacts:
        """Return whether the command surely only reads, and which commands it is made of.

        A repository's configuration names programs that git starts (filters of differences):
        where nothing holds them, no git command surely only reads.
        """
        root = str(context.reach.workspace.root)
        reading = read(args.command, settings.SHELL_POLICY, workspace=root)
        held = context.sandbox.available or not any(map(_is_git, reading.commands))
        return CallFacts(
            self.name,
            read_only=reading.read_only and held and not _outlives(args, context),
            targets=reading.commands,
            understood=reading.understood,
        )

    def summary(self, args: BashArguments) -> str:
        """Return the command itself, not what the agent says of it."""
        how = "Run in the background " if args.run_in_background else "Run "
        line = how + " ⏎ ".join(part for part in args.command.splitlines() if part.strip())
        return summarized(line, size=len(args.command))

    def run(self, args: BashArguments, context: ToolContext) -> ToolResult:
        """Run it, or begin it."""
        if args.run_in_background:
            return _begin(args, context)
        try:
            finished = context.sandbox.run(
                args.command,
                cwd=context.reach.workspace.root,
                sandboxed=context.sandboxed,
                timeout_s=args.timeout,
                output_limit=MOST_OUTPUT,
            )
        except SandboxError as error:
            return ToolResult(f"The command did not run: {error}", is_error=True)
        except (OSError, ValueError) as error:
            return ToolResult(f"The command could not start: {error}", is_error=True)
        failed = finished.exit_code != 0
        lines = _ending(finished, args, context.sandbox.limits)
        lines += [_READ_ONLY] if failed and context.sandboxed else []
        return ToolResult("\n".join([*lines, finished.output or "(no output)"]), is_error=failed)


def _outlives(args: BashArguments, context: ToolContext) -> bool:
    """Return whether a child would leave something running that it has no tool to look at."""
    return args.run_in_background and context.state.profile != MAIN


def _is_git(command: str) -> bool:
    return command.split(" ", 1)[0] == "git"


def _begin(args: BashArguments, context: ToolContext) -> ToolResult:
    place = context.reach.workspace.root
    try:
        command = Command(
            context.held, context.call_id, args.command, place, sandboxed=context.sandboxed
        )
        task = background.start(command, context.sandbox)
    except (SandboxError, NoTurnError, TooManyJobsError) as error:
        return ToolResult(f"The command did not run: {error}", is_error=True)
    except (OSError, ValueError) as error:
        return ToolResult(f"The command could not start: {error}", is_error=True)
    lines = [
        f"Task {task.number} runs in the background, for {task.limit_s} s at most.",
        "TaskOutput reads what it prints, TaskStop ends it.",
        *([_READ_ONLY_YET] if context.sandboxed else []),
    ]
    return ToolResult("\n".join(lines))


_READ_ONLY_YET: Final = "(It runs without network, on files that can't be changed.)"
_READ_ONLY: Final = "(It ran without network, on files that can't be changed.)"


def _ending(finished: Finished, args: BashArguments, limits: Limits) -> list[str]:
    """Return how it ended, and of a failure which limit may be behind it."""
    told = limits.told(finished.limit) if finished.limit else ""
    if finished.exit_code is None:
        return [_ended(finished.limit, told, args)]
    if told:
        return [f"Exit code {finished.exit_code}: it used more than {told}"]
    guess = suspected(finished.output) if finished.exit_code else None
    hint = f"(Perhaps a limit was met: a command may use {limits.told(guess)}.)" if guess else ""
    return [f"Exit code {finished.exit_code}", *([hint] if hint else [])]


def _ended(limit: Limit | None, told: str, args: BashArguments) -> str:
    match limit:
        case Limit.TIME:
            return f"Ended after {args.timeout} s, with every process that it had started"
        case Limit.OUTPUT | None:
            return "Ended because it printed too much"
        case _:
            return f"Ended because it used more than {told}, with every process that it had started"
