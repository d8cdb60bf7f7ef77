"""What makes a decision complete."""
# ruff: noqa: E501 - a row of a table is a line

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.outcomes import Outcome
from planmode.core.presets import PRESETS
from reviews.core.decisions import (
    LONGEST_FEEDBACK,
    OUTCOME_OF,
    Decision,
    DecisionKind,
    check_offered,
    check_reason,
    combined,
    completed,
    offered,
)
from reviews.core.errors import DecisionIncompleteError
from reviews.core.policy import DEFAULT, Rules

SHA: Final = "0" * 64
APPROVE: Final = Decision(DecisionKind.APPROVE, SHA)
REVISE: Final = Decision(DecisionKind.REVISE, SHA, feedback="Name the tests.")
REJECT: Final = Decision(DecisionKind.REJECT, SHA, reason="Not now.")
LEAVE: Final = Decision(DecisionKind.REJECT_AND_EXIT, SHA, reason="Not now.")
DISMISS: Final = Decision(DecisionKind.DISMISS, SHA, reason="A duplicate.")
TWO: Final = ("Small", "Large")


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("approve", Outcome.APPROVED),
        ("revise", Outcome.REVISE),
        ("reject", Outcome.REJECTED),
        ("reject_and_exit", Outcome.REJECTED_AND_EXITED),
        ("dismiss", Outcome.DISMISSED),
    ],
)
def test_each_kind_has_its_own_outcome(kind: str, outcome: Outcome) -> None:
    assert OUTCOME_OF[DecisionKind(kind)] is outcome


def test_outcomes_are_total_and_different() -> None:
    assert set(OUTCOME_OF) == set(DecisionKind)
    assert set(OUTCOME_OF.values()) == set(Outcome) - {Outcome.AUTO_APPROVED}


