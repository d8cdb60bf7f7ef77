"""The outside tools that there are, the same all through a turn."""

import importlib
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final
from uuid import UUID

from planmode.agent.outside.door import Door, OutsideError
from planmode.agent.outside.loop import loop
from planmode.agent.outside.offers import Listing, Standing, standing, taken
from planmode.agent.outside.servers import Server, ServersInvalidError, configured
from planmode.agent.outside.tool import OutsideTool

logger = logging.getLogger(__name__)

FRESH_S: Final = 300.0
"""Seconds for which a server isn't asked again what it offers."""
RETRY_S: Final = 60.0
"""The same, for one that could not be asked."""
PATIENCE_S: Final = 10.0
"""Seconds that the first step of a turn waits for servers at most."""
MOST_TURNS: Final = 256

_SDK: Final = "planmode.agent.outside.sdk"


def sdk_is_there() -> bool:
    """Return whether the extra that speaks the protocol is installed; imports nothing."""
    return find_spec("mcp") is not None


def open_door(**options: Any) -> Door:  # noqa: ANN401 - SdkDoor's own
    """Return the way to servers.

    Imports the SDK, which takes more than a second: only in a process that has a server to ask.

    Raises:
        OutsideError: it is not installed.
    """
    try:
        sdk = importlib.import_module(_SDK)
    except ImportError as error:
        advice = "the extra mcp is not installed: pip install 'planmode[mcp]'"
        raise OutsideError(f"{advice} ({error})") from None
    door: Door = sdk.SdkDoor(**options)
    return door


@dataclass(slots=True)
class _Shelf:
    """What is known of one server; ``until`` is when it is asked again (monotonic seconds).

    ``asked`` is a question on its way, which nobody waits for any longer than until ``patience``.
    """

    server: Server
    door: Door
    listing: Listing = field(default_factory=Listing)
    until: float = 0.0
    asked: Future[Listing] | None = None
    patience: float = 0.0
    trouble: bool = False


class Toolbox:
    """What the servers of the file offer.

    A server that can't be asked has no tools, and one line in the log when that begins.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        door: Callable[[], Door] = open_door,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Begin with nothing; ``clock`` counts seconds, ``door`` opens the way to servers."""
        self._patience_s = patience_s
        self._clock = clock
        self._open_door = door
        self._lock = threading.Lock()  # never held while somebody waits for a server
        self._shelves: dict[str, _Shelf] = {}
        self._turns: OrderedDict[tuple[UUID, int], tuple[OutsideTool, ...]] = OrderedDict()
        self._said = ""

    def tools(self, session_id: UUID, turn_id: int) -> tuple[OutsideTool, ...]:
        """Return the tools by name, the same ones for one turn as long as this process lives.

        Waits a bounded time for servers that were not asked before, or not for a while.
        """
        turn = (session_id, turn_id)
        with self._lock:
            known = self._turns.get(turn)
            shelves = [] if known is not None else self._asking()
        if known is not None:
            return known
        if asked := [shelf.asked for shelf in shelves if shelf.asked is not None]:
            wait(asked, max(0.0, max(shelf.patience for shelf in shelves) - self._clock()))
        with self._lock:
            return self._turns.setdefault(turn, self._taken(shelves))

    def _asking(self) -> list[_Shelf]:
        """Return a shelf for each server, and ask those again of which too little is known."""
        try:
            servers = configured()
            door = self._open_door() if servers else None
        except (ServersInvalidError, OutsideError) as error:
            if str(error) != self._said:
                logger.error("there are no outside tools: %s", error)  # noqa: TRY400 - no bug of ours
            self._said = str(error)
            return []
        self._said = ""
        return [] if door is None else [self._shelf(server, door) for server in servers]

    def _shelf(self, server: Server, door: Door) -> _Shelf:
        shelf = self._shelves.get(server.name)
        if shelf is None or shelf.server.way != server.way:
            shelf = self._shelves[server.name] = _Shelf(server, door)
        shelf.server = server
        now = self._clock()
        if shelf.asked is None and now >= shelf.until:
            shelf.asked = loop().start(asked(server, door))
            shelf.patience = now + self._patience_s
        return shelf

    def _taken(self, shelves: Iterable[_Shelf]) -> tuple[OutsideTool, ...]:
        """Take in what was answered, and return the tools of now.

        A server that is slow to answer has its old tools until it has.
        """
        for shelf in shelves:
            if shelf.asked is not None and shelf.asked.done():
                self._take(shelf, shelf.asked)
        while len(self._turns) >= MOST_TURNS:
            self._turns.popitem(last=False)
        tools = [
            OutsideTool(shelf.server, offer, shelf.door)
            for shelf in shelves
            for offer in shelf.listing.offers
        ]
        return tuple(sorted(tools, key=lambda tool: tool.name))

    def _take(self, shelf: _Shelf, answered: Future[Listing]) -> None:
        shelf.asked = None
        try:
            shelf.listing = answered.result()
        except Exception as error:  # noqa: BLE001 - whatever it made break costs its own tools alone
            shelf.listing, shelf.until = Listing(), self._clock() + RETRY_S
            if not shelf.trouble:
                logger.warning("outside server %s has no tools now: %s", shelf.server.name, error)
            shelf.trouble = True
        else:
            shelf.trouble, shelf.until = False, self._clock() + FRESH_S
            _report(shelf.server, shelf.listing)


def _report(server: Server, listing: Listing) -> None:
    for reason in listing.refused:
        logger.warning("outside server %s: left out %s", server.name, reason)
    for offer in listing.offers:
        if standing(server, offer) is Standing.CHANGED:
            logger.warning(
                "outside server %s: %s is not what was pinned, so it does not count as read-only",
                server.name,
                offer.name,
            )


async def asked(server: Server, door: Door) -> Listing:
    """Return what the server offers now.

    Raises:
        OutsideError: it can't be asked.
    """
    return taken(server.name, await door.described(server))


_LOCK: Final = threading.Lock()
_BOXES: Final[dict[int, Toolbox]] = {}


def toolbox() -> Toolbox:
    """Return this process's own."""
    with _LOCK:
        if os.getpid() not in _BOXES:
            _BOXES.clear()
            _BOXES[os.getpid()] = Toolbox()
        return _BOXES[os.getpid()]
