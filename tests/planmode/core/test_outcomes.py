"""What follows from each outcome."""

import pytest

from planmode.core.outcomes import CONSEQUENCES, Closure, Consequence, Outcome


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


def test_an_ending_without_a_decision_is_no_outcome() -> None:
    assert not {*Closure} & {str(outcome) for outcome in Outcome}
