"""Keeps a turn's lease alive during one long act."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from planmode.models import Claim, Turn

logger = logging.getLogger(__name__)


@contextmanager
def kept(claim: Claim) -> Iterator[None]:
    """Renew the lease of ``claim`` every third of its time until the block ends.

    A claim that was lost stays lost: the block's next write is refused by the fencing number.
    """
    done = threading.Event()
    keeper = threading.Thread(target=_renew, args=(claim, done), daemon=True, name="lease")
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()


def _renew(claim: Claim, done: threading.Event) -> None:
    lease = timedelta(seconds=settings.LEASE_S)
    try:
        while not done.wait(settings.LEASE_S / 3):
            try:
                Turn.objects.held(claim).update(lease_until=Now() + lease)
            except DatabaseError as error:
                logger.warning("the lease of turn %s was not renewed: %s", claim.turn_id, error)
    finally:
        connection.close()
