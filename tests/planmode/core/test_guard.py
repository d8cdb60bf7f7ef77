"""The guard's table, with what real tools say of paths."""

import json
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pytest

from planmode.agent import results
from planmode.agent.catalog import TOOLS, parse
from planmode.agent.contracts import ToolContext
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.calls import ToolCall
from planmode.core.guard import (
    KIND_OF,
    Allow,
    Ask,
    CallFacts,
    Deny,
    Ground,
    Judgement,
    Refusal,
    Review,
    ToolKind,
    judge,
    offered,
)
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS, PlanModeConfig
from planmode.core.rules import Effect, Rule, Rules
from planmode.core.state import EMPTY, SessionState
from planmode.store.confined import ConfinedFolder
from tests.rows import Row, rows, wanted

KIMI = PRESETS["kimi"]
GUIDANCE = PlanModeConfig(enforcement="guidance")
MANUAL, EDITS, AUTO, YOLO = PermissionMode
OPEN = Ground(auto_exit=True, sandbox=True)
RELATIVE = PurePosixPath("agents/main/plans/bold-amber-fox.md")
ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    "Write": {"content": "text"},
    "Edit": {"old_string": "a", "new_string": "b"},
}


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    """A workspace, and a session whose plan file is written."""
    work, session = tmp_path / "work", tmp_path / "session"
    work.mkdir()
    (session / RELATIVE).parent.mkdir(parents=True)
    (session / RELATIVE).write_text("# P\n")
    reach = Reach(ConfinedFolder(work), ConfinedFolder(session), RELATIVE)
    return ToolContext(reach, EMPTY, Sandbox())


def state(*, planning: bool, mode: PermissionMode = MANUAL) -> SessionState:
    started: list[ev.Event] = [ev.SessionStarted("default", "/w", "m", "kimi", mode, 1)]
    entered: list[ev.Event] = [ev.PlanModeEntered("bold-amber-fox", mode)] if planning else []
    return core.fold([*started, *entered])


def path_facts(tool: str, path: str, context: ToolContext) -> CallFacts:
    """Return what the real tool says of a call with ``path``."""
    args = parse(TOOLS[tool], json.dumps({"path": path, **ARGUMENTS[tool]}))
    return TOOLS[tool].facts(args, context)


def row_facts(row: Row, context: ToolContext) -> CallFacts:
    """Return the facts of a row's call: of several paths written, every one must fit."""
    if row["tool"] not in ARGUMENTS:
        return CallFacts(row["tool"])
    paths = {
        "$PLAN": str(context.reach.plan_path),
        "$OTHER": str(context.reach.workspace.root / "other.py"),
    }
    written = [
        path_facts(row["tool"], paths[path], context)
        for operation, path in row["accesses"]
        if operation in {"write", "readwrite"}
    ]
    return CallFacts(
        row["tool"],
        plan_file=bool(written) and all(facts.plan_file for facts in written),
        workspace=bool(written) and all(facts.workspace for facts in written),
    )


ABSTAINS: Final[dict[str, Judgement]] = {
    "GD-13": Allow(),
    "GD-14": Allow(),
    "GD-15": Allow(),
    "GD-20": Allow(),
    "GD-22": Allow(),
    "GD-23": Ask(),
    "GD-24": Ask(),
    "GD-25": Ask(),
    "GD-28": Review(auto=True),
    "GD-30": Review(),
    "GD-31": Review(),
    "GD-32": Review(),
}
"""Where the reference's guard abstains the next policy decides. Ours is one function, so the rows
get what the whole of it says: reading runs, the permission table asks in ``manual``, and
ExitPlanMode is a submission, whose file is looked at when it is submitted (tests of calls)."""


@pytest.mark.parametrize("row", rows("guard"))
def test_guard_rows(row: Row, context: ToolContext) -> None:
    """kimi:G2; kimi:G6 and the outside tools of kimi:G2 differ on purpose."""
    mode = PermissionMode(row.get("mode") or wanted(row).get("in_mode") or "manual")
    now = state(planning=row["plan"] == "active", mode=mode)
    verdict = judge(row_facts(row, context), now, KIMI, OPEN)
    match wanted(row)["decision"]:
        case "allow_final":
            assert verdict == Allow()
        case "deny":
            assert isinstance(verdict, Deny)
            _check_text(verdict, row, context)
        case "ask":
            assert verdict == Ask(sandboxed=True)
        case "review":
            assert verdict == Review()
        case "abstain":
            assert verdict == ABSTAINS[row["id"]]
        case other:
            raise AssertionError(other)


def _check_text(verdict: Deny, row: Row, context: ToolContext) -> None:
    plan_file = str(context.reach.plan_path)
    told = results.refused(
        verdict.why, ToolCall("c", row["tool"]), plan_file=plan_file, workspace="/w"
    )
    assert told.is_error
    for word in row["expect"].get("mentions", []):
        assert word.replace("$PLAN", plan_file) in told.text


