"""A diff tells the truth about both texts."""

import random
import sys
from types import FrameType
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.core.alignment import DiffLimits
from reviews.core.diff import (
    Diff,
    DiffLine,
    Hunk,
    LineKind,
    diff,
    excerpt,
    lines_of,
    outline,
)

SIGN: Final = {LineKind.KEPT: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}
LINES: Final = st.lists(st.sampled_from(["", "a", "b", "c", "}", "a\r", "\u2028", "é"]))
TEXTS: Final = st.one_of(
    st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"])),
    st.text(alphabet="ab\n\r\x85", max_size=60),
)


def lines(result: Diff) -> list[DiffLine]:
    return [line for hunk in result.hunks for line in hunk.lines]


def side(result: Diff, *kinds: LineKind) -> str:
    return "".join(line.text for line in lines(result) if line.kind in kinds)


def drawn(hunk: Hunk) -> list[str]:
    return [SIGN[line.kind] + line.text.rstrip("\n") for line in hunk.lines]


def common(old: list[str], new: list[str]) -> int:
    """Return the length of a longest common subsequence, in the plainest way."""
    row = [0] * (len(new) + 1)
    for a in old:
        last = row
        row = [0]
        for place, b in enumerate(new):
            row.append(last[place] + 1 if a == b else max(last[place + 1], row[place]))
    return row[-1]


@given(old=TEXTS, new=TEXTS)
@settings(deadline=None)
def test_kept_and_removed_is_old_kept_and_added_is_new(old: str, new: str) -> None:
    for limits in (DiffLimits(), DiffLimits(visits=0), DiffLimits(visits=8, gap_cells=6, cells=9)):
        result = diff(old, new, context=None, limits=limits)
        assert side(result, LineKind.KEPT, LineKind.REMOVED) == old
        assert side(result, LineKind.KEPT, LineKind.ADDED) == new
        assert result.added == sum(line.kind is LineKind.ADDED for line in lines(result))
        assert result.removed == sum(line.kind is LineKind.REMOVED for line in lines(result))


@given(old=TEXTS, new=TEXTS, context=st.none() | st.integers(0, 4), most=st.integers(1, 5))
@settings(deadline=None)
def test_excerpts_are_the_whole_in_parts(
    old: str, new: str, context: int | None, most: int
) -> None:
    whole, found = diff(old, new, context=context), outline(old, new, context=context)
    parts = [
        excerpt(found, old, new, start=start, most=most) for start in range(0, found.shown, most)
    ]
    assert [line for part in parts for line in lines(part)] == lines(whole)
    assert all(0 < len(lines(part)) <= most for part in parts)
    hidden = [hunk.left_out for part in parts for hunk in part.hunks if hunk.left_out]
    assert hidden == [hunk.left_out for hunk in whole.hunks if hunk.left_out]
    assert [part.rest for part in parts if part.rest] == [whole.rest] * bool(whole.rest)


@given(old=TEXTS, new=TEXTS, context=st.none() | st.integers(0, 4))
@settings(deadline=None)
def test_what_is_left_out_is_counted(old: str, new: str, context: int | None) -> None:
    result = diff(old, new, context=context)
    missing = sum(hunk.left_out for hunk in result.hunks) + result.rest
    whole = len(lines(diff(old, new, context=None)))
    assert missing == (whole - len(lines(result)) if result.hunks else 0)


@given(old=TEXTS, new=TEXTS, context=st.none() | st.integers(0, 4))
@settings(deadline=None)
def test_numbers_name_the_lines(old: str, new: str, context: int | None) -> None:
    before, after = lines_of(old), lines_of(new)
    for line in lines(diff(old, new, context=context)):
        assert (line.old_number is None) == (line.kind is LineKind.ADDED)
        assert (line.new_number is None) == (line.kind is LineKind.REMOVED)
        assert line.old_number is None or before[line.old_number - 1] == line.text
        assert line.new_number is None or after[line.new_number - 1] == line.text


@given(old=TEXTS, new=TEXTS, context=st.integers(0, 4))
@settings(deadline=None)
def test_context_hides_kept_lines_only(old: str, new: str, context: int) -> None:
    whole, part = diff(old, new, context=None), diff(old, new, context=context)
    changed = [line for line in lines(whole) if line.kind is not LineKind.KEPT]
    assert [line for line in lines(part) if line.kind is not LineKind.KEPT] == changed
    assert (part.added, part.removed) == (whole.added, whole.removed)
    for earlier, later in zip(part.hunks, part.hunks[1:], strict=False):
        last, first = earlier.lines[-1], later.lines[0]
        if last.old_number is not None and first.old_number is not None:
            assert first.old_number - last.old_number > 2, "a fold of one line hides nothing"


@given(old=TEXTS, new=TEXTS, context=st.none() | st.integers(0, 4))
@settings(deadline=None)
def test_an_outline_knows_where_kept_lines_are(old: str, new: str, context: int | None) -> None:
    whole = lines(diff(old, new, context=None))
    kept = [(line.old_number, line.new_number) for line in whole if line.kind is LineKind.KEPT]
    found = outline(old, new, context=context)
    assert list(found.kept(len(lines_of(old)))) == kept


