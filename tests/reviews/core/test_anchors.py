"""A comment is found again in later revisions, or said to be lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.anchors import MOST_LINES, Anchor, Fate, Place, anchored, carried
from reviews.core.coverage import Coverage, covered
from reviews.core.diff import lines_of
from reviews.core.errors import AnchorInvalidError

PLAN = "# Plan\n\nUse MySQL for the sessions\n\n- Read the parser\n- Split the parser\n\nDone.\n"


def found(new: str, first: int, last: int, *, old: str = PLAN, selection: str = "") -> Place:
    return carried(anchored(old, first, last, selection=selection), old, new)


@pytest.mark.parametrize(
    ("new", "lines", "place"),
    [
        pytest.param(PLAN, (3, 3), Place(Fate.EXACT, 3, 3), id="the same text"),
        pytest.param("Intro\n\n" + PLAN, (5, 6), Place(Fate.EXACT, 7, 8), id="further down"),
        pytest.param(
            PLAN.replace("MySQL", "PostgreSQL"), (3, 3), Place(Fate.CHANGED, 3, 3), id="other words"
        ),
        pytest.param(
            PLAN.replace("Use MySQL for the sessions\n\n", ""), (3, 3), Place(Fate.LOST), id="gone"
        ),
        pytest.param(
            PLAN.replace("- Split the parser\n", "- Split the parser in two\n- Test the parser\n"),
            (5, 6),
            Place(Fate.CHANGED, 5, 7),
            id="more lines",
        ),
        pytest.param(
            PLAN.replace("- Read the parser\n", ""), (5, 6), Place(Fate.CHANGED, 5, 5), id="fewer"
        ),
        pytest.param(
            PLAN.replace("Use MySQL for the sessions", "Nothing"),
            (3, 3),
            Place(Fate.CHANGED, 3, 3),
            id="one line for one",
        ),
        pytest.param(
            "Done.\n\n- Split the parser\n\n# Plan\n\nUse MySQL for the sessions\n",
            (8, 8),
            Place(Fate.MOVED, 1, 1),
            id="elsewhere",
        ),
        pytest.param("", (3, 3), Place(Fate.LOST), id="nothing is left"),
        pytest.param("x\n" * 9, (1, 1), Place(Fate.LOST), id="another plan"),
    ],
)
def test_where_lines_stand_later(new: str, lines: tuple[int, int], place: Place) -> None:
    """case:C088: a remark stays with its line when that changes, and is said to be lost."""
    assert found(new, *lines) == place


def test_a_selection_is_found_where_its_words_are() -> None:
    new = "Intro\n\nAll sessions live in MySQL for now\n"
    old = "# Plan\n\nUse MySQL for the sessions\n"
    assert found(new, 3, 3, old=old, selection="MySQL") == Place(Fate.MOVED, 3, 3)


def test_words_that_say_nothing_are_not_looked_for_elsewhere() -> None:
    old, new = "a\n\n---\n\nb\n", "c\n\nd\n\n---\n"
    assert found(new, 3, 3, old=old) == Place(Fate.EXACT, 5, 5), "as part of what stayed"
    assert found("c\n---\nd\n", 3, 3, old="---\n---\n***\n").fate is not Fate.MOVED


def test_the_whole_plan_stays_the_whole_plan() -> None:
    assert carried(anchored(PLAN, 0, 0), PLAN, "other") == Place(Fate.EXACT)


@pytest.mark.parametrize(("first", "last"), [(0, 3), (3, 2), (1, 99), (-1, 2)])
def test_an_anchor_needs_lines_that_are_there(first: int, last: int) -> None:
    with pytest.raises(AnchorInvalidError):
        anchored(PLAN, first, last)


def test_words_that_are_drawn_otherwise_stand_for_their_lines() -> None:
    anchor = anchored("Use **MySQL**\n", 1, 1, selection="Use MySQL")
    assert anchor == Anchor(1, 1, "Use **MySQL**\n")


def test_an_anchor_is_bounded() -> None:
    long = "x" * 5_000 + "\n"
    assert len(anchored(long, 1, 1).quote) == 2_000
    with pytest.raises(AnchorInvalidError, match=f"at most {MOST_LINES} lines"):
        anchored("a\n" * 300, 1, 300)


TEXTS = st.lists(st.sampled_from(["a b c", "b c d", "", "- x y", "- x z", "# h"]), max_size=9).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(TEXTS, TEXTS, st.data())
def test_a_place_lies_in_the_text(old: str, new: str, data: st.DataObject) -> None:
    count = len(lines_of(old))
    if not count:
        return
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    anchor = anchored(old, first, last)
    place = carried(anchor, old, new)
    assert place == carried(anchor, old, new)
    if place.fate is Fate.LOST:
        assert (place.first, place.last) == (0, 0)
    else:
        assert 1 <= place.first <= place.last <= len(lines_of(new))
    if place.fate in {Fate.EXACT, Fate.MOVED}:
        there = lines_of(new)[place.first - 1 : place.last]
        assert [line.rstrip("\n") for line in there] == anchor.quote.split("\n")[: len(there)]


@given(TEXTS, TEXTS, st.data())
def test_lines_that_are_only_pushed_down_are_exact(
    text: str, above: str, data: st.DataObject
) -> None:
    count = len(lines_of(text))
    if not count:
        return
    line = data.draw(st.integers(1, count))
    unique = text.replace("\n", "") and lines_of(text)[line - 1]
    if not unique or (above + text).count(unique) != 1:
        return
    place = carried(anchored(text, line, line), text, above + text)
    assert place == Place(Fate.EXACT, line + len(lines_of(above)), line + len(lines_of(above)))


@pytest.mark.parametrize(
    ("fate", "whole", "replied", "later", "coverage"),
    [
        (Fate.EXACT, False, False, False, None),
        (Fate.EXACT, False, True, False, Coverage.REPLIED),
        (Fate.EXACT, False, False, True, Coverage.UNTOUCHED),
        (Fate.MOVED, False, False, True, Coverage.UNTOUCHED),
        (Fate.EXACT, False, True, True, Coverage.REPLIED),
        (Fate.CHANGED, False, True, True, Coverage.CHANGED),
        (Fate.LOST, False, False, True, Coverage.CHANGED),
        (Fate.EXACT, True, False, True, Coverage.UNTOUCHED),
    ],
)
def test_coverage(
    fate: Fate, *, whole: bool, replied: bool, later: bool, coverage: Coverage | None
) -> None:
    assert covered(fate, whole=whole, replied=replied, later=later) is coverage


def test_an_anchor_of_nothing_is_the_plan() -> None:
    assert Anchor().whole
