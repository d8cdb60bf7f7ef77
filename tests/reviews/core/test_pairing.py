"""What is a version of what."""

from collections.abc import Sequence

import pytest

from reviews.core.alignment import Step
from reviews.core.pairing import Effort, Sayings, Weighed, kept_words, paired
from reviews.core.words import significant, tokens, weight


def sayings(texts: Sequence[str], kinds: Sequence[str] | None = None) -> Sayings:
    return Sayings.of([tokens(text) for text in texts], kinds)


def test_pairs_rise_on_both_sides() -> None:
    old, new = sayings(["a b c", "d e f"]), sayings(["d e g", "a b d"])
    [pair] = paired(old, new, Effort())
    assert pair in {(1, 0), (0, 1)}


def test_things_of_two_kinds_are_no_versions() -> None:
    old, new = sayings(["a b c"], ["paragraph"]), sayings(["a b c"], ["heading"])
    assert paired(old, new, Effort()) == []


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        pytest.param("a b", "a c", [(0, 0), (1, 1)], id="the beginning is kept"),
        pytest.param("one", "two", None, id="nothing is kept"),
        pytest.param("one of it all", "x", None, id="too little is kept"),
        pytest.param("a long word", "a " + "much longer sentence with more", None, id="hardly any"),
    ],
)
def test_kept_words(old: str, new: str, kept: list[Step] | None) -> None:
    assert kept_words(Weighed.of(tokens(old)), Weighed.of(tokens(new))) == kept


def test_signs_say_something_only_where_nothing_else_does() -> None:
    assert significant(tokens("- a: b")) == {"a", "b"}
    assert significant(tokens("|---|")) == {"|", "-"}


def test_weight_counts_letters_and_pictures() -> None:
    assert [weight(word) for word in ("abc", "`a b`", "登", "👩\u200d💻", "—", " ")] == [
        *(3, 2, 1, 2, 0, 0)
    ]
