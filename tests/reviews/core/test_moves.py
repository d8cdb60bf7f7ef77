"""What moved is told as moved, and nothing else is."""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.core.blocks import cut
from reviews.core.diff import LineKind, diff, lines_of, outline
from reviews.core.headings import path_at
from reviews.core.moves import Move, moves
from reviews.core.pairing import Effort
from reviews.core.split import split

BLOCKS: Final = st.lists(
    st.sampled_from(
        [
            "# Goal\n",
            "## Risks\n",
            "Make it fast and safe.\n",
            "Make it fast and very safe, whatever it takes.\n",
            "Make it fast and quite safe, whatever it takes.\n",
            "ok\n",
            "- first of all items\n- second of all items\n",
            "1. second of all items\n2. first of all items\n",
            "```\ncode that stands here\n```\n",
        ]
    ),
    max_size=8,
).map("\n".join)
RISKS: Final = "## Risks\n\nThe cache may be stale.\n\n- all workers have to restart\n"
STEPS: Final = "## Steps\n\nChange the parser and nothing else.\n"


def found(old: str, new: str, effort: Effort | None = None) -> tuple[Move, ...]:
    return moves(cut(old), cut(new), outline(old, new), effort or Effort())


def part(text: str, span: tuple[int, int]) -> str:
    return "".join(lines_of(text)[span[0] - 1 : span[1]])


@given(old=BLOCKS, new=BLOCKS)
@settings(deadline=None)
def test_what_moved_stands_in_both_texts(old: str, new: str) -> None:
    """A moved block's lines were removed there, and added here; unedited, they say the same."""
    gone = {n.old_number for h in diff(old, new).hunks for n in h.lines if not n.new_number}
    come = {n.new_number for h in diff(old, new).hunks for n in h.lines if not n.old_number}
    for move in found(old, new):
        before, after = part(old, move.old), part(new, move.new)
        written = [line.strip(" -123.\n") for line in lines_of(before) if line.strip()]
        others = [line.strip(" -123.\n") for line in lines_of(after) if line.strip()]
        assert move.edited or written == others
        assert len(written) == len(others)
        assert move.old[0] in gone
        assert move.new[0] in come
    assert found(old, new) == found(old, new)


@given(text=BLOCKS)
@settings(deadline=None)
def test_nothing_moved_where_nothing_changed(text: str) -> None:
    assert found(text, text) == ()


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        pytest.param(
            f"{RISKS}\n{STEPS}\nStay.\n",
            f"{STEPS}\nStay.\n\n{RISKS}",
            [Move((1, 5), (7, 11))],
            id="a section goes with its heading",
        ),
        pytest.param(
            "1. read the parser\n2. change the parser\n3. test the parser\n",
            "1. change the parser\n2. test the parser\n3. read the parser\n",
            [Move((1, 1), (3, 3))],
            id="a step, whatever its number",
        ),
        pytest.param(
            "1. read the parser\n2. change the parser\n",
            "1. ask before all else\n2. read the parser\n3. change the parser\n",
            [],
            id="another number alone is no move",
        ),
        pytest.param("ok\n\nStay here.\n", "Stay here.\n\nok\n", [], id="too little to tell"),
        pytest.param(
            "## A\n\nStay here.\n", "Stay here.\n\n## A\n", [Move((1, 1), (3, 3))], id="a heading"
        ),
        pytest.param(
            "Rotate all keys of the vault hourly.\n\nStay\n\nhere\n",
            "Stay\n\nhere\n\nRotate all keys of the vault daily.\n",
            [Move((1, 1), (5, 5), edited=True)],
            id="moved and edited",
        ),
        pytest.param(
            "Rotate all keys of the vault hourly.\n\nStay\n\nhere\n",
            "Stay\n\nhere\n\nQuite another text stands here now.\n",
            [],
            id="another text",
        ),
    ],
)
def test_moves(old: str, new: str, moved: list[Move]) -> None:
    assert list(found(old, new)) == moved


def test_what_is_too_much_to_look_at_is_not_told_as_edited() -> None:
    old = "Rotate all keys of the vault hourly.\n\nStay\n\nhere\n"
    new = "Stay\n\nhere\n\nRotate all keys of the vault daily.\n"
    assert found(old, new, Effort(looks=1)) == ()


def test_a_line_stands_below_its_headings() -> None:
    blocks = cut("intro\n\n# A\n\n## B\n\ntext\n\n# C\n")
    assert [path_at(blocks, line) for line in (0, 1, 3, 7, 9)] == [
        *((), (), ("A",), ("A", "B"), ("C",))
    ]


def test_rows_know_their_headings_their_moves_and_where_a_change_begins() -> None:
    old = f"# P\n\n{RISKS}\n{STEPS}\nStay.\n"
    new = f"# P\n\n{STEPS}\nStay.\n\n{RISKS}"
    lines = diff(old, new, context=1)
    first, second = split(lines, found(old, new), cut(new), Effort())
    assert (first.path, second.path) == (("P",), ("P", "Steps"))
    gone = [row.old for row in first.rows if row.old and row.old.line.kind is LineKind.REMOVED]
    assert [line.moved for line in gone if line.line.text.strip()] == [9] * 3
    assert [row.starts for row in first.rows].count(True) == 1
    come = [row.new for row in second.rows if row.new and row.new.moved]
    assert [(line.number, line.moved) for line in come] == [(n, 3) for n in range(9, 14)]


def test_a_line_without_another_version_is_marked_behind_its_indent() -> None:
    [hunk] = split(diff("a\n", "  b c\n"), (), cut("  b c\n"), Effort())
    [row] = hunk.rows
    assert row.old is not None
    assert row.new is not None
    assert [(span.text, span.changed) for span in row.new.spans] == [("  ", False), ("b c\n", True)]
    assert row.old.number == row.new.number == 1


def test_a_line_with_another_version_is_marked_where_its_words_changed() -> None:
    [hunk] = split(diff("Use MySQL\n", "Use SQLite\n"), (), cut("Use SQLite\n"), Effort())
    [row] = hunk.rows
    assert row.new is not None
    assert [span.text for span in row.new.spans if span.changed] == ["SQLite"]
