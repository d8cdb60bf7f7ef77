"""Wake-ups: after the commit, and never an error for whoever writes."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from planmode import wakeups


@dataclass(slots=True)
class Broker:
    """Takes messages, unless it is down."""

    down: bool = False
    sent: list[tuple[str, list[int], dict[str, Any]]] = field(default_factory=list)

    def send_task(self, name: str, args: list[int], **options: Any) -> None:  # noqa: ANN401 - Celery's
        """Take one message."""
        if self.down:
            raise ConnectionRefusedError("no broker")
        self.sent.append((name, args, options))


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    """The broker of this test."""
    broker = Broker()
    monkeypatch.setattr(wakeups, "current_app", broker)
    return broker


def test_a_wake_up_names_the_turn_and_is_not_retried(broker: Broker) -> None:
    wakeups.publish(7)
    assert broker.sent == [("planmode.tasks.run_slice", [7], {"retry": False, "expires": 20})]


def test_a_broker_that_is_down_is_no_error(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """The row is the queue: the sweeper finds it."""
    broker.down = True
    wakeups.publish(7)
    assert "turn 7 is due, but the broker did not take it: no broker" in caplog.text


@pytest.mark.django_db
def test_nothing_is_published_before_the_commit(
    broker: Broker, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        wakeups.wake(7)
        assert broker.sent == []
    assert len(broker.sent) == 1


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_is_rolled_back_wakes_nobody(broker: Broker) -> None:
    with transaction.atomic():
        wakeups.wake(7)
        transaction.set_rollback(True)
    assert broker.sent == []
