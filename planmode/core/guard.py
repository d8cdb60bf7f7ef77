"""May this tool call run now? One question, one answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

from planmode.core.permission import PermissionMode
from planmode.core.presets import PlanModeConfig
from planmode.core.profiles import PROFILES
from planmode.core.rules import Effect, Rules, matching
from planmode.core.state import SessionState


class ToolKind(StrEnum):
    """What the guard has to know about a tool; an unknown name is ``OUTSIDE``."""

    READ = "read"
    ASK = "ask"
    NOTE = "note"  # the agent's own list: nothing outside the session changes
    WRITE = "write"
    SHELL = "shell"
    LASTING = "lasting"  # outlives the plan: jobs that run later or are ended
    AGENT = "agent"
    ENTER = "enter"
    EXIT = "exit"
    OUTSIDE = "outside"


KIND_OF: Final[Mapping[str, ToolKind]] = {
    "Read": ToolKind.READ,
    "Grep": ToolKind.READ,
    "Glob": ToolKind.READ,
    "CronList": ToolKind.READ,
    "TaskList": ToolKind.READ,
    "TaskOutput": ToolKind.READ,
    "WebSearch": ToolKind.READ,
    "FetchURL": ToolKind.READ,
    "AskUserQuestion": ToolKind.ASK,
    "TodoList": ToolKind.NOTE,
    "reply_to_comment": ToolKind.NOTE,
    "Write": ToolKind.WRITE,
    "Edit": ToolKind.WRITE,
    "Bash": ToolKind.SHELL,
    "TaskStop": ToolKind.LASTING,
    "CronCreate": ToolKind.LASTING,
    "CronDelete": ToolKind.LASTING,
    "Agent": ToolKind.AGENT,
    "EnterPlanMode": ToolKind.ENTER,
    "ExitPlanMode": ToolKind.EXIT,
}


_UNASKED: Final = frozenset({PermissionMode.AUTO, PermissionMode.YOLO})
"""Where commands run without a person's yes."""
_SWITCHES: Final = frozenset({ToolKind.ENTER, ToolKind.EXIT})
_READ_ONLY: Final = frozenset({ToolKind.READ, ToolKind.ASK, ToolKind.NOTE, ToolKind.SHELL})
"""The catalogue of an agent that is told of read-only tools alone; commands are judged."""


class Refusal(StrEnum):
    """Why a call is refused; each has its text in prompts/results."""

    BLOCKED_TOOL = "blocked_tool"
    WRITE_OUTSIDE_PLAN_FILE = "write_outside_plan_file"
    PLAN_EDITED = "plan_edited"
    SHELL_WHILE_PLANNING = "shell_while_planning"
    NO_SANDBOX = "no_sandbox"
    UNSANDBOXED = "unsandboxed"
    ALREADY_PLANNING = "already_planning"
    NOT_PLANNING = "not_planning"
    PLAN_IS_REPLY = "plan_is_reply"
    OUTSIDE_WORKSPACE = "outside_workspace"
    QUESTION_IN_AUTO = "question_in_auto"
    RULE = "rule"
    NOT_IN_PROFILE = "not_in_profile"
    SHELL_OF_CHILD = "shell_of_child"
    GUARD_FAILED = "guard_failed"


class Layer(StrEnum):
    """What decided about a call."""

    ARGUMENTS = "arguments"
    PROFILE = "profile"
    RULES = "rules"
    PLAN_MODE = "plan_mode"
    PERMISSION_MODE = "permission_mode"
    PATHS = "paths"  # no file there is within reach, whoever allows it: the tool itself says so


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run; ``sandboxed`` says that it may not change anything.

    Without it a command may change the workspace; what else it sees is the sandbox's business.
    """

    sandboxed: bool = False


@dataclass(frozen=True, slots=True)
class Deny:
    """The call may not run; the agent is told why and what to do instead."""

    why: Refusal


@dataclass(frozen=True, slots=True)
class Ask:
    """A person has to allow the call."""

    sandboxed: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """The plan is submitted; ``auto`` approves it without a person, and says so."""

    auto: bool = False


Judgement = Allow | Deny | Ask | Review


@dataclass(frozen=True, slots=True)
class Decision:
    """A judgement, and which layer it comes from."""

    judgement: Judgement
    layer: Layer


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What a tool says about a call before it runs.

    ``plan_file`` and ``workspace`` say where *every* path that it writes lies (both false when it
    names none), ``replaces`` that what the file holds is lost. ``read_only``: a command that was
    parsed to its end, a child that can't change anything, an outside tool that the installation
    trusts to change nothing. ``targets`` is what permission rules look at: paths, simple commands,
    profiles; ``understood`` says that these are all of them.
    """

    name: str
    plan_file: bool = False
    workspace: bool = False
    replaces: bool = False
    read_only: bool = False
    targets: tuple[str, ...] = ()
    understood: bool = True