@pytest.mark.parametrize("row", rows("guard_path"))
def test_guard_path_rows(row: Row, context: ToolContext) -> None:
    """kimi:G3; the attempts on real files are in the tests of Write."""
    plan = Path(str(context.reach.plan_path))
    path = row["path"].replace("$UPPERNAME", plan.name.upper()).replace("$NAME", plan.name)
    path = path.replace("$PLAN", str(plan)).replace("$DIR", str(plan.parent))
    facts = path_facts("Write", path, context)
    verdict = judge(facts, state(planning=True, mode=YOLO), KIMI, OPEN)
    expected = row.get("ours", row["expect"])
    assert isinstance(verdict, Allow if expected == "allow" else Deny)


RULES: Final = {
    "session-approved ExitPlanMode": Rule(Effect.ALLOW, "ExitPlanMode"),
    "deny ExitPlanMode": Rule(Effect.DENY, "ExitPlanMode"),
}
"""The rows' rules. Ours can't even be written down to allow a plan's exit (tests of rules)."""


@pytest.mark.parametrize("row", rows("permission"))
def test_permission_rows(row: Row) -> None:
    """kimi:V3 V4."""
    now = state(planning=row["plan"] == "active", mode=PermissionMode(row["mode"]))
    ground = replace(OPEN, rules=Rules(tuple(RULES[line] for line in row.get("rules", []))))
    verdict = judge(CallFacts(row["tool"]), now, KIMI, ground)
    expected = str(row.get("ours", row["expect"]))
    assert isinstance(verdict, {"run": Allow, "review": Review, "deny": Deny}[expected])


SHELL, READS = CallFacts("Bash"), CallFacts("Bash", read_only=True)
NO_SANDBOX = Ground(auto_exit=True)
OWN_RISK = Ground(unsandboxed=True)


@pytest.mark.parametrize(
    ("facts", "mode", "ground", "verdict"),
    [
        (READS, MANUAL, OPEN, Allow(sandboxed=True)),
        (READS, YOLO, OPEN, Allow(sandboxed=True)),
        (READS, MANUAL, NO_SANDBOX, Allow()),
        (SHELL, MANUAL, OPEN, Ask(sandboxed=True)),
        (SHELL, EDITS, OPEN, Ask(sandboxed=True)),
        (SHELL, MANUAL, NO_SANDBOX, Deny(Refusal.NO_SANDBOX)),
        (SHELL, AUTO, OPEN, Deny(Refusal.SHELL_WHILE_PLANNING)),
        (SHELL, YOLO, NO_SANDBOX, Deny(Refusal.SHELL_WHILE_PLANNING)),
        (SHELL, YOLO, OWN_RISK, Deny(Refusal.SHELL_WHILE_PLANNING)),
        (SHELL, MANUAL, OWN_RISK, Deny(Refusal.NO_SANDBOX)),
    ],
)
def test_bash_while_planning(
    facts: CallFacts, mode: PermissionMode, ground: Ground, verdict: Judgement
) -> None:
    assert judge(facts, state(planning=True, mode=mode), KIMI, ground) == verdict


@pytest.mark.parametrize("tool", ["TaskStop", "CronCreate", "CronDelete", "Agent", "mcp__x__y"])
@pytest.mark.parametrize("mode", PermissionMode)
def test_nothing_lasting_or_outside_runs_while_planning(tool: str, mode: PermissionMode) -> None:
    verdict = judge(CallFacts(tool), state(planning=True, mode=mode), KIMI, OPEN)
    assert verdict == Deny(Refusal.BLOCKED_TOOL)


def write(*, workspace: bool) -> CallFacts:
    return CallFacts("Write", workspace=workspace)


@pytest.mark.parametrize(
    ("facts", "mode", "verdict"),
    [
        (write(workspace=True), MANUAL, Ask()),
        (write(workspace=True), EDITS, Allow()),
        (write(workspace=True), AUTO, Allow()),
        (write(workspace=True), YOLO, Allow()),
        (write(workspace=False), YOLO, Deny(Refusal.OUTSIDE_WORKSPACE)),
        (write(workspace=False), MANUAL, Deny(Refusal.OUTSIDE_WORKSPACE)),
        (READS, MANUAL, Allow(sandboxed=True)),
        (READS, YOLO, Allow(sandboxed=True)),
        (SHELL, MANUAL, Ask()),
        (SHELL, EDITS, Ask()),
        (SHELL, AUTO, Allow()),
        (SHELL, YOLO, Allow()),
        (CallFacts("mcp__x__y"), MANUAL, Ask()),
        (CallFacts("mcp__x__y"), YOLO, Allow()),
        (CallFacts("Read"), MANUAL, Allow()),
        (CallFacts("TodoList"), MANUAL, Allow()),
        (CallFacts("AskUserQuestion"), YOLO, Allow()),
        (CallFacts("AskUserQuestion"), AUTO, Deny(Refusal.QUESTION_IN_AUTO)),
    ],
)
def test_the_table_of_permission_modes(
    facts: CallFacts, mode: PermissionMode, verdict: Judgement
) -> None:
    assert judge(facts, state(planning=False, mode=mode), KIMI, OPEN) == verdict


