"""The presets' knobs, and what an installation may choose."""

from dataclasses import replace

import pytest

from planmode.core.presets import DEFAULT_PRESET, PRESETS, PlanModeConfig, Wishes, resolve


def test_the_default_preset_is_the_default_of_every_knob() -> None:
    assert resolve(DEFAULT_PRESET) == PlanModeConfig()


@pytest.mark.parametrize("preset", sorted(set(PRESETS) - {"claude"}))
def test_what_a_preset_fixes_no_wish_changes(preset: str) -> None:
    assert resolve(preset, Wishes(iterative=True, explorers=9)) == PRESETS[preset]


def test_agents_are_counted_by_the_installation() -> None:
    """claude:C-22."""
    usual = resolve("claude")
    assert (usual.explorers, usual.designers) == (3, 1)
    wished = resolve("claude", Wishes(explorers=2, designers=3))
    assert (wished.explorers, wished.designers) == (2, 3)


def test_the_loop_is_a_setting() -> None:
    """claude:C-23."""
    assert resolve("claude").workflow == "delegating"
    loop = resolve("claude", Wishes(iterative=True))
    assert loop == replace(PRESETS["claude"], workflow="iterative")
