"""Permission rules tighten in doubt, and never stand for a review."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.errors import RulesInvalidError
from planmode.core.guard import KIND_OF
from planmode.core.rules import (
    LONGEST_PATTERN,
    MOST_RULES,
    SUBJECT_OF,
    Effect,
    Level,
    Rule,
    Rules,
    deciding,
    matching,
    parse_rule,
    parse_rules,
)

DENY, ASK, ALLOW = Effect
PATHS = "Read", "Grep", "Glob", "Write", "Edit"

PAGE = Path(__file__).parents[3] / "docs/permission-rules.md"


def rules(*lines: str) -> Rules:
    return Rules(parse_rules(lines, Level.INSTALLATION))


def test_each_tool_of_the_guard_can_be_named() -> None:
    assert set(SUBJECT_OF) == set(KIND_OF)


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("deny Bash(git push *)", Rule(DENY, "Bash", "git push *")),
        ("  ask   Write( src/** )  ", Rule(ASK, "Write", "src/**")),
        ("allow Bash(f (x) *)", Rule(ALLOW, "Bash", "f (x) *")),
        ("deny Bash(rm  -r\t*)", Rule(DENY, "Bash", "rm -r *")),
        ("deny ExitPlanMode", Rule(DENY, "ExitPlanMode")),
        ("ask EnterPlanMode", Rule(ASK, "EnterPlanMode")),
        ("allow Read", Rule(ALLOW, "Read")),
        ("ask Agent(explore)", Rule(ASK, "Agent", "explore")),
        ("deny mcp__tracker__*", Rule(DENY, "mcp__tracker__*")),
        ("allow mcp__tracker__read-issue", Rule(ALLOW, "mcp__tracker__read-issue")),
        ("deny mcp__*", Rule(DENY, "mcp__*")),
    ],
)
def test_a_line_is_a_rule(line: str, rule: Rule) -> None:
    assert parse_rule(line) == rule
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("deny", "an effect, a tool and"),
        ("deny Bash(git push) now", "an effect, a tool and"),
        ("deny Bash (git push *)", "an effect, a tool and"),
        ("forbid Bash", "begins with one of deny, ask, allow"),
        ("Deny Bash", "begins with one of"),
        ("deny bash", "there is no tool bash"),
        ("deny *", r"there is no tool \*"),
        ("deny mcp__a__?", r"there is no tool mcp__a__\?"),
        ("deny " + "x" * 500, "there is no tool x{79}…$"),
        ("deny Bash()", "leave out the brackets"),
        ("deny Write( )", "leave out the brackets"),
        ("deny TodoList(x)", "a rule about TodoList has no pattern"),
        ("ask mcp__a__b(x)", "a rule about mcp__a__b has no pattern"),
        (f"deny Bash({'x' * (LONGEST_PATTERN + 1)})", "at most 500 characters"),
        ("deny Read(/etc/*)", "counts from the workspace"),
        ("deny Read(~/x)", "counts from the workspace"),
        ("deny Read(a/../../x)", "counts from the workspace"),
        ("deny Read(secrets/)", r"FOLDER/\*\*"),
        (f"deny Read({'{a,b}' * 40})", "too many alternatives"),
    ],
)
def test_a_line_that_is_no_rule_says_why(line: str, says: str) -> None:
    with pytest.raises(RulesInvalidError, match=says):
        parse_rule(line)


@pytest.mark.parametrize("tool", ["ExitPlanMode", "EnterPlanMode"])
def test_plan_mode_is_on_no_allow_list(tool: str) -> None:
    """kimi:V4 complaints:K-32: approval is not a permission."""
    with pytest.raises(RulesInvalidError, match="is a review, never a permission"):
        parse_rule(f"allow {tool}")
    for effect in (DENY, ASK):
        assert parse_rule(f"{effect} {tool}") == Rule(effect, tool)


def test_a_list_skips_blank_lines_and_comments() -> None:
    lines = ["# first", "", "deny Bash(rm *)", "  # more", "allow Read\n"]
    assert parse_rules(lines, Level.INSTALLATION) == (
        Rule(DENY, "Bash", "rm *"),
        Rule(ALLOW, "Read"),
    )


@pytest.mark.parametrize("level", [Level.PROJECT, Level.SESSION])
def test_a_lower_level_can_only_tighten(level: Level) -> None:
    assert len(parse_rules(["deny Bash", "ask Write"], level)) == 2
    with pytest.raises(RulesInvalidError, match="line 2: a lower level can only tighten"):
        parse_rules(["deny Bash", "allow Write"], level)


def test_a_list_names_the_line_that_is_wrong() -> None:
    with pytest.raises(RulesInvalidError) as refused:
        parse_rules(["# ours", "deny Bash", " permit Read "], Level.PROJECT)
    assert str(refused.value) == (
        "line 3: a rule begins with one of deny, ask, allow: 'permit Read'"
    )


def test_a_list_has_an_end() -> None:
    lines = ["deny Bash"] * MOST_RULES
    assert len(parse_rules([*lines, "# end"], Level.SESSION)) == MOST_RULES
    with pytest.raises(RulesInvalidError, match="line 201: a list has at most 200 rules"):
        parse_rules([*lines, "deny Bash"], Level.SESSION)


def test_the_example_on_the_page_is_a_list() -> None:
    lines = PAGE.read_text("utf-8").split("```")[1].splitlines()
    assert len(parse_rules(lines, Level.INSTALLATION)) == len(lines) - 2


@pytest.mark.parametrize(
    ("lines", "tool", "targets", "effect"),
    [
        pytest.param([], "Bash", ["ls"], None, id="no rules"),
        pytest.param(["deny Write"], "Bash", ["ls"], None, id="another tool"),
        pytest.param(["deny Bash"], "Bash", ["ls"], DENY, id="each call"),
        pytest.param(["deny Bash(rm *)"], "Bash", ["ls", "rm -r a"], DENY, id="one of two"),
        pytest.param(["ask Bash(rm *)"], "Bash", ["ls", "rm -r a"], ASK, id="asks for one"),
        pytest.param(["deny Bash(rm *)"], "Bash", ["ls"], None, id="none of them"),
        pytest.param(["deny Bash(rm *)"], "Bash", ["rm"], DENY, id="without arguments"),
        pytest.param(["deny Bash(rm *)"], "Bash", ["rmdir a"], None, id="the whole word"),
        pytest.param(["deny Bash(rm *)"], "Bash", ["rm\t -r  a"], DENY, id="other blanks"),
        pytest.param(["deny Bash(rm *)"], "Bash", ["/bin/rm -r a"], DENY, id="by its path"),
        pytest.param(["deny Bash(rm *)"], "Bash", [" "], None, id="a blank command"),
        pytest.param(["allow Bash(ls *)"], "Bash", ["ls -l", "ls"], ALLOW, id="all allowed"),
        pytest.param(["allow Bash(ls *)"], "Bash", ["ls -l", "id"], None, id="one not allowed"),
        pytest.param(["allow Bash(ls *)"], "Bash", ["/srv/x/ls"], None, id="a name is no program"),
        pytest.param(["allow Bash(/usr/bin/ls *)"], "Bash", ["/usr/bin/ls a"], ALLOW, id="path"),
        pytest.param(
            ["allow Bash(ls *)", "allow Bash(id)"], "Bash", ["ls", "id"], ALLOW, id="by two rules"
        ),
        pytest.param(
            ["allow Bash", "ask Bash(rm *)", "deny Bash(rm -r *)"], "Bash", ["rm -r a"], DENY,
            id="deny before the others",
        ),
        pytest.param(["allow Bash", "ask Bash(rm *)"], "Bash", ["rm a"], ASK, id="then ask"),
        pytest.param(["allow Bash", "ask Bash(rm *)"], "Bash", ["ls"], ALLOW, id="then allow"),
        pytest.param(["ask Agent(plan)"], "Agent", ["plan"], ASK, id="a profile"),
        pytest.param(["ask Agent(plan)"], "Agent", ["explore"], None, id="another profile"),
        pytest.param(["deny mcp__a__*"], "mcp__a__b", [], DENY, id="an outside tool"),
        pytest.param(["deny mcp__a__*"], "mcp__ab__b", [], None, id="another server"),
        pytest.param(["deny mcp__a__b"], "mcp__a__b", [], DENY, id="one outside tool"),
        pytest.param(["allow mcp__a__*"], "mcp__a__b", [], ALLOW, id="an outside tool allowed"),
        pytest.param(["allow mcp__a__*", "deny mcp__a__b"], "mcp__a__b", [], DENY, id="but one"),
    ],
)  # fmt: skip
def test_what_rules_do(
    lines: list[str], tool: str, targets: list[str], effect: Effect | None
) -> None:
    assert matching(rules(*lines), tool, tuple(targets), understood=True) is effect


@pytest.mark.parametrize("tool", PATHS)
@pytest.mark.parametrize(
    ("line", "path", "effect"),
    [
        ("deny {}(secrets/**)", "secrets/a/b.txt", DENY),
        ("deny {}(secrets/**)", "secrets", DENY),
        ("deny {}(secrets/**)", "other/secrets/a", None),
        ("ask {}(**/*.pem)", "a/b.pem", ASK),
        ("ask {}(*.pem)", "a/b.pem", None),
        ("allow {}(src/**)", "src/a.py", ALLOW),
        ("allow {}(**)", "src/a.py", ALLOW),
        ("allow {}(**)", "/etc/passwd", None),
        ("allow {}(**)", "src/../../x", None),
        ("deny {}(**)", "/etc/passwd", DENY),
        ("allow {}", "/etc/passwd", ALLOW),
    ],
)
def test_paths_count_from_the_workspace(
    tool: str, line: str, path: str, effect: Effect | None
) -> None:
    assert matching(rules(line.format(tool)), tool, (path,), understood=True) is effect


@pytest.mark.parametrize(
    ("targets", "understood"),
    [
        pytest.param(("ls",), False, id="not understood"),
        pytest.param((), True, id="nothing named"),
        pytest.param((), False, id="neither"),
    ],
)
@pytest.mark.parametrize(
    ("lines", "effect"),
    [
        (["deny Bash(rm *)"], DENY),
        (["ask Bash(rm *)"], ASK),
        (["ask Bash(rm *)", "deny Bash(dd *)"], DENY),
        (["allow Bash(ls *)"], None),
        (["allow Bash(*)"], None),
        (["allow Bash"], ALLOW),
        (["allow Bash", "ask Bash(rm *)"], ASK),
        (["deny Write(a)"], None),
    ],
)
def test_a_call_in_doubt_meets_each_pattern_that_tightens(
    targets: tuple[str, ...], *, understood: bool, lines: list[str], effect: Effect | None
) -> None:
    assert matching(rules(*lines), "Bash", targets, understood=understood) is effect


def test_the_rule_that_decides_is_told() -> None:
    ours = rules("allow Bash(ls *)", "allow Bash(id)", "deny Bash(rm *)")
    assert str(deciding(ours, "Bash", ("ls", "rm a"), understood=True)) == "deny Bash(rm *)"
    assert str(deciding(ours, "Bash", ("id", "ls"), understood=True)) == "allow Bash(id)"
    assert deciding(ours, "Bash", ("id", "w"), understood=True) is None
    assert deciding(Rules(), "Bash", ("id",), understood=True) is None


LINES = st.sampled_from(
    ["deny Bash", "ask Bash", "allow Bash", "deny Bash(a *)", "ask Bash(b)", "allow Bash(a *)"]
)
ORDER = (DENY, ASK, None, ALLOW)


@given(
    lines=st.lists(LINES, max_size=4),
    more=st.sampled_from(["deny Bash(a *)", "ask Bash(b)", "deny Bash", "ask Bash"]),
    targets=st.lists(st.sampled_from(["a", "a b", "b", "c"]), max_size=3),
    understood=st.booleans(),
)
def test_a_rule_that_tightens_never_loosens(
    lines: list[str], more: str, targets: list[str], *, understood: bool
) -> None:
    before = matching(rules(*lines), "Bash", tuple(targets), understood=understood)
    after = matching(rules(*lines, more), "Bash", tuple(targets), understood=understood)
    doubted = matching(rules(*lines), "Bash", tuple(targets), understood=False)
    assert ORDER.index(after) <= ORDER.index(before)
    assert ORDER.index(doubted) <= ORDER.index(before)