NO_RULES: Final = Rules()


@dataclass(frozen=True, slots=True)
class Ground:
    """What the installation allows: ``auto_exit`` is the project's, ``sandbox`` the host's.

    ``unsandboxed`` says that a command may run without a sandbox though no person was asked.
    ``auto`` is false where an operator has switched that permission mode off, ``auto_pauses`` where
    it counts as ``manual`` while planning. ``rules`` are those of installation, project and
    session together.
    """

    auto_exit: bool = False
    sandbox: bool = False
    unsandboxed: bool = False
    auto: bool = True
    auto_pauses: bool = False
    rules: Rules = NO_RULES


def effective(state: SessionState, ground: Ground) -> PermissionMode:
    """Return the permission mode that counts now: ``auto`` may be off, or pause."""
    mode = state.permission_mode
    pauses = ground.auto_pauses and state.plan.active
    if mode is PermissionMode.AUTO and (state.breaker.open or pauses or not ground.auto):
        return PermissionMode.MANUAL
    return mode


def offered(tool: str, state: SessionState, config: PlanModeConfig) -> bool:
    """Return whether the model is told of ``tool`` now; a call that comes anyway is judged."""
    kind = KIND_OF.get(tool, ToolKind.OUTSIDE)
    if kind in _SWITCHES and config.submit == "reply":
        return False
    narrowed = state.plan.active and config.tools == "read_only"
    return PROFILES[state.profile].offers(tool) and (kind in _READ_ONLY or not narrowed)


def judge(
    call: CallFacts, state: SessionState, config: PlanModeConfig, ground: Ground
) -> Judgement:
    """Return whether ``call`` may run on the state as it is now."""
    return explained(call, state, config, ground).judgement


def explained(
    call: CallFacts, state: SessionState, config: PlanModeConfig, ground: Ground
) -> Decision:
    """Return the judgement with the layer that made it.

    A profile, then a deny rule, refuse before anything else. Plan mode and permission mode decide;
    after that an ask rule turns a yes into a question, and a plan's automatic approval into a
    review, and an allow rule a question into a yes, the latter never while plan mode is enforced.
    """
    profile = PROFILES[state.profile]
    kind = KIND_OF.get(call.name, ToolKind.OUTSIDE)
    effect = matching(ground.rules, call.name, call.targets, understood=call.understood)
    if not profile.offers(call.name):
        return Decision(Deny(Refusal.NOT_IN_PROFILE), Layer.PROFILE)
    if effect is Effect.DENY or (effect is Effect.ASK and profile.read_only):
        return Decision(Deny(Refusal.RULE), Layer.RULES)  # a child has nobody to ask
    if profile.read_only:
        return Decision(_as_child(kind, call, ground), Layer.PROFILE)
    decision = _decided(kind, call, state, config, ground)
    enforced = state.plan.active and config.enforcement == "hard"
    return _tightened(decision, effect, may_loosen=not enforced)


def _tightened(decision: Decision, effect: Effect | None, *, may_loosen: bool) -> Decision:
    match decision.judgement, effect:
        case Allow(sandboxed=sandboxed), Effect.ASK:
            return Decision(Ask(sandboxed=sandboxed), Layer.RULES)
        case Ask(sandboxed=sandboxed), Effect.ALLOW if may_loosen:
            return Decision(Allow(sandboxed=sandboxed), Layer.RULES)
        case Review(auto=True), Effect.ASK:
            return Decision(Review(), Layer.RULES)
        case _:
            return decision


