"""What the guard would say of a call, for operators who ask why."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from planmode.access.models import Project
from planmode.agent import results
from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse, tools_of
from planmode.agent.contracts import Tool, ToolContext
from planmode.agent.ground import ground_of
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core.calls import ToolCall
from planmode.core.guard import (
    KIND_OF,
    Allow,
    Ask,
    CallFacts,
    Decision,
    Deny,
    Judgement,
    Layer,
    Review,
    explained,
)
from planmode.core.permission import PermissionMode
from planmode.core.rules import SUBJECT_OF, Subject
from planmode.core.state import PlanState, SessionState
from planmode.knobs import knobs
from planmode.store.confined import ConfinedFolder, PathRefusedError

PLAN_ID = "asked-about"


class Question(BaseModel):
    """One call that nobody has made; ``plan`` says whether plan mode is on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    args: dict[str, Any] = {}
    preset: str = "kimi"
    permission_mode: PermissionMode = PermissionMode.MANUAL
    plan: bool | Literal["active", "on", "inactive", "off"] = True
    workspace: str = "."
    plan_file: str = ""
    profile: str = "agent"
    rules: tuple[str, ...] = ()

    @property
    def planning(self) -> bool:
        """Whether plan mode is on: true, ``"active"`` and ``"on"`` say so."""
        return self.plan in {True, "active", "on"}


@dataclass(frozen=True, slots=True)
class Answer:
    """``decision`` is allow, deny, ask or review; ``layer`` is what decided."""

    decision: str
    reason: str
    layer: str


def ask(question: Question, project: Project, sandbox: Sandbox) -> Answer:
    """Return what the guard would say, on the rules of installation and ``project``.

    Raises:
        KeyError: there is no such preset or profile.
        GroundError: a permission rule can't be used.
    """
    config = knobs(question.preset)
    if not _is_known(question.tool):
        known = ", ".join(TOOLS)
        return Answer(
            "deny", f"there is no tool {question.tool}; there are {known}", Layer.ARGUMENTS
        )
    call = ToolCall("asked", question.tool, json.dumps(question.args))
    state, reach = _state(question), _reach(question)
    try:
        facts = _facts(tools_of(config).get(call.name), call, ToolContext(reach, state, sandbox))
    except ArgumentsInvalidError as error:
        return Answer("deny", str(error), Layer.ARGUMENTS)
    ground = ground_of(project, state, sandbox=sandbox.available)
    decision = explained(facts, state, config, ground)
    if isinstance(decision.judgement, Allow) and (refusal := _refused_path(question, reach)):
        return Answer("deny", refusal, Layer.PATHS)
    reason = _reason(decision, call, reach, config.source)
    return Answer(_word(decision.judgement), reason, decision.layer)


def _is_known(tool: str) -> bool:
    return tool in TOOLS or tool in KIND_OF or tool.startswith("mcp__")


def _facts(tool: Tool[Any] | None, call: ToolCall, context: ToolContext) -> CallFacts:
    if tool is None:
        return CallFacts(call.name)
    return tool.facts(parse(tool, call.args), context)


def _state(question: Question) -> SessionState:
    plan = PlanState()
    if question.planning:
        plan = PlanState(
            active=True, plan_id=PLAN_ID, previous_mode=question.permission_mode, ids=(PLAN_ID,)
        )
    return SessionState(
        permission_mode=question.permission_mode,
        preset=question.preset,
        rules=question.rules,
        profile=question.profile,
        plan=plan,
    )


def _reach(question: Question) -> Reach:
    workspace = Path(question.workspace).absolute()
    if not question.plan_file:
        return Reach(ConfinedFolder(workspace), plans=None, plan_file=None)
    file = workspace / question.plan_file
    inside = file.is_relative_to(workspace)
    home = workspace if inside else _home_of(file)
    return Reach(
        workspace=ConfinedFolder(workspace),
        plans=None if inside else ConfinedFolder(home),
        plan_file=PurePosixPath(file.relative_to(home)) if question.planning else None,
        in_workspace=inside,
    )


def _home_of(plan: Path) -> Path:
    """Return the session's folder, which may hold plans of other agents beside this file."""
    return plan.parents[3] if plan.match("agents/*/plans/*") else plan.parent


def _refused_path(question: Question, reach: Reach) -> str:
    """Return why the tool itself would refuse the path that the guard lets pass, or nothing."""
    if SUBJECT_OF.get(question.tool) is not Subject.PATH:
        return ""
    try:
        reach.locate(question.args.get("path", "."))
    except PathRefusedError as error:
        return str(error)
    return ""


def _word(judgement: Judgement) -> str:
    match judgement:
        case Allow():
            return "allow"
        case Deny():
            return "deny"
        case Ask():
            return "ask"
        case Review():
            return "review"


def _reason(decision: Decision, call: ToolCall, reach: Reach, source: str) -> str:
    unseen = _UNSEEN if call.name.startswith("mcp__") else ""
    judgement = decision.judgement
    if not isinstance(judgement, Deny):
        return f"{_WORDS[judgement]}{unseen}"
    refused = results.refused(
        judgement.why,
        call,
        plan_file=reach.plan_path or "",
        workspace=str(reach.workspace.root),
        source=source,
    )
    return " ".join(f"{refused.text}{unseen}".split())


_UNSEEN: Final = (
    " (judge asks no outside server: it takes the tool as there, and as trusted with nothing)"
)
_WORDS: Final[Mapping[Allow | Ask | Review, str]] = {
    Allow(): "it runs",
    Allow(sandboxed=True): "it runs in the sandbox, where it can change nothing",
    Ask(): "a person has to allow it",
    Ask(sandboxed=True): "a person has to allow it, and then it runs where it can change nothing",
    Review(): "the plan goes to its reviewers",
    Review(auto=True): "the plan is approved without a person, and marked so",
}
