"""What the guard makes of rules, of ``auto`` and of children."""

from dataclasses import replace
from typing import Final, cast

import pytest

from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.guard import (
    KIND_OF,
    Allow,
    Ask,
    CallFacts,
    Decision,
    Deny,
    Ground,
    Judgement,
    Layer,
    Refusal,
    Review,
    ToolKind,
    effective,
    explained,
    judge,
)
from planmode.core.permission import Breaker, PermissionMode
from planmode.core.presets import PRESETS, PlanModeConfig
from planmode.core.profiles import CHILDREN, PROFILES, Profile
from planmode.core.rules import Effect, Rule, Rules
from planmode.core.situations import SITUATIONS, Situation
from planmode.core.state import SessionState

KIMI = PRESETS["kimi"]
GUIDANCE = PlanModeConfig(enforcement="guidance")
MANUAL, EDITS, AUTO, YOLO = PermissionMode
DENY, ASK, ALLOW = Effect
OPEN: Final = Ground(auto_exit=True, sandbox=True)
SHELL, READS = CallFacts("Bash"), CallFacts("Bash", read_only=True)
IN_WORK: Final = CallFacts("Write", workspace=True)
OUTSIDE: Final = CallFacts("Write")
PLAN_FILE: Final = CallFacts("Write", plan_file=True)


def state(*, planning: bool, mode: PermissionMode = MANUAL) -> SessionState:
    started: list[ev.Event] = [ev.SessionStarted("default", "/w", "m", "kimi", mode, 1)]
    entered: list[ev.Event] = [ev.PlanModeEntered("bold-amber-fox", mode)] if planning else []
    return core.fold([*started, *entered])


def ruled(*rules: Rule) -> Ground:
    return replace(OPEN, rules=Rules(rules))


def about(tool: str, *effects: Effect) -> Ground:
    return ruled(*(Rule(effect, tool) for effect in effects))


@pytest.mark.parametrize(
    ("effects", "verdict"),
    [
        ((ALLOW, ASK, DENY), Deny(Refusal.RULE)),
        ((ALLOW, ASK), Ask()),
        ((ALLOW,), Allow()),
        ((), Ask()),
    ],
)
def test_to_deny_comes_before_to_ask_and_that_before_to_allow(
    effects: tuple[Effect, ...], verdict: Judgement
) -> None:
    """kimi:G10, kimi:V4."""
    now = state(planning=False)
    assert judge(IN_WORK, now, KIMI, about("Write", *effects)) == verdict


@pytest.mark.parametrize("mode", PermissionMode)
@pytest.mark.parametrize("planning", [True, False])
@pytest.mark.parametrize("tool", ["Read", "Write", "Bash", "ExitPlanMode", "mcp__x__y"])
def test_a_deny_rule_holds_in_every_mode(
    tool: str, mode: PermissionMode, *, planning: bool
) -> None:
    """claude:C-07, kimi:V4: also while planning, also for the plan file and the submission.

    kimi:G8.
    """
    facts = CallFacts(tool, plan_file=True, workspace=True, read_only=True)
    decision = explained(facts, state(planning=planning, mode=mode), KIMI, about(tool, DENY))
    assert decision == Decision(Deny(Refusal.RULE), Layer.RULES)


@pytest.mark.parametrize(
    ("facts", "mode", "planning", "verdict"),
    [
        (PLAN_FILE, MANUAL, True, Ask()),
        (READS, MANUAL, True, Ask(sandboxed=True)),
        (IN_WORK, YOLO, False, Ask()),
        (SHELL, AUTO, False, Ask()),
    ],
)
def test_an_ask_rule_makes_a_question_of_a_yes(
    facts: CallFacts,
    mode: PermissionMode,
    planning: bool,  # noqa: FBT001 - a column
    verdict: Judgement,
) -> None:
    now = state(planning=planning, mode=mode)
    assert explained(facts, now, KIMI, about(facts.name, ASK)) == Decision(verdict, Layer.RULES)


def test_a_text_that_knows_nothing_of_a_person_s_edit_does_not_replace_it() -> None:
    """Found here."""
    now = state(planning=True)
    edited = replace(now, plan=replace(now.plan, edit_told=False))
    part = CallFacts("Edit", plan_file=True)
    whole = CallFacts("Write", plan_file=True, replaces=True)
    refused = Decision(Deny(Refusal.PLAN_EDITED), Layer.PLAN_MODE)
    assert explained(whole, edited, KIMI, OPEN) == refused
    assert judge(whole, now, KIMI, OPEN) == judge(part, edited, KIMI, OPEN) == Allow()