@pytest.mark.parametrize(
    ("decision", "options"),
    [
        pytest.param(APPROVE, (), id="approve"),
        pytest.param(replace(APPROVE, feedback="Mind the index."), (), id="approve with a note"),
        pytest.param(replace(APPROVE, start=False), (), id="approve, but do not start"),
        pytest.param(replace(APPROVE, option="Large"), TWO, id="approve an option"),
        pytest.param(APPROVE, ("Only",), id="one option is none"),
        pytest.param(REVISE, TWO, id="revise names no option"),
        pytest.param(REJECT, TWO, id="reject"),
        pytest.param(replace(REJECT, reason=""), (), id="reject without a reason"),
        pytest.param(LEAVE, (), id="reject and exit"),
        pytest.param(DISMISS, (), id="dismiss"),
        pytest.param(replace(DISMISS, reason=""), (), id="dismiss without a reason"),
        pytest.param(replace(REVISE, feedback="é" * (LONGEST_FEEDBACK // 2)), (), id="as long as may be"),
    ],
)  # fmt: skip
def test_complete_decisions_stay_as_they_are(decision: Decision, options: tuple[str, ...]) -> None:
    assert completed(decision, options) == decision


@pytest.mark.parametrize(
    ("decision", "options", "says"),
    [
        pytest.param(APPROVE, TWO, "name the option that you approve: Small, Large", id="no option"),
        pytest.param(replace(APPROVE, option="  "), TWO, "name the option", id="a blank option"),
        pytest.param(replace(APPROVE, option="Huge"), TWO, "offered: Small, Large", id="an unknown option"),
        pytest.param(replace(APPROVE, option="small"), TWO, "offered: Small, Large", id="almost an option"),
        pytest.param(replace(APPROVE, option="Small"), (), "offered: none", id="an option of a plan without"),
        pytest.param(replace(APPROVE, option="Only"), ("Only",), "offered: none", id="the only option"),
        pytest.param(replace(REVISE, option="Small"), TWO, "an option goes with approve only", id="revise an option"),
        pytest.param(replace(DISMISS, option="Small"), TWO, "an option goes with approve only", id="dismiss an option"),
        pytest.param(replace(REVISE, feedback=""), (), "say in feedback", id="revise without words"),
        pytest.param(replace(REVISE, feedback=" \n\t"), (), "say in feedback", id="revise with blanks"),
        pytest.param(replace(REJECT, feedback="x"), (), "reject takes reason", id="reject with feedback"),
        pytest.param(replace(LEAVE, feedback="x"), (), "reject_and_exit takes reason", id="exit with feedback"),
        pytest.param(replace(DISMISS, feedback="x"), (), "dismiss takes reason", id="dismiss with feedback"),
        pytest.param(replace(APPROVE, reason="x"), (), "reason does not go with approve", id="approve with a reason"),
        pytest.param(replace(REVISE, reason="x"), (), "reason does not go with revise", id="revise with a reason"),
        pytest.param(replace(REVISE, start=False), (), "start: false goes with approve only", id="revise, do not start"),
        pytest.param(replace(REJECT, start=False), (), "start: false goes with approve only", id="reject, do not start"),
        pytest.param(replace(REVISE, feedback="x" * (LONGEST_FEEDBACK + 1)), (), "feedback has 65537 bytes", id="too long"),
        pytest.param(replace(REVISE, feedback="é" * (LONGEST_FEEDBACK // 2 + 1)), (), "feedback has 65538 bytes", id="too long in bytes"),
        pytest.param(replace(REJECT, reason=" " * (LONGEST_FEEDBACK + 1)), (), "reason has 65537 bytes", id="too many blanks"),
    ],
)  # fmt: skip
def test_incomplete_decisions_say_what_is_wrong(
    decision: Decision, options: tuple[str, ...], says: str
) -> None:
    with pytest.raises(DecisionIncompleteError, match=says):
        completed(decision, options)


def test_blanks_count_as_nothing() -> None:
    typed = Decision(DecisionKind.APPROVE, SHA, option=" Small ", feedback="  \n", reason="\t")
    assert completed(typed, TWO) == Decision(DecisionKind.APPROVE, SHA, option="Small")


def test_words_reach_the_agent_as_they_were_typed() -> None:
    typed = replace(REVISE, feedback="  - first\n\n    code  \n")
    assert completed(typed, ()).feedback == "  - first\n\n    code  \n"


def test_what_no_database_keeps_is_shown_as_lost() -> None:
    typed = replace(REVISE, feedback="a\0b\ud800c")
    assert completed(typed, ()).feedback == "a\ufffdb\ufffdc"


@given(
    decision=st.builds(
        Decision,
        kind=st.sampled_from(DecisionKind),
        sha256=st.just(SHA),
        option=st.sampled_from(["", " ", "Small", "Huge"]),
        feedback=st.sampled_from(["", " ", "\u200b", "x", " x "]),
        reason=st.sampled_from(["", " ", "x"]),
        start=st.booleans(),
    ),
    options=st.sampled_from([(), ("Small",), TWO]),
)
def test_what_is_complete_stays_complete(decision: Decision, options: tuple[str, ...]) -> None:
    try:
        tidy = completed(decision, options)
    except DecisionIncompleteError:
        return
    assert completed(tidy, options) == tidy
    assert (tidy.kind, tidy.sha256, tidy.start) == (decision.kind, SHA, decision.start)
    assert bool(tidy.option) == (tidy.kind is DecisionKind.APPROVE and len(options) > 1)


@pytest.mark.parametrize(("preset", "count"), [("kimi", 5), ("claude", 5), ("dsh", 3), ("pi", 3)])
def test_what_is_offered_is_what_the_kind_of_session_knows(preset: str, count: int) -> None:
    """dsh:D-24 D-25."""
    kinds = offered(PRESETS[preset])
    assert len(kinds) == count
    for kind in kinds:
        check_offered(kind, PRESETS[preset])
    for kind in set(DecisionKind) - set(kinds):
        with pytest.raises(DecisionIncompleteError, match=f"take no {kind}; decide: approve"):
            check_offered(kind, PRESETS[preset])


@pytest.mark.parametrize("rules", [DEFAULT, Rules(reason_required=False)], ids=["wanted", "free"])
@pytest.mark.parametrize("decision", [APPROVE, REVISE, REJECT, LEAVE, DISMISS])
def test_a_rejection_has_a_reason_where_the_policy_wants_one(
    decision: Decision, rules: Rules
) -> None:
    check_reason(decision, rules)
    bare = replace(decision, reason="")
    if rules.reason_required and decision.kind in {
        DecisionKind.REJECT,
        DecisionKind.REJECT_AND_EXIT,
    }:
        with pytest.raises(DecisionIncompleteError, match="policy wants"):
            check_reason(bare, rules)
    else:
        check_reason(bare, rules)


@pytest.mark.parametrize(
    ("notes", "text"),
    [
        ([("ann", "")], ""),
        ([("ann", "Mind the index.")], "Mind the index."),
        ([("ann", ""), ("bo", "")], ""),
        ([("ann", ""), ("bo", "And the tests.")], "bo:\nAnd the tests."),
        ([("ann", "One."), ("bo", "Two.")], "ann:\nOne.\n\nbo:\nTwo."),
    ],
)
def test_notes_of_several_stand_under_their_names(notes: list[tuple[str, str]], text: str) -> None:
    assert combined(notes) == text


def test_notes_have_a_limit_together() -> None:
    half = "x" * (LONGEST_FEEDBACK // 2)
    with pytest.raises(DecisionIncompleteError, match="shorten yours"):
        combined([("ann", half), ("bo", half)])
