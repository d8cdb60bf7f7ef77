"""A plan is cut into blocks as the renderer reads it."""
# ruff: noqa: E501 - a row of a table is a line

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.blocks import BlockKind, cut, read
from reviews.core.diff import lines_of
from reviews.core.effort import PlainReason
from tests.markdowns import plans

K = BlockKind


def kinds(text: str) -> list[tuple[BlockKind, int, int]]:
    """Return kind, first and last line of each block."""
    return [(block.kind, block.first, block.last) for block in cut(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("\n \n\t\n", [], id="blanks"),
        pytest.param("a\nb\n\nc", [(K.PARAGRAPH, 1, 2), (K.PARAGRAPH, 4, 4)], id="paragraphs"),
        pytest.param("a\n# b\nc", [(K.PARAGRAPH, 1, 1), (K.HEADING, 2, 2), (K.PARAGRAPH, 3, 3)], id="a heading between"),
        pytest.param("a\n===\nb", [(K.HEADING, 1, 2), (K.PARAGRAPH, 3, 3)], id="an underlined heading"),
        pytest.param("- a\n\n  b\n\n- c\n\nd", [(K.LIST, 1, 5), (K.PARAGRAPH, 7, 7)], id="a loose list"),
        pytest.param("- a\n1. b", [(K.LIST, 1, 1), (K.LIST, 2, 2)], id="two lists"),
        pytest.param("- a\n  ```\n  x\n\n  y\n  ```\n- b", [(K.LIST, 1, 7)], id="code in a list"),
        pytest.param("a\n```py\nx\n\ny\n```\nb", [(K.PARAGRAPH, 1, 1), (K.CODE, 2, 6), (K.PARAGRAPH, 7, 7)], id="a fence"),
        pytest.param("```\nx\n\n\n", [(K.CODE, 1, 2)], id="a fence that nobody closed"),
        pytest.param("    x\n\n    y\n\nz", [(K.CODE, 1, 3), (K.PARAGRAPH, 5, 5)], id="indented code"),
        pytest.param("> a\nlazy\n\n> b\n\nc", [(K.QUOTE, 1, 4), (K.PARAGRAPH, 6, 6)], id="a quote in two parts"),
        pytest.param("a\n> b", [(K.PARAGRAPH, 1, 1), (K.QUOTE, 2, 2)], id="a quote after text"),
        pytest.param("a\n>\nb", [(K.PARAGRAPH, 1, 1), (K.QUOTE, 2, 3)], id="a short quote after text"),
        pytest.param("|a|b|\n|-|-|\n|1|2|\n\nc", [(K.TABLE, 1, 3), (K.PARAGRAPH, 5, 5)], id="a table"),
        pytest.param("a\n\n---\n\nb", [(K.PARAGRAPH, 1, 1), (K.RULE, 3, 3), (K.PARAGRAPH, 5, 5)], id="a rule"),
        pytest.param("# a\r\n\r\nb\r\n", [(K.HEADING, 1, 1), (K.PARAGRAPH, 3, 3)], id="line ends of Windows"),
        pytest.param("a\x0cb\n\nc", [(K.PARAGRAPH, 1, 1), (K.PARAGRAPH, 3, 3)], id="a form feed"),
        pytest.param("[a]: https://a.example\n\n[a]", [(K.PARAGRAPH, 1, 1), (K.PARAGRAPH, 3, 3)], id="a definition"),
    ],
)  # fmt: skip
def test_kinds_and_lines(text: str, expected: list[tuple[BlockKind, int, int]]) -> None:
    assert kinds(text) == expected


def test_headings_give_the_blocks_below_their_path() -> None:
    blocks = cut("# Plan #\n\na\n\n## Steps\n\n- b\n\nRisks\n---\n\nc\n\n# End\n\nd")
    assert [(block.path, block.title) for block in blocks] == [
        ((), "Plan"),
        (("Plan",), ""),
        (("Plan",), "Steps"),
        (("Plan", "Steps"), ""),
        (("Plan",), "Risks"),
        (("Plan", "Risks"), ""),
        ((), "End"),
        (("End",), ""),
    ]


def test_items_of_a_list_have_their_lines() -> None:
    (block,) = cut("- a\n  more\n\n- b\n  - c\n\n    d\n- e")
    assert block.parts == ((1, 2), (4, 7), (8, 8))


def test_the_same_words_are_the_same_block_wherever_they_stand() -> None:
    first, second = cut("same\n"), cut("# a\n\nsame\n")
    assert first[0].digest == second[1].digest != second[0].digest


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\nb\n\nc" + "a" * 20_001, PlainReason.LINE),
        ("a\nb\n\n" + "[" * 5_000, PlainReason.MARKS),
    ],
)
def test_what_is_too_much_to_be_read_is_parted_by_blank_lines(
    text: str, reason: PlainReason
) -> None:
    reading = read(text)
    assert reading.plain is reason
    assert [(block.first, block.last) for block in reading.blocks] == [(1, 2), (4, 4)]


@given(plans())
def test_each_line_that_says_something_is_in_one_block(text: str) -> None:
    """Blocks and what lies between them give the plan back, byte for byte."""
    lines, place, whole = lines_of(text), 0, ""
    for block in cut(text):
        assert block.first > place
        between = lines[place : block.first - 1]
        assert not "".join(between).strip()
        assert block.text == "".join(lines[block.first - 1 : block.last])
        whole += "".join(between) + block.text
        place = block.last
    assert whole + "".join(lines[place:]) == text
    assert not "".join(lines[place:]).strip()


@given(plans())
def test_items_lie_in_their_list_one_after_another(text: str) -> None:
    for block in cut(text):
        place = block.first - 1
        for first, last in block.parts:
            assert place < first <= last <= block.last
            place = last


@given(st.text(alphabet="ab #->|`~*_[]():=.1 \t\r\x0c\n", max_size=200))
def test_whatever_comes_is_cut(text: str) -> None:
    said = [line for line in text.split("\n") if line.strip()]
    blocks = cut(text)
    assert sum(sum(1 for line in b.text.split("\n") if line.strip()) for b in blocks) == len(said)


def test_a_plan_that_overflows_the_stack_is_parted_by_blank_lines() -> None:
    text = "overflow\n\n" + "\n".join(" " * 4 * n + "- x" for n in range(18))
    limit, depth = sys.getrecursionlimit(), 0
    frame = sys._getframe()  # noqa: SLF001 - how deep this test itself is
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 60)
    try:
        reading = read(text)
    finally:
        sys.setrecursionlimit(limit)
    assert reading.plain is PlainReason.FAILED
    assert [(block.first, block.last) for block in reading.blocks] == [(1, 1), (3, 20)]
