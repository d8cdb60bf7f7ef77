"""Tells workers that a turn is due."""

import logging
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import transaction

logger = logging.getLogger(__name__)


def wake(turn_id: int) -> None:
    """Publish, once this transaction is committed, that the turn is due."""
    transaction.on_commit(partial(publish, turn_id))


def publish(turn_id: int) -> None:
    """Tell a worker now: half a second at most, no retry, never an error for the caller.

    By name: nothing below the tasks imports them. A message that no worker took within two sweeps
    is dropped: the sweeper has sent another, and a backlog shall not pile up in the broker.
    """
    expires = settings.SWEEP_S * 2
    try:
        current_app.send_task(
            "planmode.tasks.run_slice", args=[turn_id], retry=False, expires=expires
        )
    except Exception as error:  # noqa: BLE001 - any broker trouble; the sweeper finds the row
        logger.warning("turn %s is due, but the broker did not take it: %s", turn_id, error)
