"""What can be done with a server, and how it fails."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from planmode.agent.outside.offers import Described, Offer
from planmode.agent.outside.servers import Server


class OutsideError(Exception):
    """A server could not do what it was asked; the text may hold words of the server's own."""


class ToolChangedError(OutsideError):
    """The tool is not the one that was offered any more; nothing was done."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered; text from outside."""

    text: str
    is_error: bool = False


class Door(Protocol):
    """The way to servers; each connection is a new one, and ends with what it was made for."""

    async def described(self, server: Server) -> tuple[Described, ...]:
        """Return the tools of ``server`` as it describes them.

        Raises:
            OutsideError: it can't be reached, breaks the protocol, or takes longer than its time.
        """

    async def called(self, server: Server, offer: Offer, arguments: Mapping[str, Any]) -> Answer:
        """Return what the tool answers, if it still is the one that was offered.

        Raises:
            ToolChangedError: it is not; it was not called.
            OutsideError: as above; the tool may have done a part of its work.
        """
