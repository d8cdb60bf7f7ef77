"""What is kept of a command's output."""

from dataclasses import dataclass, field
from typing import Final, Protocol

from planmode.core.wire import clean

MOST_TAKEN: Final = 64 * 1024 * 1024
"""Bytes after which a command that only prints is ended; until then the rest is thrown away."""


class Sink(Protocol):
    """Takes a command's output; ``total`` counts the bytes that came."""

    total: int

    def take(self, chunk: bytes) -> None:
        """Keep what of ``chunk`` is worth it."""


@dataclass(slots=True)
class Kept:
    """The beginning and the end of an output, ``limit`` bytes together at most."""

    limit: int
    total: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def take(self, chunk: bytes) -> None:
        """Take the next bytes."""
        room = self.limit // 2 - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:]
        self.total += len(chunk)
        del self.tail[: -(self.limit - self.limit // 2)]

    @property
    def cut(self) -> bool:
        """Whether something was left out."""
        return self.total > self.limit

    def text(self) -> str:
        """Return what was kept, and between its parts how many bytes were not."""
        left_out = f"\n[… {self.total - self.limit} bytes left out …]\n" if self.cut else ""
        content = bytes(self.head) + left_out.encode() + bytes(self.tail)
        return clean(content.decode("utf-8", "replace"))
