"""The kinds of calls that the guard tells apart, and its answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from planmode.core.guard import (
    Allow,
    Ask,
    CallFacts,
    Deny,
    Ground,
    Judgement,
    Review,
    judge,
)
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.core.state import PlanState, SessionState


@dataclass(frozen=True, slots=True)
class Situation:
    """One kind of call, in words, as its tool would tell of it."""

    what: str
    facts: CallFacts


def _of(
    tool: str,
    what: str = "",
    *,
    plan_file: bool = False,
    workspace: bool = False,
    read_only: bool = False,
) -> Situation:
    facts = CallFacts(tool, plan_file=plan_file, workspace=workspace, read_only=read_only)
    return Situation(f"{tool}: {what}" if what else tool, facts)


SITUATIONS: Final = (
    *map(_of, ("Read", "Grep", "Glob", "WebSearch", "FetchURL")),
    *map(_of, ("CronList", "TaskList", "TaskOutput", "TodoList", "reply_to_comment")),
    _of("AskUserQuestion"),
    _of("Write", "the plan file", plan_file=True),
    _of("Write", "another file of the workspace", workspace=True),
    _of("Write", "outside of the workspace"),
    _of("Edit", "the plan file", plan_file=True),
    _of("Edit", "another file of the workspace", workspace=True),
    _of("Edit", "outside of the workspace"),
    _of("Bash", "surely read-only", read_only=True),
    _of("Bash", "anything else"),
    *map(_of, ("TaskStop", "CronCreate", "CronDelete")),
    _of("Agent", "a read-only profile", read_only=True),
    _of("Agent", "any other"),
    _of("mcp__server__tool", "trusted to change nothing", read_only=True),
    _of("mcp__server__tool", "any other"),
    *map(_of, ("EnterPlanMode", "ExitPlanMode")),
)
"""Every tool that the guard knows, each with all that it tells apart."""


@dataclass(frozen=True, slots=True)
class Row:
    """The guard's answers to one situation, one for each permission mode in their order."""

    preset: str
    planning: bool
    what: str
    answers: tuple[str, ...]


def answer(
    situation: Situation, preset: str, mode: PermissionMode, *, planning: bool, ground: Ground
) -> str:
    """Return the guard's answer in a word: run, sandbox, ask, deny, review or auto-approve."""
    plan = PlanState(active=planning, plan_id="plan" if planning else None, previous_mode=mode)
    state = SessionState(permission_mode=mode, preset=preset, plan=plan)
    return word(judge(situation.facts, state, PRESETS[preset], ground))


def word(judgement: Judgement) -> str:
    """Return ``judgement`` as the table and its readers name it."""
    match judgement:
        case Allow(sandboxed=sandboxed):
            return "sandbox" if sandboxed else "run"
        case Ask():
            return "ask"
        case Deny():
            return "deny"
        case Review(auto=auto):
            return "auto-approve" if auto else "review"
        case _:
            assert_never(judgement)


def table(ground: Ground) -> Iterator[Row]:
    """Yield the whole table: each preset, planning or not, each situation."""
    for preset in PRESETS:
        for planning in (True, False):
            for situation in SITUATIONS:
                answers = tuple(
                    answer(situation, preset, mode, planning=planning, ground=ground)
                    for mode in PermissionMode
                )
                yield Row(preset, planning, situation.what, answers)
