"""A difference as text is what `diff -u` writes, and safe to print."""

import shutil
import subprocess
from pathlib import Path

import pytest

from reviews.core.blocks import cut
from reviews.core.diff import diff, outline
from reviews.core.moves import moves
from reviews.core.pairing import Effort
from reviews.core.plaintext import unified_text
from reviews.core.split import split

LONG = "".join(f"line {n}\n" for n in range(30))


def written(old: str, new: str, *, words: bool = False) -> str:
    found = moves(cut(old), cut(new), outline(old, new), Effort())
    hunks = split(diff(old, new), found, cut(new), Effort())
    return unified_text(hunks, found, ("old", "new"), words=words)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            "- a\n+ b\n```\n- x\n```\n", "- a\n+ c\n```\n+ x\n```\n", id="case:C087 list signs"
        ),
        pytest.param("a\nb\n", "a\nc\n", id="a line"),
        pytest.param("a\nb\n", "a\nb", id="a line end that went"),
        pytest.param("", "a\n", id="from nothing"),
        pytest.param("a\n", "", id="to nothing"),
        pytest.param(
            LONG, LONG.replace("line 3\n", "x\n").replace("line 25\n", ""), id="two hunks"
        ),
    ],
)
def test_it_is_what_the_program_writes(old: str, new: str, tmp_path: Path) -> None:
    program = shutil.which("diff")
    assert program
    for name, text in (("old", old), ("new", new)):
        (tmp_path / name).write_text(text, "utf-8")
    command = [program, "-u", "--label", "old", "--label", "new", "old", "new"]
    theirs = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, text=True)  # noqa: S603
    assert written(old, new) == theirs.stdout


def test_the_same_text_has_no_difference() -> None:
    assert written("a\n", "a\n") == ""


def test_changed_words_are_marked_on_demand() -> None:
    old, new = "Use MySQL\nkept\ngone for good\n", "Use SQLite\nkept\n"
    lines = written(old, new, words=True).split("\n")
    assert lines[3:7] == ["-Use [-MySQL-]", "+Use {+SQLite+}", " kept", "-gone for good"]


def test_what_moved_is_told_above_and_hunks_have_their_headings() -> None:
    moving = "The cache may be stale for long.\n"
    old = f"# P\n\n{moving}\n## S\n\none\n\ntwo\n"
    assert written(old, f"# P\n\n## S\n\none\n\ntwo\n\n{moving}").startswith(
        "moved: lines 3 to lines 9\n--- old\n+++ new\n@@ -1,"
    )
    edited = "Rotate all keys of the vault hourly.\n\nAnd so on from here.\n\nStay\n\nhere\n"
    told = written(
        edited, "Stay\n\nhere\n\nRotate all keys of the vault daily.\n\nAnd so on from here.\n"
    )
    assert told.startswith("moved: lines 1-3 to lines 5-7, edited\n")


def test_no_text_speaks_to_the_terminal() -> None:
    assert "\x1b" not in written("a\n", "\x1b[2Ja\u202e\n")
    assert "[U+001B][2Ja[U+202E]" in written("a\n", "\x1b[2Ja\u202e\n")