def test_an_ask_rule_leaves_no_plan_approved_by_nobody() -> None:
    """Found here: where a project lets `auto` approve, such a rule asked nobody."""
    now, exits = state(planning=True, mode=AUTO), CallFacts("ExitPlanMode")
    ground = replace(about("ExitPlanMode", ASK), auto_exit=True)
    assert explained(exits, now, KIMI, ground) == Decision(Review(), Layer.RULES)


@pytest.mark.parametrize(
    ("facts", "planning", "verdict"),
    [
        pytest.param(OUTSIDE, True, Deny(Refusal.WRITE_OUTSIDE_PLAN_FILE), id="no plan file"),
        pytest.param(CallFacts("CronCreate"), True, Deny(Refusal.BLOCKED_TOOL), id="lasting"),
        pytest.param(OUTSIDE, False, Deny(Refusal.OUTSIDE_WORKSPACE), id="outside"),
        pytest.param(CallFacts("ExitPlanMode"), True, Review(), id="review"),
        pytest.param(CallFacts("ExitPlanMode"), False, Deny(Refusal.NOT_PLANNING), id="nothing"),
    ],
)
@pytest.mark.parametrize("effect", [ASK, ALLOW])
def test_no_rule_makes_a_yes_of_a_refusal_or_of_a_review(
    facts: CallFacts,
    planning: bool,  # noqa: FBT001 - a column
    verdict: Judgement,
    effect: Effect,
) -> None:
    """kimi:G1, claude:C-07."""
    assert judge(facts, state(planning=planning), KIMI, about(facts.name, effect)) == verdict


def test_an_allow_rule_saves_no_question_while_planning() -> None:
    """claude:C-07, complaints:K-02."""
    asks = Decision(Ask(sandboxed=True), Layer.PLAN_MODE)
    assert explained(SHELL, state(planning=True), KIMI, about("Bash", ALLOW)) == asks
    runs = Decision(Allow(), Layer.RULES)
    assert explained(SHELL, state(planning=False), KIMI, about("Bash", ALLOW)) == runs
    assert explained(SHELL, state(planning=True), GUIDANCE, about("Bash", ALLOW)) == runs


def test_rules_look_at_what_a_call_is_about() -> None:
    ground = ruled(Rule(DENY, "Read", "secrets/**"))
    now = state(planning=True)
    assert judge(CallFacts("Read", targets=("a.py",)), now, KIMI, ground) == Allow()
    for facts in (
        CallFacts("Read", targets=("a.py", "secrets/key")),
        CallFacts("Read", understood=False),
    ):
        assert judge(facts, now, KIMI, ground) == Deny(Refusal.RULE)


# Permission mode ``auto`` where it does not count


def in_auto(*, planning: bool, breaker: bool = False) -> SessionState:
    return replace(state(planning=planning, mode=AUTO), breaker=Breaker(open=breaker))


@pytest.mark.parametrize(
    ("ground", "planning", "breaker", "mode"),
    [
        pytest.param(OPEN, False, False, AUTO, id="on"),
        pytest.param(OPEN, True, False, AUTO, id="kept while planning"),
        pytest.param(replace(OPEN, auto=False), False, False, MANUAL, id="switched off"),
        pytest.param(OPEN, False, True, MANUAL, id="the breaker is open"),
        pytest.param(replace(OPEN, auto_pauses=True), True, False, MANUAL, id="pauses"),
        pytest.param(replace(OPEN, auto_pauses=True), False, False, AUTO, id="after the pause"),
    ],
)
def test_which_mode_counts_where_auto_was_chosen(
    ground: Ground,
    planning: bool,  # noqa: FBT001 - a column
    breaker: bool,  # noqa: FBT001 - a column
    mode: PermissionMode,
) -> None:
    """claude:C-03, claude:C-05."""
    assert effective(in_auto(planning=planning, breaker=breaker), ground) is mode


@pytest.mark.parametrize("mode", [MANUAL, EDITS, YOLO])
def test_other_modes_count_whatever_happens_to_auto(mode: PermissionMode) -> None:
    off = replace(OPEN, auto=False, auto_pauses=True)
    assert effective(state(planning=True, mode=mode), off) is mode


def test_where_auto_does_not_count_people_are_asked() -> None:
    """complaints:K-32: then a plan needs a review, too."""
    paused, planning = replace(OPEN, auto_pauses=True), in_auto(planning=True)
    assert judge(CallFacts("AskUserQuestion"), planning, KIMI, paused) == Allow()
    assert judge(SHELL, planning, KIMI, paused) == Ask(sandboxed=True)
    assert judge(CallFacts("ExitPlanMode"), planning, KIMI, paused) == Review()
    opened = in_auto(planning=False, breaker=True)
    assert judge(IN_WORK, opened, KIMI, OPEN) == Ask()


# Children


def child(profile: str, mode: PermissionMode = YOLO) -> SessionState:
    return replace(state(planning=False, mode=mode), profile=profile)


