"""The guard's whole table: tool, preset, permission mode and plan mode."""

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from planmode.core.guard import KIND_OF, Ground
from planmode.core.guard_page import BARE, USUAL, page
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.core.situations import SITUATIONS, table

ROOT: Final = Path(__file__).parents[3]
WANTED: Final[dict[str, Any]] = yaml.safe_load(
    (ROOT / "tests/vectors/guard_table.yaml").read_text(encoding="utf-8")
)
PHASES: Final = [
    *[(preset, phase, True) for preset, phase in (
        ("kimi", "enforced"), ("claude", "enforced"), ("pi", "enforced"), ("dsh", "guidance"),
    )],
    *[(preset, "working", False) for preset in PRESETS],
]  # fmt: skip


def four(answers: str | list[str]) -> tuple[str, ...]:
    return (answers,) * len(PermissionMode) if isinstance(answers, str) else tuple(answers)


def found(preset: str, ground: Ground, *, planning: bool) -> dict[str, tuple[str, ...]]:
    rows = table(ground)
    return {
        row.what: row.answers for row in rows if (row.preset, row.planning) == (preset, planning)
    }


@pytest.mark.parametrize(("preset", "phase", "planning"), PHASES)
def test_each_combination_has_its_one_answer(preset: str, phase: str, *, planning: bool) -> None:
    """Also kimi:G2, complaints:K-01, complaints:K-02, claude:C-06, pi:P-02."""
    wanted = {**WANTED[phase], **WANTED.get(preset, {}).get(phase, {})}
    assert found(preset, USUAL, planning=planning) == {
        what: four(answers) for what, answers in wanted.items()
    }


@pytest.mark.parametrize(("preset", "phase", "planning"), PHASES)
def test_each_combination_has_its_answer_without_a_sandbox(
    preset: str, phase: str, *, planning: bool
) -> None:
    usual = found(preset, USUAL, planning=planning)
    replaced = {what: four(answers) for what, answers in WANTED["bare"][phase].items()}
    assert found(preset, BARE, planning=planning) == {**usual, **replaced}


def test_the_table_is_about_every_tool_and_every_preset() -> None:
    assert {situation.facts.name for situation in SITUATIONS} == {*KIND_OF, "mcp__server__tool"}
    assert {preset for preset, *_ in PHASES} == set(PRESETS)


def test_the_page_is_what_the_guard_answers() -> None:
    """``manage.py guard_table > docs/guard.md`` makes it."""
    assert (ROOT / "docs/guard.md").read_text(encoding="utf-8") == page()
