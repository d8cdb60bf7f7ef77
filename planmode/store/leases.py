"""Keeps a turn's lease alive during one long act."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection
from django.db.models.functions import Now

from planmode.models import Claim, Turn

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""How often a claim is looked at: a command runs on for at most that long after a cancellation."""


@contextmanager
def kept(claim: Claim) -> Iterator[threading.Event]:
    """Renew the lease of ``claim`` every third of its time until the block ends.

    A claim that was lost stays lost: the event that the block is given is set, within a second,
    and the block's next write is refused by the fencing number.
    """
    done, lost = threading.Event(), threading.Event()
    keeper = threading.Thread(target=_keep, args=(claim, done, lost), daemon=True, name="lease")
    keeper.start()
    try:
        yield lost
    finally:
        done.set()
        keeper.join()


def _keep(claim: Claim, done: threading.Event, lost: threading.Event) -> None:
    """Look after the claim until ``done``; set ``lost`` when it is void, or its lease ran out."""
    third = settings.LEASE_S / 3
    renewed = time.monotonic()
    try:
        while not done.wait(min(third, LOOK_S)):
            age = time.monotonic() - renewed
            good = _good(claim, renews=age >= third)
            if good and age >= third:
                renewed = time.monotonic()
            if good is False or (good is None and age >= settings.LEASE_S):
                lost.set()
                return
    finally:
        connection.close()


def _good(claim: Claim, *, renews: bool) -> bool | None:
    """Return whether the claim is good, ``None`` when the database does not answer.

    Then it is asked again, over a new connection: this thread's is closed, or it would stay broken.
    """
    held = Turn.objects.held(claim)
    try:
        if not renews:
            return held.exists()
        return bool(held.update(lease_until=Now() + timedelta(seconds=settings.LEASE_S)))
    except DatabaseTrouble as error:
        logger.warning("the lease of turn %s was not renewed: %s", claim.turn_id, error)
        connection.close()
        return None