@pytest.mark.parametrize(
    ("facts", "mode", "ground", "verdict"),
    [
        (SHELL, AUTO, NO_SANDBOX, Deny(Refusal.UNSANDBOXED)),
        (SHELL, YOLO, NO_SANDBOX, Deny(Refusal.UNSANDBOXED)),
        (SHELL, AUTO, OWN_RISK, Allow()),
        (SHELL, YOLO, OWN_RISK, Allow()),
        (SHELL, MANUAL, NO_SANDBOX, Ask()),
        (SHELL, EDITS, NO_SANDBOX, Ask()),
        (READS, YOLO, NO_SANDBOX, Allow()),
        (CallFacts("mcp__x__y"), YOLO, NO_SANDBOX, Allow()),
    ],
)
def test_bash_on_a_host_without_a_sandbox(
    facts: CallFacts, mode: PermissionMode, ground: Ground, verdict: Judgement
) -> None:
    assert judge(facts, state(planning=False, mode=mode), KIMI, ground) == verdict


def test_where_text_alone_constrains_the_table_of_permission_modes_decides() -> None:
    now = state(planning=True, mode=YOLO)
    assert judge(write(workspace=True), now, GUIDANCE, OPEN) == Allow()


@pytest.mark.parametrize("mode", PermissionMode)
def test_entering_twice_and_leaving_nothing_are_refused(mode: PermissionMode) -> None:
    entering = judge(CallFacts("EnterPlanMode"), state(planning=True, mode=mode), KIMI, OPEN)
    assert entering == Deny(Refusal.ALREADY_PLANNING)
    leaving = judge(CallFacts("ExitPlanMode"), state(planning=False, mode=mode), KIMI, OPEN)
    assert leaving == Deny(Refusal.NOT_PLANNING)


@pytest.mark.parametrize(
    ("config", "ground", "mode", "auto"),
    [
        pytest.param(KIMI, OPEN, AUTO, True, id="all agree"),
        pytest.param(KIMI, OPEN, YOLO, False, id="yolo is no auto"),
        pytest.param(KIMI, Ground(), AUTO, False, id="the project does not"),
        pytest.param(PlanModeConfig(auto_exit=False), OPEN, AUTO, False, id="the preset does not"),
    ],
)
def test_when_a_plan_is_approved_by_nobody(
    config: PlanModeConfig,
    ground: Ground,
    mode: PermissionMode,
    auto: bool,  # noqa: FBT001 - a column
) -> None:
    """kimi:X6; ours asks the project, too."""
    now = state(planning=True, mode=mode)
    assert judge(CallFacts("ExitPlanMode"), now, config, ground) == Review(auto=auto)


def offers(*, planning: bool, preset: str = "pi") -> set[str]:
    now = state(planning=planning, mode=MANUAL)
    return {tool for tool in (*KIND_OF, "mcp__x__y") if offered(tool, now, PRESETS[preset])}


def test_while_planning_a_read_only_catalogue_is_offered() -> None:
    """pi:P-03, under the names that tools have in every preset."""
    reads = {tool for tool, kind in KIND_OF.items() if kind is ToolKind.READ}
    assert offers(planning=True) == reads | {
        "AskUserQuestion",
        "TodoList",
        "Bash",
        "reply_to_comment",
    }


def test_what_was_offered_before_planning_is_offered_after_it() -> None:
    """pi:P-04: nothing is lost, since nothing is kept; the reply submits, so no tool does."""
    assert offers(planning=False) == {*KIND_OF, "mcp__x__y"} - {"EnterPlanMode", "ExitPlanMode"}


def test_other_presets_offer_the_same_tools_in_and_out_of_plan_mode() -> None:
    assert offers(planning=True, preset="kimi") == offers(planning=False, preset="kimi")
    assert offers(planning=True, preset="kimi") == {*KIND_OF, "mcp__x__y"}


@pytest.mark.parametrize("tool", ["EnterPlanMode", "ExitPlanMode"])
@pytest.mark.parametrize("planning", [True, False])
@pytest.mark.parametrize("mode", PermissionMode)
def test_where_the_reply_submits_no_tool_switches_plan_mode(
    tool: str,
    planning: bool,  # noqa: FBT001 - a column
    mode: PermissionMode,
) -> None:
    """pi:P-02."""
    now = state(planning=planning, mode=mode)
    assert judge(CallFacts(tool), now, PRESETS["pi"], OPEN) == Deny(Refusal.PLAN_IS_REPLY)


@pytest.mark.parametrize("mode", PermissionMode)
def test_where_the_plan_is_a_reply_no_file_can_be_written(mode: PermissionMode) -> None:
    """pi:P-03, also for a call that the model was not offered."""
    facts = CallFacts("Write", plan_file=True)
    now = state(planning=True, mode=mode)
    assert judge(facts, now, PRESETS["pi"], OPEN) == Deny(Refusal.WRITE_OUTSIDE_PLAN_FILE)


def test_each_kind_of_tool_has_a_name_or_is_what_no_name_says() -> None:
    assert set(KIND_OF.values()) == set(ToolKind) - {ToolKind.OUTSIDE}
