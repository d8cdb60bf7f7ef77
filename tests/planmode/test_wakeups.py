"""Wake-ups: after the commit, without a wait or an error for anybody."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty
from typing import Any, Final

import pytest
from celery import current_app
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from planmode import wakeups

SOON: Final = 20.0
AT_ONCE: Final = 0.2
"""Seconds of the caller's that handing over may take: an attempt at a dead broker takes more."""


class Messages:
    """What came to the broker in this process's memory."""

    def __init__(self) -> None:
        with current_app.connection_for_read() as connection:
            inbox = connection.SimpleQueue(current_app.conf.task_default_queue, no_ack=True)
            with suppress(Empty):
                while True:
                    inbox.get(block=False)  # of other tests
        self.connection = current_app.connection_for_read()
        self.inbox = self.connection.SimpleQueue(current_app.conf.task_default_queue, no_ack=True)

    def next(self) -> Any:  # noqa: ANN401 - kombu's message
        """Return the next message, as soon as it is there."""
        return self.inbox.get(timeout=SOON)

    def next_turn(self) -> int:
        """Return the turn that the next message is about."""
        turn_id: int = self.next().payload[0][0]
        return turn_id


@pytest.fixture
def messages() -> Iterator[Messages]:
    """The messages of this test."""
    wakeups.end()
    messages = Messages()
    yield messages
    messages.connection.release()
    wakeups.end()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A broker that takes connections and never says a word."""
    wakeups.end()
    with socket.create_server(("127.0.0.1", 0), backlog=50) as broker:
        port = broker.getsockname()[1]
        monkeypatch.setenv("CELERY_BROKER_WRITE_URL", f"redis://127.0.0.1:{port}/0")
        yield broker
    wakeups.end()


@pytest.fixture
def refusing(silent: socket.socket) -> None:
    """A broker that is down."""
    silent.close()


def connections(broker: socket.socket) -> int:
    """Return how often somebody came."""
    count = 0
    broker.setblocking(False)  # noqa: FBT003 - the standard library's
    with suppress(BlockingIOError):
        while True:
            broker.accept()[0].close()
            count += 1
    return count


def test_a_wake_up_names_the_turn_and_never_expires(messages: Messages) -> None:
    wakeups.publish(7)
    message = messages.next()
    assert message.headers["task"] == "planmode.tasks.run_slice"
    assert message.payload[0] == [7]
    assert message.headers["expires"] is None


def test_wake_ups_come_in_order(messages: Messages) -> None:
    for turn_id in (1, 2, 3):
        wakeups.publish(turn_id)
    assert [messages.next_turn() for _ in range(3)] == [1, 2, 3]


def test_whoever_ends_has_sent_everything(messages: Messages) -> None:
    for turn_id in range(20):
        wakeups.publish(turn_id)
    wakeups.end()
    assert messages.inbox.qsize() == 20


@pytest.mark.usefixtures("refusing")
def test_a_broker_that_is_down_costs_the_caller_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The row is the queue: the sweeper finds it."""
    began = time.monotonic()
    wakeups.publish(7)
    assert time.monotonic() - began < AT_ONCE
    wakeups.end(SOON)
    assert "the broker does not take wake-ups" in caplog.text


def test_a_silent_broker_costs_the_caller_nothing(silent: socket.socket) -> None:
    began = time.monotonic()
    for turn_id in range(100):
        wakeups.publish(turn_id)
    assert time.monotonic() - began < AT_ONCE
    wakeups.end(SOON)
    assert connections(silent) < 5, "what waited behind the failure was dropped"


@pytest.mark.usefixtures("refusing")
def test_a_refused_sweep_ends_soon(caplog: pytest.LogCaptureFixture) -> None:
    began = time.monotonic()
    assert not wakeups.send(range(100))
    assert time.monotonic() - began < 4 * wakeups.SEND_S
    assert len(caplog.records) == 1


def test_a_sweep_into_silence_stops_at_its_first_failure(silent: socket.socket) -> None:
    began = time.monotonic()
    assert not wakeups.send(range(100))
    assert time.monotonic() - began < 4 * wakeups.SEND_S
    assert connections(silent) == 1


def test_after_a_failure_the_next_is_sent(
    messages: Messages, silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher = wakeups.Publisher()
    publisher.put(7)
    publisher.end(SOON)
    monkeypatch.delenv("CELERY_BROKER_WRITE_URL")
    publisher.put(8)
    assert messages.next_turn() == 8
    publisher.end()


@pytest.mark.usefixtures("silent")
def test_no_more_than_a_bounded_number_waits(caplog: pytest.LogCaptureFixture) -> None:
    publisher = wakeups.Publisher(most_waiting=2)
    for turn_id in range(9):
        publisher.put(turn_id)
    assert "turn 8 is due, but too many wake-ups wait" in caplog.text
    publisher.end(SOON)


@pytest.mark.django_db
def test_nothing_is_published_before_the_commit(
    messages: Messages, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        wakeups.wake(7)
        wakeups.publish(6)
    assert [messages.next_turn() for _ in range(2)] == [6, 7]


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_is_rolled_back_wakes_nobody(messages: Messages) -> None:
    with transaction.atomic():
        wakeups.wake(7)
        transaction.set_rollback(True)
    wakeups.publish(8)
    assert messages.next_turn() == 8
