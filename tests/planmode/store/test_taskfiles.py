"""A background task's folder: written by one process, read by others."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planmode.core.background import EndReason, Exit, Identity, Place
from planmode.store import taskfiles
from planmode.store.taskfiles import MOST_SEGMENTS, SEGMENT, Output, Piece, TaskFiles

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
WHO = Identity(Place("alpha", "boot pid"), 7, 100)


@pytest.fixture
def files(tmp_path: Path) -> TaskFiles:
    found = TaskFiles(tmp_path / "sessions/s1/tasks/1")
    found.make()
    return found


@pytest.mark.parametrize(
    "end", [Exit(0, None, 12, AT), Exit(None, EndReason.TIME, 0, AT), Exit(130, None, 2**40, AT)]
)
def test_an_end_is_read_as_it_was_written(files: TaskFiles, end: Exit) -> None:
    assert files.end() is None
    files.say_end(end)
    assert files.end() == end
    assert [path.name for path in files.root.iterdir()] == ["end.json"], "no draft is left"


def test_who_follows_is_read_as_it_was_written(files: TaskFiles) -> None:
    assert files.who() is None
    files.say_who(WHO)
    assert files.who() == WHO


@pytest.mark.parametrize("content", [b"", b"{", b'{"exit_code": "zero"}', b"[1, 2]", b"\xff"])
def test_a_damaged_file_tells_nothing(files: TaskFiles, content: bytes) -> None:
    (files.root / "end.json").write_bytes(content)
    (files.root / "follower.json").write_bytes(content)
    assert files.end() is None
    assert files.who() is None


def test_a_folder_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    gone = TaskFiles(tmp_path / "gone")
    gone.ask_to_stop()
    assert not gone.stop_asked()
    assert gone.end() is None
    assert gone.read(5, 10) == Piece(0, b"", 0)


def test_nobody_else_reads_it(files: TaskFiles) -> None:
    assert files.root.stat().st_mode & 0o077 == 0


def test_a_stop_is_asked_for_by_a_file(files: TaskFiles) -> None:
    files.ask_to_stop()
    files.ask_to_stop()
    assert files.stop_asked()


def test_output_is_read_from_an_offset(files: TaskFiles) -> None:
    output = Output(files)
    output.take(b"hello ")
    output.take(b"world")
    assert output.total == 11
    assert files.read(0, 100) == Piece(0, b"hello world", 11)
    assert files.read(6, 3) == Piece(6, b"wor", 11)
    assert files.read(11, 100) == Piece(11, b"", 11)
    assert files.read(99, 100) == Piece(11, b"", 11)


def test_the_newest_segments_are_kept(files: TaskFiles) -> None:
    output, mebibyte = Output(files), bytes(SEGMENT)
    for _ in range(MOST_SEGMENTS):
        output.take(mebibyte)
    assert files.read(0, 1).start == 0
    output.take(b"end")
    size = MOST_SEGMENTS * SEGMENT + 3
    assert files.read(0, 1) == Piece(SEGMENT, b"\0", size)
    assert files.read(size - 5, 10) == Piece(size - 5, b"\0\0end", size)
    files.drop_output()
    assert files.read(0, 10) == Piece(0, b"", 0)


def test_a_full_disk_loses_output_and_nothing_else(tmp_path: Path) -> None:
    output = Output(TaskFiles(tmp_path / "gone"))
    output.take(b"lost")
    output.take(b"too")
    assert (output.full, output.total) == (True, 7)


def test_a_segment_that_goes_while_it_is_read_ends_the_piece(
    files: TaskFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    Output(files).take(b"hello")
    (files.root / "output.000000").rename(files.root / "hidden")
    monkeypatch.setattr(TaskFiles, "_segments", lambda _: [0, 1])
    assert files.read(0, 10) == Piece(0, b"", SEGMENT)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=20)), st.integers(0, 60), st.integers(1, 60))
def test_any_piece_is_that_part_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes], offset: int, limit: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(taskfiles, "SEGMENT", 8)
        files = TaskFiles(tmp_path_factory.mktemp("task"))
        output, whole = Output(files), b"".join(chunks)
        for chunk in chunks:
            output.take(chunk)
        piece = files.read(offset, limit)
    assert piece.size == output.total == len(whole)
    assert piece.content == whole[piece.start : piece.start + limit]
    kept = max(0, (max(len(whole), 1) - 1) // 8 - MOST_SEGMENTS + 1) * 8
    assert piece.start == min(max(offset, kept), len(whole))