def _decided(
    kind: ToolKind,
    call: CallFacts,
    state: SessionState,
    config: PlanModeConfig,
    ground: Ground,
) -> Decision:
    mode = effective(state, ground)
    if kind in _SWITCHES and config.submit == "reply":
        return Decision(Deny(Refusal.PLAN_IS_REPLY), Layer.PLAN_MODE)
    if kind in _SWITCHES:
        entering = kind is ToolKind.ENTER
        switching = _enter(state) if entering else _exit(state, mode, config, ground)
        return Decision(switching, Layer.PLAN_MODE)
    if kind is ToolKind.ASK and mode is PermissionMode.AUTO:
        return Decision(Deny(Refusal.QUESTION_IN_AUTO), Layer.PERMISSION_MODE)
    if state.plan.active and config.enforcement == "hard":
        # Where plans are no files there is none to be written, whatever a call says of itself.
        call = replace(call, plan_file=call.plan_file and config.plan_folder != "none")
        loses = call.plan_file and call.replaces and not state.plan.edit_told
        planning = Deny(Refusal.PLAN_EDITED) if loses else _planning(kind, call, mode, ground)
        return Decision(planning, Layer.PLAN_MODE)
    return Decision(_working(kind, call, mode, ground), Layer.PERMISSION_MODE)


def _enter(state: SessionState) -> Judgement:
    return Deny(Refusal.ALREADY_PLANNING) if state.plan.active else Allow()


def _exit(
    state: SessionState, mode: PermissionMode, config: PlanModeConfig, ground: Ground
) -> Judgement:
    if not state.plan.active:
        return Deny(Refusal.NOT_PLANNING)
    return Review(auto=config.auto_exit and ground.auto_exit and mode is PermissionMode.AUTO)


def _as_child(kind: ToolKind, call: CallFacts, ground: Ground) -> Judgement:
    """A child can't ask anybody, so whatever is in doubt is refused."""
    match kind:
        case ToolKind.READ | ToolKind.NOTE:
            return Allow()
        case ToolKind.SHELL:
            if call.read_only:
                return Allow(sandboxed=ground.sandbox)
            return Deny(Refusal.SHELL_OF_CHILD)
        case _:
            return Deny(Refusal.NOT_IN_PROFILE)


def _planning(kind: ToolKind, call: CallFacts, mode: PermissionMode, ground: Ground) -> Judgement:
    match kind:
        case ToolKind.READ | ToolKind.ASK | ToolKind.NOTE:
            return Allow()
        case ToolKind.WRITE:
            return Allow() if call.plan_file else Deny(Refusal.WRITE_OUTSIDE_PLAN_FILE)
        case ToolKind.SHELL:
            return _shell_while_planning(call, mode, ground)
        case ToolKind.AGENT | ToolKind.OUTSIDE:
            return Allow() if call.read_only else Deny(Refusal.BLOCKED_TOOL)
        case _:
            return Deny(Refusal.BLOCKED_TOOL)


def _shell_while_planning(call: CallFacts, mode: PermissionMode, ground: Ground) -> Judgement:
    if call.read_only:
        return Allow(sandboxed=ground.sandbox)
    if mode in _UNASKED:
        return Deny(Refusal.SHELL_WHILE_PLANNING)
    if not ground.sandbox:
        return Deny(Refusal.NO_SANDBOX)
    return Ask(sandboxed=True)


def _working(kind: ToolKind, call: CallFacts, mode: PermissionMode, ground: Ground) -> Judgement:
    match kind:
        case ToolKind.READ | ToolKind.ASK | ToolKind.NOTE | ToolKind.ENTER | ToolKind.EXIT:
            return Allow()
        case ToolKind.WRITE:
            if not call.workspace:
                return Deny(Refusal.OUTSIDE_WORKSPACE)
            return Ask() if mode is PermissionMode.MANUAL else Allow()
        case ToolKind.SHELL:
            return _shell_while_working(call, mode, ground)
        case ToolKind.LASTING | ToolKind.AGENT | ToolKind.OUTSIDE:
            return Allow() if mode in _UNASKED or call.read_only else Ask()
        case _:
            assert_never(kind)


def _shell_while_working(call: CallFacts, mode: PermissionMode, ground: Ground) -> Judgement:
    """Outside of a sandbox a command sees the server's secrets: somebody has to answer for it.

    Where nobody is asked because a command surely only reads, it is held to that: a repository's
    configuration names programs that git starts.
    """
    if call.read_only:
        return Allow(sandboxed=ground.sandbox)
    if mode not in _UNASKED:
        return Ask()
    return Allow() if ground.sandbox or ground.unsandboxed else Deny(Refusal.UNSANDBOXED)
