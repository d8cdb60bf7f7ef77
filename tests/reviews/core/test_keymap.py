"""The keyboard map, and what a person may make of it (WCAG 2.1.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.keymap import (
    DEFAULTS,
    OFF,
    SHORTCUTS,
    Fault,
    Place,
    choices,
    faults,
    settled,
    typed,
)

KEYS = st.sampled_from(["", "a", "A", "?", "登", "g", "g q", "g a", "1", "j", "ab", "\u200b"])


def test_actions_have_one_row_each() -> None:
    assert len(DEFAULTS) == len(SHORTCUTS)


def test_the_default_map_can_be_had() -> None:
    assert faults(DEFAULTS) == {}
    assert choices(DEFAULTS) == {}


def test_nothing_that_decides_has_a_key() -> None:
    assert {"reject_and_exit", "dismiss", "confirm"}.isdisjoint(DEFAULTS)


@pytest.mark.parametrize(
    ("action", "key", "fault"),
    [
        pytest.param("approve", "y", None, id="free"),
        pytest.param("approve", OFF, None, id="switched off"),
        pytest.param("approve", "y y", None, id="two, one after the other"),
        pytest.param("approve", "登", None, id="not of a Latin keyboard"),
        pytest.param("approve", "x", None, id="another page's"),
        pytest.param("approve", "c", Fault("comment"), id="this page's"),
        pytest.param("approve", "g", Fault("go-queue"), id="begins another"),
        pytest.param("approve", "g a", Fault("go-audit"), id="two, of another"),
        pytest.param("approve", "yes", Fault(), id="a word"),
        pytest.param("approve", "y y y", Fault(), id="three"),
        pytest.param("approve", "\u200b", Fault(), id="not seen"),
    ],
)
def test_one_key_that_is_chosen(action: str, key: str, fault: Fault | None) -> None:
    found = faults({**DEFAULTS, action: key})
    assert found == ({action: fault} if fault else {})


def test_a_clash_names_the_action_that_stands_first() -> None:
    assert faults({**DEFAULTS, "comment": "a"}) == {"approve": Fault("comment")}


def test_blanks_around_a_key_are_none() -> None:
    assert typed({"approve": " g  y ", "unknown": "z"}) == {**DEFAULTS, "approve": "g y"}


def test_what_is_stored_of_an_action_that_went_counts_for_nothing() -> None:
    assert settled({"approve": "y", "gone": "z"}) == {**DEFAULTS, "approve": "y"}


@given(st.dictionaries(st.sampled_from(sorted(DEFAULTS)), KEYS))
def test_a_map_without_faults_means_one_thing_on_each_page(chosen: dict[str, str]) -> None:
    keys = typed(chosen)
    assert settled(choices(keys)) == keys
    if faults(keys):
        return
    for place in Place:
        here = [keys[one.action] for one in SHORTCUTS if place in one.places and keys[one.action]]
        assert len(set(here)) == len(here)
        assert not any(
            f"{other} ".startswith(f"{one} ") for one in here for other in here if one != other
        )
