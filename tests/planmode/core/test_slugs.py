"""Plan ids are words, new each time, and safe as names of files."""

import random
from collections.abc import Sequence

import pytest

from planmode.core.errors import PlanInvalidError
from planmode.core.slugs import FIRST, SECOND, THIRD, checked, plan_id


def first(words: Sequence[str]) -> str:
    return words[0]


FIRST_ID = f"{FIRST[0]}-{SECOND[0]}-{THIRD[0]}"


def test_an_id_is_three_words() -> None:
    assert plan_id(first, ()) == FIRST_ID
    assert checked(FIRST_ID) == FIRST_ID


@pytest.mark.parametrize("words", [FIRST, SECOND, THIRD])
def test_words_are_plain_and_different(words: Sequence[str]) -> None:
    assert len(words) == len(set(words)) > 50
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


def test_a_taken_id_is_drawn_again() -> None:
    draw = random.Random(7)  # noqa: S311 - a test's own
    taken = plan_id(random.Random(7).choice, ())  # noqa: S311 - the same draw
    fresh = plan_id(draw.choice, {taken})
    assert fresh != taken
    assert fresh.count("-") == 2


@pytest.mark.parametrize(
    ("taken", "slug"),
    [
        pytest.param({FIRST_ID}, f"{FIRST_ID}-2", id="taken"),
        pytest.param(
            {FIRST_ID, f"{FIRST_ID}-2", f"{FIRST_ID}-3"}, f"{FIRST_ID}-4", id="twice more"
        ),
    ],
)
def test_luck_that_never_comes_ends_in_a_number(taken: set[str], slug: str) -> None:
    assert plan_id(first, taken) == slug
    assert checked(slug) == slug


def test_many_ids_are_all_different() -> None:
    draw = random.Random(1)  # noqa: S311 - a test's own
    taken: set[str] = set()
    for _ in range(500):
        taken.add(plan_id(draw.choice, taken))
    assert len(taken) == 500


@pytest.mark.parametrize("slug", ["a", "v2", "quiet-red-fox", "a-1-b", "x" * 120])
def test_good_ids(slug: str) -> None:
    assert checked(slug) == slug


@pytest.mark.parametrize(
    "slug",
    [
        "", "-", "a-", "-a", "a--b", "A", "a b", "a_b", "a.md", "..", "../a", "a/b", "a\\b", "a\n",
        "a\0", "é", "x" * 121, "\u0660",
    ],
)  # fmt: skip
def test_bad_ids(slug: str) -> None:
    with pytest.raises(PlanInvalidError):
        checked(slug)
