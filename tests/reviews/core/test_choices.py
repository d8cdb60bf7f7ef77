"""What became of a plan's options from revision to revision."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.choices import Choice, Dropped, Offer, OptionState, offer
from reviews.core.wording import Span


def option(label: str, description: str = "") -> Mapping[str, str]:
    return {"label": label, "description": description}


A, B, C = option("A"), option("B"), option("C")


def test_without_a_revision_there_is_none() -> None:
    assert offer([]) == Offer()


def test_a_first_revision_has_nothing_to_compare_with() -> None:
    assert offer([(1, [A, B])]).choices == (
        Choice("A", "", OptionState.FIRST),
        Choice("B", "", OptionState.FIRST),
    )


@pytest.mark.parametrize(
    ("history", "states", "dropped"),
    [
        pytest.param([[A, B], [A, B]], "kept kept", [], id="the same"),
        pytest.param([[A, B], [B, A]], "kept kept", [], id="another order"),
        pytest.param([[A], [A, B]], "kept added", [], id="one more"),
        pytest.param([[], [A, B]], "added added", [], id="none before"),
        pytest.param([[A, B], [A]], "kept", [Dropped("B", 2)], id="one less"),
        pytest.param([[A, B], [A], [A]], "kept", [Dropped("B", 2)], id="one less, long ago"),
        pytest.param([[A, B], [A], [A, B]], "kept added", [], id="it came back"),
        pytest.param(
            [[A, B, C], [A, C], []],
            "",
            [Dropped("B", 2), Dropped("A", 3), Dropped("C", 3)],
            id="all gone",
        ),
    ],
)
def test_what_became_of_options(
    history: list[list[Mapping[str, str]]], states: str, dropped: list[Dropped]
) -> None:
    found = offer(list(enumerate(history, start=1)))
    assert " ".join(choice.state for choice in found.choices) == states
    assert list(found.dropped) == dropped


def test_changed_words_are_marked() -> None:
    old, new = option("A", "Keep the old table"), option("A", "Keep the new table")
    (choice,) = offer([(1, [old]), (2, [new])]).choices
    assert choice.state is OptionState.CHANGED
    assert Span("old", changed=True) in choice.old
    assert Span("new", changed=True) in choice.new


OPTIONS = st.lists(
    st.builds(option, st.sampled_from("ABCD"), st.text(max_size=20)),
    max_size=3,
    unique_by=lambda one: one["label"],
)


@given(st.lists(OPTIONS, min_size=1, max_size=6))
def test_every_label_is_offered_or_dropped(history: list[list[Mapping[str, str]]]) -> None:
    found = offer(list(enumerate(history, start=1)))
    labels = {one["label"] for options in history for one in options}
    now = [choice.label for choice in found.choices]
    assert now == [one["label"] for one in history[-1]]
    assert labels == {*now, *(gone.label for gone in found.dropped)}
    assert not {*now} & {gone.label for gone in found.dropped}
    for choice in found.choices:
        if choice.state is OptionState.CHANGED:
            assert "".join(span.text for span in choice.new) == choice.description
