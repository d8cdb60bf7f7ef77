"""Progress on a terminal and in a file."""

import io

import pytest

from reviews.management.screens import LiveScreen, PlainScreen, screen_on


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_one_changing_line() -> None:
    out = Terminal()
    screen = screen_on(out)
    screen.show("step 1")
    screen.show("step 1")
    screen.say("Read a.py")
    screen.close()
    clear = "\r\x1b[K"
    assert out.getvalue() == f"{clear}step 1{clear}Read a.py\nstep 1{clear}"


def test_a_status_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    out = Terminal()
    LiveScreen(out).show("a" * 50)
    assert out.getvalue().count("a") == 19


def test_a_pipe_gets_plain_lines() -> None:
    out = io.StringIO()
    screen = screen_on(out)
    screen.show("step 1")
    screen.say("Read a.py")
    screen.close()
    assert out.getvalue() == "Read a.py\n"


def test_what_a_stream_can_not_write_becomes_a_question_mark() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    PlainScreen(out).say("step 1 · café")
    assert raw.getvalue() == b"step 1 ? caf?\n"