@pytest.mark.parametrize("mode", PermissionMode)
@pytest.mark.parametrize("profile", CHILDREN)
def test_a_child_changes_nothing_in_any_mode(profile: str, mode: PermissionMode) -> None:
    """claude:C-31, claude:C-32, claude:C-35, kimi:G7, dsh:D-31, complaints:K-04."""
    for tool in (*KIND_OF, "mcp__x__y"):
        if KIND_OF.get(tool) in {ToolKind.READ, ToolKind.NOTE}:
            continue
        facts = CallFacts(tool, plan_file=True, workspace=True)
        assert isinstance(judge(facts, child(profile, mode), KIMI, OPEN), Deny)


@pytest.mark.parametrize("profile", CHILDREN)
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.what)
def test_nothing_that_holds_for_a_parent_loosens_its_child(
    situation: Situation, profile: str
) -> None:
    """claude:C-35 complaints:K-04.

    Whatever the child may do in one mode it may in each, and its parent may in plan mode, too.
    """
    modes = [(planning, mode) for planning in (True, False) for mode in PermissionMode]
    answers = {
        judge(
            situation.facts,
            replace(state(planning=planning, mode=mode), profile=profile),
            config,
            OPEN,
        )
        for planning, mode in modes
        for config in PRESETS.values()
    }
    (answer,) = answers
    if isinstance(answer, Allow):
        for mode in PermissionMode:
            parents = judge(situation.facts, state(planning=True, mode=mode), KIMI, OPEN)
            assert isinstance(parents, Allow)


@pytest.mark.parametrize(
    ("profile", "facts", "verdict"),
    [
        ("explore", CallFacts("Grep"), Allow()),
        ("explore", CallFacts("TodoList"), Allow()),
        ("explore", READS, Allow(sandboxed=True)),
        ("explore", SHELL, Deny(Refusal.SHELL_OF_CHILD)),
        ("explore", CallFacts("FetchURL"), Deny(Refusal.NOT_IN_PROFILE)),
        ("plan", CallFacts("Read"), Allow()),
        ("plan", READS, Deny(Refusal.NOT_IN_PROFILE)),
        ("plan", CallFacts("Agent", read_only=True), Deny(Refusal.NOT_IN_PROFILE)),
        ("plan", CallFacts("ExitPlanMode"), Deny(Refusal.NOT_IN_PROFILE)),
    ],
)
def test_what_a_profile_decides(profile: str, facts: CallFacts, verdict: Judgement) -> None:
    decision = explained(facts, child(profile), KIMI, OPEN)
    assert decision == Decision(verdict, Layer.PROFILE)


def test_a_profile_that_is_given_more_tools_changes_nothing_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a profile may do does not rest on its list of tools alone."""
    wide = replace(PROFILES["explore"], tools=None)
    monkeypatch.setitem(cast("dict[str, Profile]", PROFILES), "explore", wide)
    for tool in ("Write", "Agent", "ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "mcp__x__y"):
        facts = CallFacts(tool, plan_file=True, workspace=True, read_only=True)
        assert judge(facts, child("explore"), KIMI, OPEN) == Deny(Refusal.NOT_IN_PROFILE)


def test_a_child_s_command_needs_no_sandbox_where_there_is_none() -> None:
    assert judge(READS, child("explore"), KIMI, Ground()) == Allow()


@pytest.mark.parametrize("effect", [DENY, ASK])
def test_a_child_has_nobody_to_ask(effect: Effect) -> None:
    """Found here: what a rule says to ask about ran in a child."""
    decision = explained(CallFacts("Read"), child("explore"), KIMI, about("Read", effect))
    assert decision == Decision(Deny(Refusal.RULE), Layer.RULES)


def test_an_allow_rule_gives_a_child_nothing() -> None:
    denied = judge(SHELL, child("explore"), KIMI, about("Bash", ALLOW))
    assert denied == Deny(Refusal.SHELL_OF_CHILD)
    left_out = judge(IN_WORK, child("explore"), KIMI, about("Write", ALLOW))
    assert left_out == Deny(Refusal.NOT_IN_PROFILE)


@pytest.mark.parametrize(
    ("facts", "config", "layer"),
    [
        (CallFacts("EnterPlanMode"), KIMI, Layer.PLAN_MODE),
        (CallFacts("ExitPlanMode"), KIMI, Layer.PLAN_MODE),
        (PLAN_FILE, KIMI, Layer.PLAN_MODE),
        (IN_WORK, GUIDANCE, Layer.PERMISSION_MODE),
        (CallFacts("AskUserQuestion"), KIMI, Layer.PERMISSION_MODE),
    ],
)
def test_what_decided_is_named(facts: CallFacts, config: PlanModeConfig, layer: Layer) -> None:
    assert explained(facts, in_auto(planning=True), config, OPEN).layer is layer
