"""What follows from each outcome."""

import pytest

from planmode.core.outcomes import CONSEQUENCES, Closure, Consequence, Outcome, consequence
from planmode.core.presets import PRESETS


def test_each_outcome_has_its_consequence() -> None:
    assert set(CONSEQUENCES) == set(Outcome)


@pytest.mark.parametrize(
    ("outcome", "consequence"),
    [
        ("approved", Consequence(exits_plan_mode=True, approved=True)),
        ("revise", Consequence()),
        ("rejected", Consequence(stops_turn=True, is_error=True)),
        ("rejected_and_exited", Consequence(exits_plan_mode=True, stops_turn=True, is_error=True)),
        ("dismissed", Consequence()),
        ("auto_approved", Consequence(exits_plan_mode=True, approved=True)),
    ],
)
def test_consequences(outcome: str, consequence: Consequence) -> None:
    """kimi:V5, the columns "plan after", "is_error" and "stops turn"."""
    assert CONSEQUENCES[Outcome(outcome)] == consequence


@pytest.mark.parametrize(
    ("preset", "outcome", "is_error", "stops_turn"),
    [
        ("kimi", "revise", False, False),
        ("kimi", "dismissed", False, False),
        ("claude", "dismissed", False, False),
        ("dsh", "revise", True, False),
        ("dsh", "dismissed", True, True),
        ("pi", "revise", False, False),
        ("pi", "dismissed", False, True),
        ("dsh", "approved", False, False),
    ],
)
def test_a_refusal_is_what_the_kind_of_session_makes_of_it(
    preset: str,
    outcome: str,
    is_error: bool,  # noqa: FBT001 - a table's column
    stops_turn: bool,  # noqa: FBT001 - as above
) -> None:
    """dsh:D-26 D-27."""
    found = consequence(Outcome(outcome), PRESETS[preset])
    assert (found.is_error, found.stops_turn) == (is_error, stops_turn)


@pytest.mark.parametrize("outcome", Outcome)
def test_no_knob_changes_what_an_outcome_does_to_plan_mode(outcome: Outcome) -> None:
    usual = CONSEQUENCES[outcome]
    for config in PRESETS.values():
        found = consequence(outcome, config)
        assert (found.exits_plan_mode, found.approved) == (usual.exits_plan_mode, usual.approved)


def test_an_ending_without_a_decision_is_no_outcome() -> None:
    assert not {*Closure} & {str(outcome) for outcome in Outcome}
