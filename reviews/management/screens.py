"""Two ways to show progress: a live line on a terminal, or plain lines."""

import shutil
from typing import Final, Protocol

_CLEAR: Final = "\r\x1b[K"


class Output(Protocol):
    """A text stream."""

    def write(self, text: str, /) -> object:
        """Write ``text`` as it is."""

    def flush(self) -> None:
        """Let it be seen now."""

    def isatty(self) -> bool:
        """Return whether it is a terminal."""


class Screen(Protocol):
    """Where somebody follows a session."""

    def say(self, line: str, /) -> None:
        """Add a line for good."""

    def show(self, status: str, /) -> None:
        """Say what goes on right now; the next call replaces it."""

    def close(self) -> None:
        """Take the status away."""


class PlainScreen:
    """Lines only, each written out at once: for pipes and logs."""

    def __init__(self, out: Output) -> None:
        """Write to ``out``."""
        self._out = out

    def say(self, line: str, /) -> None:
        """Write ``line``."""
        self._write(f"{line}\n")

    def show(self, status: str, /) -> None:
        """Do nothing: a status that can't be replaced would be a flood."""

    def close(self) -> None:
        """Do nothing."""

    def _write(self, text: str) -> None:
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        self._out.write(text.encode(encoding, "replace").decode(encoding))
        self._out.flush()


class LiveScreen(PlainScreen):
    """Lines, and below them one that changes in place."""

    def __init__(self, out: Output) -> None:
        """Write to the terminal ``out``."""
        super().__init__(out)
        self._status = ""

    def say(self, line: str, /) -> None:
        """Write ``line`` above the status."""
        self._write(f"{_CLEAR}{line}\n{_fitted(self._status)}")

    def show(self, status: str, /) -> None:
        """Replace the status, cut to the terminal's width."""
        if status != self._status:
            self._status = status
            self._write(f"{_CLEAR}{_fitted(status)}")

    def close(self) -> None:
        """Clear the status."""
        self.show("")


def screen_on(out: Output) -> Screen:
    """Return what fits ``out``."""
    return LiveScreen(out) if out.isatty() else PlainScreen(out)


def _fitted(status: str) -> str:
    return status[: shutil.get_terminal_size().columns - 1]
