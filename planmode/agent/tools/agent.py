"""Agent: a task for an agent of its own, which may only read."""

from typing import Annotated

from pydantic import AfterValidator, Field

from planmode.agent.contracts import Arguments, Spawns, ToolContext, ToolResult
from planmode.core.guard import CallFacts
from planmode.core.profiles import CHILDREN, PROFILES
from prompts.rendering import escaped, render


def _known(profile: str) -> str:
    if profile not in CHILDREN:
        raise ValueError(f"there is no such profile; there are {', '.join(CHILDREN)}")
    return profile


class AgentArguments(Arguments):
    """``agent`` is the id of one that has reported before, to go on with what it knows."""

    profile: Annotated[
        str, AfterValidator(_known), Field(json_schema_extra={"enum": list(CHILDREN)})
    ]
    task: Annotated[str, Field(min_length=1, max_length=32_768, pattern=r"\S")]
    agent: Annotated[str, Field(max_length=36)] = ""


class Agent:
    """Gives a task to a child agent; the turn waits for its answer."""

    name = "Agent"
    arguments = AgentArguments
    repeatable = True  # a child is started in the transaction that lets the call wait for it

    def facts(self, args: AgentArguments, context: ToolContext) -> CallFacts:
        """Return whether the child could change anything."""
        read_only = PROFILES[args.profile].read_only
        return CallFacts(self.name, read_only=read_only, targets=(args.profile,))

    def summary(self, args: AgentArguments) -> str:
        """Return the task's beginning."""
        return " ".join(f"Let an agent ({args.profile}) work on: {args.task}".split())[:500]

    def run(self, args: AgentArguments, context: ToolContext) -> Spawns | ToolResult:
        """Return the task, unless it is for an agent that takes none."""
        if not args.agent:
            return Spawns(args.profile, args.task)
        profile = context.state.children.get(args.agent)
        if profile is None:
            text = render("results/child_unknown", child=escaped(args.agent))
            return ToolResult(text, is_error=True)
        if not PROFILES[profile].reusable or profile != args.profile:
            text = render("results/child_not_reusable", child=args.agent, profile=profile)
            return ToolResult(text, is_error=True)
        return Spawns(profile, args.task, args.agent)
