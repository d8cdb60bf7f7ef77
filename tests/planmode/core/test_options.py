"""Options can be read, told apart, and are no control words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.errors import OptionsInvalidError
from planmode.core.options import (
    LONGEST_DESCRIPTION,
    LONGEST_LABEL,
    MOST_OPTIONS,
    RESERVED,
    PlanOption,
    checked,
    folded,
)


def options(*labels: str) -> list[PlanOption]:
    return [PlanOption(label) for label in labels]


@pytest.mark.parametrize(
    ("label", "form"),
    [
        pytest.param("Approach A", "approach a", id="case"),
        pytest.param("  Approach \t A ", "approach a", id="blanks"),
        pytest.param("\uff21pproach\u3000A", "approach a", id="wide letters"),
        pytest.param("Appro\u200bach A", "approach a", id="zero width"),
        pytest.param("\u202eApproach A", "approach a", id="direction"),
        pytest.param("Stra\xdfe", "strasse", id="a letter that folds to two"),
        pytest.param("\u200b\u00ad", "", id="nothing to see"),
    ],
)
def test_folded(label: str, form: str) -> None:
    assert folded(label) == form


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param([], id="none"),
        pytest.param(["Small"], id="one"),
        pytest.param(["Small", "Large", "Approve later"], id="three"),
        pytest.param(["x" * LONGEST_LABEL], id="as long as may be"),
        pytest.param(["\u5148\u8bfb\u4ee3\u7801", "Größer"], id="in any script"),
    ],
)
def test_good_labels(labels: list[str]) -> None:
    assert checked(options(*labels)) == tuple(options(*labels))


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        pytest.param(["a", "b", "c", "d"], "at most 3 options, not 4", id="four"),
        pytest.param([""], "needs a label that can be read", id="empty"),
        pytest.param([" \u3000 "], "needs a label that can be read", id="blanks"),
        pytest.param(["x" * (LONGEST_LABEL + 1)], "at most 80 characters", id="too long"),
        pytest.param(["Small", "small"], "read alike: 'Small', 'small'", id="twice"),
        pytest.param(["Small", "\uff33mall "], "read alike", id="twice, in wide letters"),
        pytest.param(
            ["Small", "Small\u200b"], "can't be seen", id="twice, with a hidden character"
        ),
        pytest.param(["plan\u202edm.exe"], "can't be seen", id="direction"),
        pytest.param(["Sm\nall"], "can't be seen", id="a line end"),
        pytest.param(["Appro\u034fve"], "can't be seen", id="a decision, joined"),
        pytest.param(["Approve\ufe0f"], "can't be seen", id="a decision, selected"),
        pytest.param(["Approve\u17b4"], "can't be seen", id="a decision, with a vowel of no shape"),
        pytest.param(["Revise\u3164"], "can't be seen", id="a decision, filled"),
        pytest.param(["\u3164"], "can't be seen", id="a filler alone"),
        pytest.param(["\u2800"], "can't be seen", id="a pattern without dots"),
        pytest.param(["Small", "Small\u2800"], "can't be seen", id="twice, with a blank pattern"),
        pytest.param(["Small\ue000"], "can't be seen", id="a character of nobody"),
        pytest.param(["Small\ud800"], "can't be seen", id="half a character"),
    ],
)
def test_bad_labels(labels: list[str], says: str) -> None:
    with pytest.raises(OptionsInvalidError, match=says):
        checked(options(*labels))


@pytest.mark.parametrize("word", sorted(RESERVED))
@pytest.mark.parametrize("written", [str, str.upper, str.title, "  {}  ".format])
def test_reserved_words(word: str, written: type[str]) -> None:
    with pytest.raises(OptionsInvalidError, match="is the name of a decision"):
        checked(options(written(word)))


def test_reserved_words_are_in_the_form_that_they_are_compared_in() -> None:
    assert {folded(word) for word in RESERVED} == RESERVED


def test_labels_are_trimmed_and_descriptions_kept() -> None:
    assert checked([PlanOption(" Small ", " as it is ")]) == (PlanOption("Small", " as it is "),)


def test_a_description_has_a_length() -> None:
    assert checked([PlanOption("a", "x" * LONGEST_DESCRIPTION)])
    with pytest.raises(OptionsInvalidError, match="at most 2000 characters"):
        checked([PlanOption("a", "x" * (LONGEST_DESCRIPTION + 1))])


@given(labels=st.lists(st.text(max_size=6), max_size=4))
def test_what_is_checked_stays_checked(labels: list[str]) -> None:
    try:
        good = checked(options(*labels))
    except OptionsInvalidError:
        return
    assert checked(good) == good
    assert len(good) <= MOST_OPTIONS
    assert len({folded(option.label) for option in good} - RESERVED - {""}) == len(good)
