"""Fixtures of the agent's tests."""

import pytest

from planmode.agent import turn
from tests.listener import Listener, reply


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    """The model of every session in this test."""
    model = Listener([reply("One."), reply("Two.")])
    monkeypatch.setattr(turn, "open_model", lambda _: model)
    return model
