"""Says "look" to every web process; losing a message loses nothing, since the rows are there."""

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Final

from channels.layers import get_channel_layer
from django.conf import settings

logger = logging.getLogger(__name__)

GROUP: Final = "look"
"""The channel layer's group that every web process's hub listens to."""
MESSAGE: Final = {"type": "look"}


class _Publisher:
    """Sends into the channel layer from one long-lived loop.

    ``async_to_sync`` would build a loop, and a connection, for each message. Several looks at once
    are one message.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due = False

    def send(self) -> None:
        with self._lock:
            if self._due:
                return
            self._due = True
            loop = self._loop or self._start()
        asyncio.run_coroutine_threadsafe(self._send(), loop)

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = self._loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True, name="broadcast").start()
        return loop

    async def _send(self) -> None:
        with self._lock:
            self._due = False
        layer = get_channel_layer()
        if layer is None:
            return
        try:
            await asyncio.wait_for(layer.group_send(GROUP, MESSAGE), 5)
        except Exception as error:  # noqa: BLE001 - any layer trouble: browsers poll the feed
            logger.warning("the channel layer did not take a look: %s", error)


_publisher = _Publisher()
_listeners: list[Callable[[], None]] = []


def listen(listener: Callable[[], None]) -> None:
    """Call ``listener`` on each look in this process; it must not block."""
    _listeners.append(listener)


def look() -> None:
    """Tell this process's hub, and with Redis every other one, that rows were committed."""
    for listener in tuple(_listeners):
        listener()
    if not settings.EMBEDDED:
        _publisher.send()
