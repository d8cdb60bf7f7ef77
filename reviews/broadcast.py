"""Says "look" to every web process."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from channels.layers import get_channel_layer
from django.conf import settings

logger = logging.getLogger(__name__)

GROUP: Final = "look"
"""The channel layer's group that every web process's hub listens to."""
MESSAGE: Final = {"type": "look"}
SEND_S: Final = 5.0
RETRY_S: Final = 1.0


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
            await asyncio.wait_for(layer.group_send(GROUP, MESSAGE), SEND_S)
        except Exception as error:  # noqa: BLE001 - any layer trouble: every hub polls the feed
            logger.warning("the channel layer did not take a look: %s", error)


_publisher = _Publisher()
_listeners: list[Callable[[], None]] = []


@contextmanager
def listening(listener: Callable[[], None]) -> Iterator[None]:
    """Call ``listener`` on each look in this process until the block ends.

    It is called from any thread, in the middle of what that one does: it must not block or raise.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


async def relay(listener: Callable[[], None]) -> None:
    """Call ``listener`` on each look of another process, for ever: one subscription of the layer.

    While the layer is out of reach nothing comes, and it is tried again each second.
    """
    while True:
        try:
            await _relay(listener)
        except Exception as error:  # noqa: BLE001 - any layer trouble: the hub polls the feed
            logger.warning("the channel layer is out of reach, trying on: %s", error)
        await asyncio.sleep(RETRY_S)


async def _relay(listener: Callable[[], None]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    channel = await layer.new_channel()
    try:
        await layer.group_add(GROUP, channel)
        listener()  # what was said before the subscription stood
        while True:
            await layer.receive(channel)
            listener()
    finally:
        await layer.group_discard(GROUP, channel)


def look() -> None:
    """Tell this process's hub, and with Redis every other one, that rows were committed."""
    for listener in tuple(_listeners):
        listener()
    if not settings.EMBEDDED:
        _publisher.send()
