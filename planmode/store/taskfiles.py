"""The folder of one background task: its follower, output and end."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from planmode.core.background import Exit, Identity

SEGMENT: Final = 1024 * 1024
"""Bytes of one file of an output."""
MOST_SEGMENTS: Final = 8
_OUTPUT: Final = "output."
_END: Final = TypeAdapter(Exit)
_WHO: Final = TypeAdapter(Identity)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an output that begins at byte ``start``; ``size`` is the whole, so far."""

    start: int
    content: bytes
    size: int


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """What the process that follows a command writes, and what others ask of it.

    Nothing here needs Django or a database: the one that writes has neither.
    """

    root: Path

    def make(self) -> None:
        """Make the folder.

        Raises:
            OSError: it can't be made.
        """
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def say_who(self, follower: Identity) -> None:
        """Write down which process follows the command."""
        self._write("follower.json", _WHO.dump_json(follower))

    def who(self) -> Identity | None:
        """Return which process follows the command, ``None`` until it has said so."""
        return self._read("follower.json", _WHO)

    def say_end(self, end: Exit) -> None:
        """Write down how the command ended: all of it, or nothing."""
        self._write("end.json", _END.dump_json(end))

    def end(self) -> Exit | None:
        """Return how the command ended, ``None`` until it has."""
        return self._read("end.json", _END)

    def ask_to_stop(self) -> None:
        """Ask the follower, on whichever host it is, to end the command."""
        with suppress(FileNotFoundError):  # the folder is gone, and so is the follower
            (self.root / "stop").touch(mode=0o600)

    def stop_asked(self) -> bool:
        """Return whether somebody wants the command to end."""
        return (self.root / "stop").exists()

    def read(self, offset: int, limit: int) -> Piece:
        """Return at most ``limit`` bytes of output from byte ``offset`` on, or from what is kept.

        Only the newest ``MOST_SEGMENTS`` are: ``start`` says where the piece really begins.
        """
        kept = sorted(self._segments())
        if not kept:
            return Piece(0, b"", 0)
        size = kept[-1] * SEGMENT + self._size(kept[-1])
        start = min(max(offset, kept[0] * SEGMENT), size)
        content, at = b"", start
        while at < size and len(content) < limit:
            chunk = self._chunk(at, limit - len(content))
            if not chunk:
                break
            content, at = content + chunk, at + len(chunk)
        return Piece(start, content, size)

    def drop_output(self) -> None:
        """Throw the output away."""
        for number in self._segments():
            self._segment(number).unlink(missing_ok=True)

    def _segments(self) -> list[int]:
        names = [path.name.removeprefix(_OUTPUT) for path in self.root.glob(f"{_OUTPUT}*")]
        return [int(name) for name in names if name.isdecimal()]

    def _segment(self, number: int) -> Path:
        return self.root / f"{_OUTPUT}{number:06}"

    def _size(self, number: int) -> int:
        try:
            return self._segment(number).stat().st_size
        except FileNotFoundError:
            return 0

    def _chunk(self, at: int, limit: int) -> bytes:
        """Return bytes of the one segment that holds ``at``; none when it is gone by now."""
        try:
            with self._segment(at // SEGMENT).open("rb") as file:
                file.seek(at % SEGMENT)
                return file.read(limit)
        except FileNotFoundError:
            return b""

    def _write(self, name: str, content: bytes) -> None:
        draft = self.root / f"{name}.{os.getpid()}"
        draft.write_bytes(content)
        draft.replace(self.root / name)

    def _read(self, name: str, form: TypeAdapter[T]) -> T | None:
        try:
            return form.validate_json((self.root / name).read_bytes())
        except (OSError, ValidationError):
            return None


@dataclass(slots=True)
class Output:
    """Takes an output and keeps its newest segments; ``total`` counts all bytes that came.

    A full disk loses what comes after, never the command.
    """

    files: TaskFiles
    total: int = 0
    full: bool = False

    def take(self, chunk: bytes) -> None:
        """Keep the next bytes."""
        while chunk:
            room = SEGMENT - self.total % SEGMENT
            if not self.full:
                self._keep(chunk[:room])
            self.total += len(chunk[:room])
            chunk = chunk[room:]

    def _keep(self, piece: bytes) -> None:
        number = self.total // SEGMENT
        oldest = self.files.root / f"{_OUTPUT}{number - MOST_SEGMENTS:06}"
        try:
            oldest.unlink(missing_ok=True)
            with (self.files.root / f"{_OUTPUT}{number:06}").open("ab") as file:
                file.write(piece)
        except OSError:
            self.full = True
