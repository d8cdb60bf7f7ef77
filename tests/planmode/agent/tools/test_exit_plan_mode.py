"""ExitPlanMode: options that a reviewer can choose between."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import Submits
from planmode.core.options import PlanOption
from tests.planmode.agent.tools.conftest import Ground

_VECTORS = Path(__file__).parents[3] / "vectors/plan_mode.yaml"
_ROWS: list[dict[str, Any]] = [
    row
    for row in yaml.safe_load(_VECTORS.read_text(encoding="utf-8"))["vectors"]
    if row["group"] == "options"
]


def _ok(row: dict[str, Any]) -> bool:
    """Return whether the row's arguments are to be taken; our own expectation comes first."""
    return set({**row["expect"], **row.get("ours", {})}.values()) == {"ok"}


@pytest.mark.parametrize("row", [pytest.param(row, id=f"plan_mode:{row['id']}") for row in _ROWS])
def test_options(row: dict[str, Any]) -> None:
    """kimi:X2, kimi:X1."""
    text = json.dumps(row["args"]).replace('"LEN80"', f'"{"x" * 80}"')
    if _ok(row):
        parse(TOOLS["ExitPlanMode"], text)
        return
    with pytest.raises(ArgumentsInvalidError):
        parse(TOOLS["ExitPlanMode"], text)


def test_the_vectors_hold_both_kinds() -> None:
    assert {_ok(row) for row in _ROWS} == {True, False}


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        pytest.param("\uff21pprove", "name of a decision", id="full width"),
        pytest.param("Rej\u200bect", "can't be seen", id="zero width"),
        pytest.param("批准", "name of a decision", id="another language"),
        pytest.param("x" * 81, "at most 80", id="81 characters"),
    ],
)
def test_labels_that_deceive(label: str, reason: str) -> None:
    """kimi:X2."""
    with pytest.raises(ArgumentsInvalidError) as refused:
        parse(TOOLS["ExitPlanMode"], json.dumps({"options": [{"label": label}, {"label": "B"}]}))
    assert str(refused.value).startswith("/options ")
    assert reason in str(refused.value)


def test_a_plan_is_submitted_with_its_options(ground: Ground) -> None:
    assert ground.outcome("ExitPlanMode") == Submits(())
    outcome = ground.outcome("ExitPlanMode", options=[{"label": " Small "}, {"label": "Large"}])
    assert outcome == Submits((PlanOption("Small"), PlanOption("Large")))


def test_the_schema_says_what_holds() -> None:
    """kimi:X1."""
    options = TOOLS["ExitPlanMode"].arguments.model_json_schema()["properties"]["options"]
    assert (options["minItems"], options["maxItems"]) == (1, 3)
    assert "default" not in options


def test_four_options_are_too_many() -> None:
    four = json.dumps({"options": [{"label": name} for name in "ABCD"]})
    with pytest.raises(ArgumentsInvalidError, match="/options "):
        parse(TOOLS["ExitPlanMode"], four)
