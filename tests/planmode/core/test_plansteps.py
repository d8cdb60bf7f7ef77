"""The steps of a plan are its own list, word for word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.plansteps import (
    MOST_STEPS,
    PlanStep,
    PlanStepStatus,
    claims,
    find_steps,
    listed,
)

TWO = "1. Add the cache\n2. Test it\n"
WIDE = "\uff1a"


def texts(reply: str) -> list[str]:
    return [step.text for step in find_steps(reply)]


@pytest.mark.parametrize(
    "header",
    [
        "Plan:", "plan:", "PLAN:", "**Plan:**", "## Plan:", "my revised plan:", "  Plan:  ",
        "Plan" + WIDE, "计划:", "计划" + WIDE, f"**计划{WIDE}**", f"### 修改后的计划{WIDE}",
        "Here is the plan:\n", "Plan:\n\nTwo things have to change.\n", "Plan:\nIn order:",
    ],
)  # fmt: skip
def test_a_header_opens_a_list(header: str) -> None:
    """pi:P-13 pi:P-17: also in Chinese, with either colon."""
    assert find_steps(f"I have looked.\n\n{header}\n{TWO}") == (
        PlanStep(1, "Add the cache", PlanStepStatus.OPEN),
        PlanStep(2, "Test it", PlanStepStatus.OPEN),
    )


@pytest.mark.parametrize(
    "header",
    [
        "", "Plan", "## Plan", "Plan: do it", "**Plan**:", "The floorplan:", "- the plan:",
        "3. Read the old plan:", "> Plan:", "Plan;", "`Plan:`", "```\nPlan:\n```", "~~~\nPlan:",
        "1. ```sh\n   Plan:\n   ```", "> ```\n> Plan:\n> ```\n", "````\n```\nPlan:\n````",
    ],
)  # fmt: skip
def test_without_a_header_there_are_no_steps(header: str) -> None:
    """pi:P-13: and one in code, in a list or in a quotation is none (a trap there)."""
    assert find_steps(f"{header}\n{TWO}") == ()


@pytest.mark.parametrize(
    "between",
    [
        pytest.param("```\ncode\n```", id="a block"),
        pytest.param("```sh\n```\n```\nmore\n`````", id="blocks with longer ends"),
        pytest.param("1. ```sh\n   ls\n   ```", id="a block in a list"),
        pytest.param("```ticks``` and text", id="a span that looks like a block"),
    ],
)
def test_what_follows_code_is_read_again(between: str) -> None:
    assert texts(f"{between}\n\nPlan:\n{TWO}") == ["Add the cache", "Test it"]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        pytest.param("1. **Bold title**: rest", "**Bold title**: rest", id="stars"),
        pytest.param("1. Handle *.py files", "Handle *.py files", id="a star alone"),
        pytest.param("1. Remove the old API", "Remove the old API", id="a verb"),
        pytest.param("1. `make test`  ", "`make test`", id="code"),
        pytest.param("1) /api stays", "/api stays", id="a path"),
        pytest.param("1. " + "long " * 20 + "end", "long " * 20 + "end", id="a long one"),
        pytest.param("1. Go", "Go", id="a short one"),
        pytest.param("1. 测试", "测试", id="a short one in Chinese"),
        pytest.param("1、加缓存", "加缓存", id="a Chinese comma"),
        pytest.param("1\uff0e加缓存", "加缓存", id="a wide stop"),
        pytest.param("1\uff09 加缓存", "加缓存", id="a wide bracket"),
        pytest.param("1. [ ] write it", "[ ] write it", id="a box"),
        pytest.param("1.\ta  tab", "a  tab", id="blanks inside"),
        pytest.param("1. one\r\n", "one", id="line ends of Windows"),
    ],
)
def test_a_step_keeps_its_words(step: str, text: str) -> None:
    """pi:P-16 pi:P-17 pi:P-18: the reference cuts, drops and rewrites them (traps)."""
    assert texts(f"Plan:\n{step}") == [text]


@pytest.mark.parametrize(
    "line",
    [
        "- a bullet",
        "* a bullet",
        "+ a bullet",
        "1.5 hours",
        "1.",
        "1. ---",
        "1234567890. x",
        "a. x",
    ],
)
def test_what_is_no_step(line: str) -> None:
    """pi:P-15."""
    assert texts(f"Plan:\n{line}") == []


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        pytest.param("3. a\n7) b", ["a", "b"], id="numbers of their own"),
        pytest.param("1. a\n1. b\n\n1. c", ["a", "b", "c"], id="ones"),
        pytest.param("  1. a\n2. b\n 3. c", ["a", "b", "c"], id="not quite in line"),
        pytest.param("1. a\n   1. x\n   2. y\n2. b", ["a", "b"], id="a list inside"),
        pytest.param("1. a\n\n  1) x\n\n2. b", ["a", "b"], id="a list inside, apart"),
        pytest.param("1. a\n   - x\n   more\n2. b", ["a", "b"], id="bullets inside"),
        pytest.param("1. a\n- x\n2. b", ["a", "b"], id="bullets between"),
        pytest.param("1. a\n   goes on\n2. b", ["a goes on", "b"], id="a second line"),
        pytest.param("1. a\ngoes on\n2. b", ["a goes on", "b"], id="a second line, further out"),
        pytest.param("1. a\n\n   Because.\n\n2. b", ["a", "b"], id="a second paragraph"),
        pytest.param("1. a\n\nBecause.\n\n2. b", ["a", "b"], id="text between"),
        pytest.param("1. a\n\n   **Note:**\n\n2. b", ["a", "b"], id="a label inside"),
        pytest.param("1. a\n   ```sh\n   1. x\n   ```\n2. b", ["a", "b"], id="code inside"),
        pytest.param("1. a\n\n   # x\n2. b", ["a", "b"], id="a heading inside"),
        pytest.param("1. a\n> 1. x\n2. b", ["a", "b"], id="a quotation between"),
    ],
)
def test_a_list_has_one_level_and_counts_from_one(listed: str, found: list[str]) -> None:
    """pi:P-15: what is further in belongs to its step."""
    steps = find_steps(f"Plan:\n\n{listed}\n")
    assert [step.text for step in steps] == found
    assert [step.number for step in steps] == list(range(1, len(found) + 1))


@pytest.mark.parametrize(
    "after",
    [
        "\nRisks:\n1. It may break", "Risks:\n3. It may break", f"\n风险{WIDE}\n1. 会坏",
        "\n**Risks:**\n\n3. It may break", "\n**Risks**\n3. It may break",
        "\n__Risks__\n3. It may break", "\n## Risks\n3. It may break", "\n# Risks\n3. It may break",
        "\n---\n3. It may break", "\nRisks\n=====\n3. It may break",
        "\nIt may go wrong.\n\n1. It may break", "\nPlan:\n1. It may break",
    ],
)  # fmt: skip
def test_another_section_ends_the_list(after: str) -> None:
    """pi:P-14: there everything to the end of the message becomes steps (a trap)."""
    assert texts(f"## Plan:\n{TWO}{after}\n4. More") == ["Add the cache", "Test it"]


def test_parts_of_the_plan_may_count_anew() -> None:
    parts = "## Plan:\n### Store\n1. a\n2. b\n### Pages\n1. c\n## Risks\n1. x"
    assert texts(parts) == ["a", "b", "c"]
    assert texts("Plan:\n### Store\n1. a") == []


def test_a_header_in_prose_gives_way_to_the_one_with_a_list() -> None:
    assert texts(f"You want a plan:\nI have looked.\n\n# Plan:\n{TWO}") == [
        "Add the cache",
        "Test it",
    ]
    assert texts("Plan:\nNothing to do.\n\n## Notes\n1. x") == []


def test_a_reply_without_steps_gives_none() -> None:
    """pi:P-19: nothing of an older list comes back (a trap there)."""
    assert find_steps("I would rather ask first.") == ()
    assert find_steps("") == ()


def test_a_list_has_a_limit() -> None:
    reply = "Plan:\n" + "".join(f"{n}. step {n}\n" for n in range(1, MOST_STEPS + 10))
    steps = find_steps(reply)
    assert len(steps) == MOST_STEPS
    assert steps[-1] == PlanStep(MOST_STEPS, f"step {MOST_STEPS}")


def numbers(reply: str, *, of: int = 3) -> list[int]:
    """Return which of so many steps ``reply`` claims."""
    steps = tuple(PlanStep(number, "x") for number in range(1, of + 1))
    found = claims(reply, steps)
    assert [(step.number, step.text) for step in found] == [(n, "x") for n in range(1, of + 1)]
    return [step.number for step in found if step.status is PlanStepStatus.CLAIMED]


@pytest.mark.parametrize(
    ("reply", "claimed"),
    [
        pytest.param("Done. [DONE:1]", [1], id="one"),
        pytest.param("[done:3] and [Done:2]", [2, 3], id="in any case and order"),
        pytest.param("[DONE:01]", [1], id="a zero before it"),
        pytest.param("[DONE:1][DONE:1]", [1], id="twice"),
        pytest.param("[DONE: 1] [DONE:1,2] [DONE:-1] [DONE:] [DONE:x]", [], id="other forms"),
        pytest.param("[DONE:\u0661]", [], id="digits of another script"),
        pytest.param("[DONE:0] [DONE:4] [DONE:999999999]", [], id="no such step"),
        pytest.param("[DONE:" + "1" * 5000 + "]", [], id="no number that anybody counts to"),
        pytest.param("I will not mark [DONE:2] yet", [2], id="a denial is not understood"),
        pytest.param("`[DONE:1]`", [], id="in code"),
        pytest.param("``a ` [DONE:1]`` [DONE:2]", [2], id="in code with a tick"),
        pytest.param("`a [DONE:1] ``b`` [DONE:2]` [DONE:3]", [3], id="in code with code in it"),
        pytest.param("`a\n[DONE:1]` [DONE:2]", [2], id="in code over two lines"),
        pytest.param("a ` b [DONE:1]\n\n` [DONE:2]", [1, 2], id="ticks of two paragraphs"),
        pytest.param("```` [DONE:1] ``", [1], id="ticks that do not fit"),
        pytest.param("```\n[DONE:1]\n```\n[DONE:2]", [2], id="in a block of code"),
        pytest.param("~~~\n[DONE:1]\n```\n[DONE:2]", [], id="in a block that never ends"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_marker_is_a_claim(reply: str, claimed: list[int]) -> None:
    """pi:P-24: what stands in code is none."""
    assert numbers(reply) == claimed


def test_a_claim_is_never_taken_back() -> None:
    """pi:P-24."""
    steps = (PlanStep(1, "a", PlanStepStatus.CLAIMED), PlanStep(2, "b"))
    assert claims("Nothing more", steps) == steps
    assert claims("[DONE:2]", ()) == ()


@given(reply=st.text(alphabet="Plan:\n 1.2)#*-`~>计划\uff1aabc\t"))
def test_steps_are_numbered_and_say_something(reply: str) -> None:
    steps = find_steps(reply)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.text.strip() for step in steps)
    assert all(step.status is PlanStepStatus.OPEN for step in steps)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        pytest.param("Plan:\n" * 50_000, 0, id="headers"),
        pytest.param("Plan:\n1. a\n" + "more\n" * 50_000, 1, id="a long paragraph"),
        pytest.param("Plan:\n1." + " " * 1_000_000 + "-", 0, id="blanks"),
        pytest.param("Plan:\n" + "- " * 500_000 + "x", 0, id="rules"),
        pytest.param("".join("`" * (n % 700) + " " for n in range(3000)), 0, id="ticks"),
        pytest.param("plan:" * 200_000 + "x\n" + "[DONE:1" * 100_000, 0, id="almost markers"),
        pytest.param("Plan:\n1. a\n\n" + "**a" * 300_000, 1, id="almost labels"),
    ],
)
def test_a_hostile_reply_is_read_once(reply: str, found: int) -> None:
    """Read again and again, each of them would take minutes."""
    steps = find_steps(reply)
    assert len(steps) == found
    assert claims(reply, steps) == steps


def test_steps_are_listed_as_the_agent_wrote_them() -> None:
    """pi:P-18: whole, whatever a shorter name might say."""
    steps = (PlanStep(1, "Remove the old API"), PlanStep(2, "Delete the table `x`"))
    assert listed(steps) == "1. Remove the old API\n2. Delete the table `x`"
    assert listed(()) == ""
