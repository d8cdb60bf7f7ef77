"""May this tool call run now? One question, one answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from planmode.core.permission import PermissionMode
from planmode.core.presets import PlanModeConfig
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


class Refusal(StrEnum):
    """Why a call is refused; each has its text in prompts/results."""

    BLOCKED_TOOL = "blocked_tool"
    WRITE_OUTSIDE_PLAN_FILE = "write_outside_plan_file"
    SHELL_WHILE_PLANNING = "shell_while_planning"
    NO_SANDBOX = "no_sandbox"
    UNSANDBOXED = "unsandboxed"
    ALREADY_PLANNING = "already_planning"
    NOT_PLANNING = "not_planning"
    OUTSIDE_WORKSPACE = "outside_workspace"
    QUESTION_IN_AUTO = "question_in_auto"
    GUARD_FAILED = "guard_failed"


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
class CallFacts:
    """What a tool says about a call before it runs.

    ``plan_file`` and ``workspace`` say where *every* path that it writes lies (both false when it
    names none); ``read_only`` is about a shell command that was parsed to the end.
    """

    name: str
    plan_file: bool = False
    workspace: bool = False
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """What the installation allows: ``auto_exit`` is the project's, ``sandbox`` the host's.

    ``unsandboxed`` says that a command may run without a sandbox though no person was asked.
    """

    auto_exit: bool = False
    sandbox: bool = False
    unsandboxed: bool = False


def judge(
    call: CallFacts, state: SessionState, config: PlanModeConfig, ground: Ground
) -> Judgement:
    """Return whether ``call`` may run on the state as it is now."""
    kind = KIND_OF.get(call.name, ToolKind.OUTSIDE)
    if kind is ToolKind.ENTER:
        return Deny(Refusal.ALREADY_PLANNING) if state.plan.active else Allow()
    if kind is ToolKind.EXIT:
        return _exit(state, config, ground)
    if kind is ToolKind.ASK and state.permission_mode is PermissionMode.AUTO:
        return Deny(Refusal.QUESTION_IN_AUTO)
    if state.plan.active and config.enforcement == "hard":
        return _planning(kind, call, state.permission_mode, ground)
    return _working(kind, call, state.permission_mode, ground)


def _exit(state: SessionState, config: PlanModeConfig, ground: Ground) -> Judgement:
    if not state.plan.active:
        return Deny(Refusal.NOT_PLANNING)
    auto = config.auto_exit and ground.auto_exit and state.permission_mode is PermissionMode.AUTO
    return Review(auto=auto)


def _planning(kind: ToolKind, call: CallFacts, mode: PermissionMode, ground: Ground) -> Judgement:
    match kind:
        case ToolKind.READ | ToolKind.ASK | ToolKind.NOTE:
            return Allow()
        case ToolKind.WRITE:
            return Allow() if call.plan_file else Deny(Refusal.WRITE_OUTSIDE_PLAN_FILE)
        case ToolKind.SHELL:
            return _shell_while_planning(call, mode, ground)
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
            return Allow() if mode in _UNASKED else Ask()
        case _:
            assert_never(kind)


def _shell_while_working(call: CallFacts, mode: PermissionMode, ground: Ground) -> Judgement:
    """Outside of a sandbox a command sees the server's secrets: somebody has to answer for it."""
    if call.read_only:
        return Allow()
    if mode not in _UNASKED:
        return Ask()
    return Allow() if ground.sandbox or ground.unsandboxed else Deny(Refusal.UNSANDBOXED)
