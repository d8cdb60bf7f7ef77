"""Names behind an at sign."""

import pytest

from reviews.core.mentions import MOST, mentioned


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@mei, please look", {"mei"}),
        ("Ask @zoe.li. And @mei", {"zoe.li", "mei"}),
        ("mail a@b.example", set()),
        ("请@mei看看 @小明 也看", {"mei", "小明"}),
        ("", set()),
        ("@", set()),
    ],
)
def test_mentioned(text: str, names: set[str]) -> None:
    assert mentioned(text) == names


def test_a_comment_calls_no_crowd() -> None:
    assert len(mentioned(" ".join(f"@p{n}" for n in range(99)))) == MOST
