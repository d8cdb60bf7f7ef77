"""All that planmode tells the floors above."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.dispatch import Signal

from planmode.core.events import Event


@dataclass(frozen=True, slots=True)
class Logged:
    """An event as it was written; ``hash`` is its link in the session's chain."""

    seq: int
    at: datetime
    event: Event
    hash: str


@dataclass(frozen=True, slots=True)
class Appended:
    """What one transaction added to one session's log."""

    session_id: UUID
    project_id: int
    owner_id: int
    events: Sequence[Logged]


events_appended = Signal()
"""Sent with ``appended`` inside the transaction, as its last act.

Plain ``send``: a receiver that fails aborts the append, so that a card and its event exist together
or not at all.
"""
