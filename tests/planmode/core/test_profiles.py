"""What an agent may use at all."""

import pytest

from planmode.core.guard import KIND_OF, ToolKind
from planmode.core.profiles import CHILDREN, MAIN, PROFILES


def test_the_main_agent_is_offered_everything() -> None:
    assert all(PROFILES[MAIN].offers(tool) for tool in (*KIND_OF, "mcp__x__y"))
    assert not PROFILES[MAIN].read_only


@pytest.mark.parametrize("name", CHILDREN)
def test_a_child_is_offered_nothing_that_writes_spawns_or_switches(name: str) -> None:
    """claude:C-31, claude:C-32: also none that asks, since nobody would answer."""
    kinds = {KIND_OF[tool] for tool in KIND_OF if PROFILES[name].offers(tool)}
    assert kinds <= {ToolKind.READ, ToolKind.NOTE, ToolKind.SHELL}
    assert not PROFILES[name].offers("mcp__x__y")
    assert PROFILES[name].read_only


def test_who_plans_is_asked_once_and_who_explores_again() -> None:
    """claude:C-32."""
    assert set(CHILDREN) == {"explore", "plan"}
    assert PROFILES["explore"].reusable
    assert not PROFILES["plan"].reusable
    assert not PROFILES["plan"].offers("Bash")


def test_each_profile_is_named_as_it_is_listed() -> None:
    assert all(profile.name == name for name, profile in PROFILES.items())
