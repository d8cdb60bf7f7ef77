"""Marks show what changed, and no more than a reader can take in."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reviews.core.diff import LineKind, diff, lines_of
from reviews.core.pairing import Effort
from reviews.core.wording import Row, Span, WordedLine, rows, unified, versions
from reviews.core.words import tokens

SIGN: Final = {LineKind.KEPT: " ", LineKind.ADDED: "+", LineKind.REMOVED: "-"}
PIECES: Final = st.sampled_from(
    [
        *("a", "word", "Word", "50", "3.14", "50ms", " ", "  ", "\t", ".", "-", "*", "`", "``"),
        *("`x y`", "[a](b)", "[", "](", ")", "https://a.example/x", "登录", "に", "𠮷", "é"),
        *("e\u0301", "\u0301", "\u200d", "👩\u200d💻", "👍🏽", "🇩🇪", "\ufe0f", "葛\U000e0100", "ก็"),
    ]
)
LINES: Final = st.lists(PIECES, max_size=12).map("".join)
TEXTS: Final = st.lists(LINES, max_size=12).map("\n".join)
EFFORTS: Final = st.builds(
    Effort,
    longest=st.sampled_from([5, 2_000]),
    characters=st.sampled_from([0, 40, 100_000]),
    gap_looks=st.sampled_from([0, 20, 60_000]),
    looks=st.sampled_from([0, 30, 400_000]),
)


def joined(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def changed(spans: Iterable[Span]) -> list[str]:
    return [span.text for span in spans if span.changed]


def kept(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans if not span.changed)


def compared(old: str, new: str, effort: Effort | None = None) -> list[Row]:
    budget = effort or Effort()
    return [row for hunk in diff(old, new, context=None).hunks for row in rows(hunk.lines, budget)]


def side(lines: Iterable[WordedLine | None]) -> str:
    return "".join(joined(line.spans) for line in lines if line)


@given(line=st.one_of(LINES, st.text(max_size=40)))
@example(line="\r\n")
@settings(deadline=None)
def test_words_are_the_line_byte_for_byte(line: str) -> None:
    found = tokens(line)
    assert "".join(found) == line
    assert all(found)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("重试50次", ["重", "试", "50", "次"], id="Han by character, numbers whole"),
        pytest.param("まで。", ["ま", "で", "。"], id="kana by character"),
        pytest.param("재시도 50회", ["재시도", " ", "50회"], id="Korean by word"),
        pytest.param("50ms v2 1,000.5%", ["50ms", " ", "v2", " ", "1,000.5", "%"], id="numbers"),
        pytest.param("e\u0301te\u0301 n", ["e\u0301te\u0301", " ", "n"], id="combining marks"),
        pytest.param("𠮷野", ["𠮷", "野"], id="beyond the basic plane"),
        pytest.param("👩\u200d💻👍🏽🇩🇪🇫🇷", ["👩\u200d💻", "👍🏽", "🇩🇪", "🇫🇷"], id="pictures"),
        pytest.param("1\ufe0f\u20e3a", ["1\ufe0f\u20e3", "a"], id="a digit drawn as a key"),
        pytest.param("葛\U000e0100城", ["葛\U000e0100", "城"], id="a selected variant"),
        pytest.param("นี้กำ", ["นี้", "กำ"], id="Thai with its marks"),
        pytest.param("`a b`, ``c`d``", ["`a b`", ",", " ", "``c`d``"], id="code is one word"),
        pytest.param("`a", ["`", "a"], id="code that nothing ends is none"),
        pytest.param("[a b](c d) [e][f]", ["[", "a", " ", "b", "]", "(", "c", " ", "d", ")", " ",
                                           "[e][f]"], id="links"),
        pytest.param("见https://a.example/x。好", ["见", "https://a.example/x", "。", "好"],
                     id="an address ends before its sentence does"),
        pytest.param("(see http://a.example/b.)", ["(", "see", " ", "http://a.example/b", ".", ")"],
                     id="an address without the dot behind it"),
    ],
)  # fmt: skip
def test_words(line: str, words: list[str]) -> None:
    assert tokens(line) == words


@given(old=LINES, new=LINES)
@settings(deadline=None)
def test_kept_and_marked_is_each_line_and_the_kept_is_the_same(old: str, new: str) -> None:
    """Kept + removed words are the old line, kept + added ones the new line, byte for byte."""
    before, after = versions(old, new, Effort())
    assert joined(before) == old
    assert joined(after) == new
    if changed(before) or changed(after):
        assert kept(before) == kept(after)
    assert versions(old, new, Effort()) == (before, after)


@given(old=TEXTS, new=TEXTS, effort=EFFORTS)
@settings(deadline=None)
def test_rows_are_both_texts(old: str, new: str, effort: Effort) -> None:
    found = compared(old, new, effort)
    assert side(row.old for row in found) == old
    assert side(row.new for row in found) == new
    assert all(
        kept(row.old.spans) == kept(row.new.spans)
        for row in found
        if row.old and row.new and (changed(row.old.spans) or changed(row.new.spans))
    )


@given(old=TEXTS, new=TEXTS)
@settings(deadline=None)
def test_one_below_the_other_are_the_lines_of_the_diff(old: str, new: str) -> None:
    plain = [line for hunk in diff(old, new, context=None).hunks for line in hunk.lines]
    assert [line.line for line in unified(compared(old, new))] == plain


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        pytest.param(
            "最多重试50次\uff0c然后报警。",
            "最多重试500次\uff0c然后报警。",
            ["50"],
            ["500"],
            id="case:C158",
        ),
        pytest.param("こんにちは。", "こんばんは。", ["にち"], ["ばん"], id="case:C162"),
        pytest.param(
            "𠮷野家 👩\u200d💻",
            "𠮷野屋 👨\u200d💻",
            ["家 👩\u200d💻"],
            ["屋 👨\u200d💻"],
            id="case:C159",
        ),
        pytest.param(
            "Run `npm test` and see [docs](https://a.example/x)",
            "Run `npm run test:all` and see [docs](https://a.example/y)",
            ["`npm test`", "[docs](https://a.example/x)"],
            ["`npm run test:all`", "[docs](https://a.example/y)"],
            id="case:C086",
        ),
        pytest.param("Rotate keys hourly.", "Rotate keys daily.", ["hourly"], ["daily"], id="word"),
        pytest.param("Stop the old one", "Stop the one", ["old "], [], id="only removed"),
        pytest.param("Stop the one", "Stop the new one", [], ["new "], id="only added"),
        pytest.param(
            "keep all of it: red, green, end it",
            "keep all of it: blue, white, end it",
            ["red, green"],
            ["blue, white"],
            id="a comma between two changes is no island",
        ),
        pytest.param("nothing like it", "quite another text", [], [], id="no two versions"),
        pytest.param("", "new", [], [], id="empty"),
    ],
)
def test_marks(old: str, new: str, gone: list[str], come: list[str]) -> None:
    before, after = versions(old, new, Effort())
    assert (changed(before), changed(after)) == (gone, come)


def test_a_line_meets_its_version_not_its_neighbour() -> None:
    [first, second, third] = compared(
        "Rotate the keys hourly\nUse MySQL here\n",
        "A line that is new\nUse PostgreSQL here\nRotate them\n",
    )
    assert first.old is not None
    assert second.old is not None
    assert second.new is not None
    assert changed(first.old.spans) == []
    assert changed(second.old.spans) == ["MySQL"]
    assert changed(second.new.spans) == ["PostgreSQL"]
    assert third.old is None


def test_what_is_too_much_to_read_has_no_marks() -> None:
    """The line stays one change, and the lines around it keep their marks."""
    long = "word " * 500
    found = compared(f"Use MySQL here\n{long}\n", f"Use PostgreSQL here\n{long}x\n")
    assert [changed(row.old.spans) for row in found if row.old] == [["MySQL"], []]


def test_too_many_lines_to_look_at_are_paired_by_place() -> None:
    old, new = "say a thing now\nsay it loud here\n", "say it quietly\nsay it softly here\n"
    found = compared(old, new, Effort(gap_looks=0))
    assert [changed(row.old.spans) for row in found if row.old] == [[], ["loud"]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            "- a\n+ b\n```\n- x\n```\n", "- a\n+ c\n```\n+ x\n```\n", id="case:C087 list signs"
        ),
        pytest.param("a\nb\n", "a\nc\n", id="case:C164"),
        pytest.param("最多重试50次\n", "最多重试500次\n", id="Han"),
        pytest.param("--- a\n@@ -1 +1 @@\n-x\n", "--- a\n@@ -1 +1 @@\n+x\n", id="a diff"),
        pytest.param("1\n2\n3\n4\n5\n6\n7\n", "2\n3\n4\n5\n6\n7\n8\n", id="both ends"),
    ],
)  # fmt: skip
def test_the_raw_diff_is_that_of_the_program(old: str, new: str, tmp_path: Path) -> None:
    """case:C087: signs in the text are text; the raw diff is ``diff -u``, line by line."""
    program = shutil.which("diff")
    assert program
    paths = [tmp_path / "old", tmp_path / "new"]
    for path, text in zip(paths, (old, new), strict=True):
        path.write_text(text, "utf-8")
    run = subprocess.run([program, "-u", *paths], capture_output=True, check=False, text=True)  # noqa: S603
    theirs = [line for line in run.stdout.split("\n")[2:-1] if not line.startswith("@@")]
    hunks = diff(old, new).hunks
    ours = [f"{SIGN[line.kind]}{line.text}".rstrip("\n") for hunk in hunks for line in hunk.lines]
    assert ours == theirs


def work(old: str, new: str) -> int:
    """Return how many calls the rows take: the same number on every machine."""
    lines = [line for hunk in diff(old, new).hunks for line in hunk.lines]
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for _ in rows(lines, Effort()):
            pass
    finally:
        sys.setprofile(before)
    return calls


MOST_CALLS: Final = 1_500_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            "".join("0" * (1000 - n) + "\n" for n in range(1000)),
            "".join("0" * (1000 - n) + "x\n" for n in range(1000)),
            id="case:C083 lines that grow by a letter",
        ),
        pytest.param("a b c d e f\n" * 3_000, "a b c d e g\n" * 3_000, id="the same words"),
        pytest.param("`" * 1_999 + "\n", "`" * 1_998 + "\n", id="code that nothing ends"),
        pytest.param(
            "".join(f"{n} {'word ' * 50}\n" for n in range(30_000)),
            "".join(f"{n}x {'word ' * 50}\n" for n in range(30_000)),
            id="case:C084 as much as marks are switched off for",
        ),
    ],
)
def test_hostile_lines_are_bounded_work(old: str, new: str) -> None:
    assert work(old, new) < MOST_CALLS + 40 * len(lines_of(old))
