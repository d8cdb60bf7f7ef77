"""Keeps a turn's lease alive during one long act."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection
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
    """Look after the claim until ``done``; set ``lost`` when it is void."""
    third = settings.LEASE_S / 3
    renew_at = time.monotonic() + third
    try:
        while not done.wait(min(third, LOOK_S)):
            renews = time.monotonic() >= renew_at
            if not _good(claim, renews=renews):
                lost.set()
                return
            if renews:
                renew_at = time.monotonic() + third
    finally:
        connection.close()


def _good(claim: Claim, *, renews: bool) -> bool:
    """Return whether the claim is good; a database that does not answer is asked again."""
    held = Turn.objects.held(claim)
    try:
        if not renews:
            return held.exists()
        return bool(held.update(lease_until=Now() + timedelta(seconds=settings.LEASE_S)))
    except DatabaseError as error:
        logger.warning("the lease of turn %s was not renewed: %s", claim.turn_id, error)
        return True
