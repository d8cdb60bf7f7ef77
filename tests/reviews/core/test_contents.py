"""The table of contents of a plan, and its language."""

import pytest
from hypothesis import given

from reviews.core.blocks import cut
from reviews.core.contents import Section, changed_since, contents, language
from tests.markdowns import plans


def test_sections_count_what_changed_and_what_nobody_saw() -> None:
    blocks = cut("# Plan\n\na\n\n### Steps\n\n- b\n\nc\n\n## Risks\n")
    assert contents(blocks, changed={3, 7}, unseen={1, 7, 9, 11}) == (
        Section("Plan", 1, 1, 2, 1, 1),
        Section("Steps", 5, 3, 3, 1, 2),
        Section("Risks", 11, 2, 1, 0, 1),
    )


def test_what_stands_before_the_first_heading_is_a_section_without_a_title() -> None:
    found = contents(cut("a\n\n## B\n\nc"), changed=(), unseen=())
    assert [(section.title, section.depth) for section in found] == [("", 1), ("B", 1)]


def test_a_plan_without_headings_or_words_has_little_to_list() -> None:
    assert contents(cut(""), changed=(), unseen=()) == ()
    assert len(contents(cut("a\n\nb"), changed=(), unseen=())) == 1


@given(plans())
def test_each_block_is_in_one_section(text: str) -> None:
    blocks = cut(text)
    found = contents(blocks, changed={block.first for block in blocks}, unseen=())
    assert sum(section.blocks for section in found) == len(blocks)
    assert sum(section.changed for section in found) == len(blocks)


def test_a_block_that_moved_did_not_change() -> None:
    old, new = cut("a\n\nb\n\nc\n"), cut("c\n\na\n\nb, too\n")
    assert changed_since(old, new) == {5}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("# Plan\n\nTidy the parser", "en"),
        ("# 重构登录\n\n修改 `parser.py`", "zh-CN"),
        ("Rename the word 登录 in the parser and in all of its many tests, please", "en"),
        ("", "en"),
        ("12 34", "en"),
    ],
)
def test_language(text: str, code: str) -> None:
    assert language(text) == code
