"""Plan ids are words, new each time, and safe as names of files."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.errors import PlanInvalidError
from planmode.core.slugs import FIRST, SECOND, THIRD, checked, plan_id, prompt_plan_id


def first(words: Sequence[str]) -> str:
    return words[0]


FIRST_ID = f"{FIRST[0]}-{SECOND[0]}-{THIRD[0]}"


def test_an_id_is_three_words() -> None:
    """kimi:S18."""
    assert plan_id(first, ()) == FIRST_ID
    assert checked(FIRST_ID) == FIRST_ID


@pytest.mark.parametrize("words", [FIRST, SECOND, THIRD])
def test_words_are_plain_and_different(words: Sequence[str]) -> None:
    assert len(words) == len(set(words)) > 50
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


def test_a_taken_id_is_drawn_again() -> None:
    """kimi:S18."""
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


@pytest.mark.parametrize(
    ("prompt", "topics"),
    [
        pytest.param("Add a faster search to the shop", "add-faster-search", id="first words"),
        pytest.param("Please help me to plan the login", "login", id="what everybody says"),
        pytest.param("[Image #1] fix this [image #2] layout", "fix-layout", id="images"),
        pytest.param("[Pasted text #3 +120 lines] fix it", "fix", id="pasted text"),
        pytest.param("[screenshot] Fix <pasted-text id=1> it </x>", "fix", id="other forms"),
        pytest.param("Read https://ci.example/b?x=1 fix www.a.example", "read-fix", id="addresses"),
        pytest.param("Move src/app/main.py, C:\\x and @ada", "move", id="paths and people"),
        pytest.param("Mail bob@example.org weekly", "mail-weekly", id="a mailbox"),
        pytest.param("Explain ```rm all``` quickly ```ls", "explain-quickly", id="code"),
        pytest.param("Don't lose the user\u2019s draft", "lose-user-draft", id="short forms"),
        pytest.param("Cache the cache, CACHE", "cache", id="the same word"),
        pytest.param("R\xe9sum\xe9 f\xfcr Gr\xf6\xdfe", "resume-fur-grosse", id="accents"),
        pytest.param("\u91cd\u6784login\u6a21\u5757", "login", id="between Chinese"),
        pytest.param("Support utf8 and OAuth2 in 2026", "support-utf8-oauth2", id="with numbers"),
        pytest.param("Use key sk0live1x9f2a83hd now", "key", id="a key is no word"),
        pytest.param("x y z " + "u" * 17, "", id="no words"),
        pytest.param("\u91cd\u6784\u767b\u5f55", "", id="another script"),
        pytest.param("", "", id="nothing"),
        pytest.param(" " * 5000 + "late", "", id="too far down"),
    ],
)
def test_an_id_says_what_the_prompt_is_about(prompt: str, topics: str) -> None:
    """claude:C-11 claude:C-12: words of the prompt, none of what only stands in it."""
    named = f"{topics}-{FIRST[0]}-{THIRD[0]}"
    assert prompt_plan_id(prompt, first, ()) == (named if topics else FIRST_ID)


def test_an_id_of_a_prompt_is_not_taken() -> None:
    """claude:C-11: never the last candidate once more, as there."""
    slug = prompt_plan_id("Add search", first, ())
    assert prompt_plan_id("Add search", first, {slug}) == f"{slug}-2"
    assert prompt_plan_id("\u91cd\u6784", first, {FIRST_ID}) == f"{FIRST_ID}-2"
    draw = random.Random(3)  # noqa: S311 - a test's own
    taken: set[str] = set()
    for _ in range(200):
        taken.add(prompt_plan_id("Add search", draw.choice, taken))
    assert len(taken) == 200


@given(prompt=st.text() | st.text(alphabet="aZ9 #[]<>/`'@."), number=st.integers(0, 10**6))
def test_an_id_of_a_prompt_is_a_short_plan_id(prompt: str, number: int) -> None:
    draw = random.Random(number)  # noqa: S311 - a test's own
    slug = prompt_plan_id(prompt, draw.choice, ())
    assert checked(slug) == slug
    assert len(slug) <= 80


def test_the_longest_words_make_no_id_that_is_too_long() -> None:
    def longest(words: Sequence[str]) -> str:
        return max(words, key=len)

    slug = prompt_plan_id(f"{'a' * 16}11 {'b' * 16}22 {'c' * 16}33", longest, ())
    assert 70 <= len(f"{slug}-20") <= 80


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