@given(text=TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert diff(text, text) == Diff(hunks=(), added=0, removed=0, coarse=False)


@given(old=LINES, new=LINES)
@settings(deadline=None)
def test_without_anchors_as_many_lines_as_possible_are_kept(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new)
    result = diff(before, after, context=None, limits=DiffLimits(visits=0))
    assert not result.coarse
    assert len(old) - result.removed == common(old, new)


@given(
    numbers=st.lists(st.integers(0, 30), unique=True),
    others=st.lists(st.integers(0, 30), unique=True),
)
@settings(deadline=None)
def test_anchors_alone_align_as_much_as_possible_of_unique_lines(
    numbers: list[int], others: list[int]
) -> None:
    old, new = [f"{n}\n" for n in numbers], [f"{n}\n" for n in others]
    result = diff("".join(old), "".join(new), limits=DiffLimits(gap_cells=0))
    assert len(old) - result.removed == common(old, new)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("\n", ["\n"], id="one empty line"),
        pytest.param("a\nb", ["a\n", "b"], id="the last line is open"),
        pytest.param(
            "a\r\nb\rc\x0bd\u2028e\x85f\n", ["a\r\n", "b\rc\x0bd\u2028e\x85f\n"], id="only LF"
        ),
    ],
)
def test_lines_of(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_removed_lines_stand_before_added_ones() -> None:
    [hunk] = diff("one\ntwo\nthree\n", "one\n2\n2b\nthree\n").hunks
    assert drawn(hunk) == [" one", "-two", "+2", "+2b", " three"]


def test_a_block_is_taken_out_as_one_piece() -> None:
    old = "{\nfirst\n}\n{\nsecond\n}\n"
    new = "{\nsecond\n}\n"
    [hunk] = diff(old, new).hunks
    assert drawn(hunk) == [" {", "-first", "-}", "-{", " second", " }"]


def test_a_lost_line_end_is_a_change() -> None:
    [hunk] = diff("a\nb\n", "a\nb").hunks
    assert [(line.kind, line.text) for line in hunk.lines] == [
        (LineKind.KEPT, "a\n"),
        (LineKind.REMOVED, "b\n"),
        (LineKind.ADDED, "b"),
    ]


def test_lines_are_left_out_before_between_and_behind_changes() -> None:
    old = "".join(f"{number}\n" for number in range(30))
    result = diff(old, old.replace("5\n", "five\n", 1).replace("20\n", "twenty\n"))
    assert [hunk.left_out for hunk in result.hunks] == [2, 8]
    assert result.rest == 6


@pytest.mark.parametrize(
    ("between", "hunks"),
    [
        pytest.param(6, 1, id="contexts touch"),
        pytest.param(7, 1, id="one line would be hidden"),
        pytest.param(8, 2, id="two lines are hidden"),
    ],
)
def test_near_hunks_are_joined(between: int, hunks: int) -> None:
    middle = "".join(f"kept {n}\n" for n in range(between))
    assert len(diff(f"a\n{middle}b\n", f"A\n{middle}B\n").hunks) == hunks


def test_what_is_too_large_to_compare_stands_as_one_block() -> None:
    old, new = "start\n" + "a\nb\n" * 10 + "end\n", "start\n" + "b\nb\na\n" * 10 + "end\n"
    fine = diff(old, new)
    coarse = diff(old, new, limits=DiffLimits(gap_cells=100))
    assert not fine.coarse
    assert coarse.coarse
    assert coarse.removed > fine.removed
    [hunk] = coarse.hunks
    assert [line.kind for line in hunk.lines] == [
        LineKind.KEPT,
        *[LineKind.REMOVED] * coarse.removed,
        *[LineKind.ADDED] * coarse.added,
        LineKind.KEPT,
    ]


def test_all_gaps_share_one_budget() -> None:
    def text(rows: str) -> str:
        return "".join(f"anchor {n}\n{rows}" for n in range(4))

    old, new = text("a\na\nb\nb\n"), text("b\nb\na\na\n")
    assert not diff(old, new, limits=DiffLimits(cells=4 * 16)).coarse
    assert diff(old, new, limits=DiffLimits(cells=3 * 16)).coarse


def work(old: str, new: str) -> int:
    """Return how many calls one diff makes: the same number on every machine."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        diff(old, new)
    finally:
        sys.setprofile(before)
    return calls


def nested(depth: int) -> tuple[str, str]:
    """Two texts in which each round of anchors finds one, which makes the next one unique."""
    tokens = ["x1", "u"]
    for n in range(1, depth):
        tokens += [f"x{n + 1}", f"x{n}"]
    tokens.append(f"x{depth}")
    return "".join(f"{token}\no\n" for token in tokens), "".join(f"{t}\nn\n" for t in tokens)


def few_lines(size: int, seed: int) -> str:
    draw = random.Random(seed)  # noqa: S311 - test data
    return "".join(f"| row {draw.randrange(4)} |\n" for _ in range(size))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(few_lines(20_000, 1), few_lines(20_000, 2), id="four lines, drawn again"),
        pytest.param("\n" * 40_000 + "x", "y" + "\n" * 30_000, id="blank lines"),
        pytest.param(*nested(10_000), id="anchors in anchors"),
        pytest.param(
            "".join(f"{n}\n" for n in range(20_000)),
            "".join(f"{n}\n" for n in reversed(range(20_000))),
            id="reversed",
        ),
        pytest.param(few_lines(5_000, 3), few_lines(5_000, 4), id="as much as one gap may be"),
    ],
)
def test_work_grows_with_the_number_of_lines(old: str, new: str) -> None:
    count = len(lines_of(old)) + len(lines_of(new))
    assert work(old, new) < 30 * count
