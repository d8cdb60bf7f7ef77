"""Rows of tests/vectors/plan_mode.yaml, as parameters of tests."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from _pytest.mark import ParameterSet

Row = dict[str, Any]

_FILE: Final = Path(__file__).parent / "vectors/plan_mode.yaml"
_ROWS: Final[list[Row]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))["vectors"]

NO_FILE: Final = "the engine creates no plan file when plan mode is entered"
NO_PATHLESS: Final = "no session of ours is without a place for plans by its nature"
OTHER_DESIGN: Final = "the reference's own mechanism, which ours does not have"

LEFT_OUT: Final[Mapping[str, str]] = {
    "EN-04": NO_FILE,
    "ET-04": NO_PATHLESS,
    "RV-06": NO_PATHLESS,
    "IJ-04": OTHER_DESIGN,
    "IJ-05": OTHER_DESIGN,
    "IJ-07": OTHER_DESIGN,
    "IJ-14": OTHER_DESIGN,
    "IJ-15": OTHER_DESIGN,
    "IJ-17": OTHER_DESIGN,
}
"""Rows that no test runs, each with the reason; docs/behaviour.md says more."""

TESTED_BY_NAME: Final = frozenset({
    "IJ-01", "IJ-02", "IJ-06", "IJ-08", "IJ-10", "IJ-11", "IJ-12", "IJ-16", "IJ-18",
    "CF-01", "CF-02", "CF-04", "CF-05", "EN-05", "RN-12", "XD-08",
})  # fmt: skip
"""Rows in prose, or with a set-up of their own: each has a test that names it."""


def rows(group: str, *, but: Collection[str] = ()) -> list[ParameterSet]:
    """Return the rows of ``group``, with the row's id as the test's, without what is left out."""
    elsewhere = {*LEFT_OUT, *TESTED_BY_NAME, *but}
    return [
        pytest.param(row, id=row["id"])
        for row in _ROWS
        if row["group"] == group and row["id"] not in elsewhere
    ]


def wanted(row: Row) -> Row:
    """Return what we expect: the reference's answer, overruled by ours where we differ."""
    ours = row.get("ours", {})
    return {**row["expect"], **ours} if isinstance(ours, dict) else row["expect"]


def ids() -> set[str]:
    """Return the ids of all rows."""
    return {row["id"] for row in _ROWS}
