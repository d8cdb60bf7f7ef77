"""Saying "look", here and elsewhere."""

import asyncio
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer
from pytest_django import Settings

from reviews import broadcast


@dataclass(slots=True)
class Layer:
    """A channel layer that takes what is sent, unless it is down."""

    down: bool = False
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    tried: threading.Event = field(default_factory=threading.Event)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Take one message."""
        try:
            if self.down:
                raise ConnectionRefusedError("no layer")
            self.sent.append((group, message))
        finally:
            self.tried.set()


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Layer:
    """The channel layer of this test, in the shape with several processes."""
    settings.EMBEDDED = False
    layer = Layer()
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: layer)
    return layer


def test_this_process_is_told_at_once(settings: Settings) -> None:
    looks: list[str] = []
    with broadcast.listening(lambda: looks.append("look")):
        broadcast.look()
        broadcast.look()
    broadcast.look()
    assert looks == ["look", "look"]


def test_other_processes_are_told_by_the_layer(layer: Layer) -> None:
    broadcast.look()
    assert layer.tried.wait(30)
    assert layer.sent == [("look", {"type": "look"})]


def test_one_process_alone_needs_no_layer(layer: Layer, settings: Settings) -> None:
    settings.EMBEDDED = True
    broadcast.look()
    assert not layer.tried.is_set()


def test_a_layer_that_is_down_is_no_error(layer: Layer, caplog: pytest.LogCaptureFixture) -> None:
    layer.down = True
    broadcast.look()
    assert layer.tried.wait(30)
    layer.tried.clear()
    layer.down = False
    broadcast.look()
    assert layer.tried.wait(30)
    assert "the channel layer did not take a look: no layer" in caplog.text


async def test_a_look_of_another_process_reaches_the_listener(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = InMemoryChannelLayer()
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: shared)
    looks: asyncio.Queue[str] = asyncio.Queue()
    relay = asyncio.create_task(broadcast.relay(lambda: looks.put_nowait("look")))
    try:
        await asyncio.wait_for(looks.get(), 30)
        await shared.group_send(broadcast.GROUP, broadcast.MESSAGE)
        assert await asyncio.wait_for(looks.get(), 30) == "look"
    finally:
        relay.cancel()
        await asyncio.gather(relay, return_exceptions=True)
    assert shared.groups == {}


async def test_a_layer_out_of_reach_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shared = InMemoryChannelLayer()
    layers = iter([Unreachable(), shared])
    monkeypatch.setattr(broadcast, "get_channel_layer", lambda: next(layers))
    monkeypatch.setattr(broadcast, "RETRY_S", 0)
    looks: asyncio.Queue[str] = asyncio.Queue()
    relay = asyncio.create_task(broadcast.relay(lambda: looks.put_nowait("look")))
    try:
        assert await asyncio.wait_for(looks.get(), 30) == "look"
    finally:
        relay.cancel()
        await asyncio.gather(relay, return_exceptions=True)
    assert "out of reach, trying on" in caplog.text


class Unreachable:
    """A layer that gives no channel."""

    async def new_channel(self) -> str:
        """Refuse."""
        raise ConnectionRefusedError("no layer")
