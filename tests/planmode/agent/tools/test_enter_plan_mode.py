"""EnterPlanMode: a wish without arguments."""

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import Enters
from tests.planmode.agent.tools.conftest import Ground


def test_it_asks_for_plan_mode(ground: Ground) -> None:
    assert ground.outcome("EnterPlanMode") == Enters()


def test_it_takes_no_arguments() -> None:
    with pytest.raises(ArgumentsInvalidError, match="/reason "):
        parse(TOOLS["EnterPlanMode"], '{"reason": "x"}')
