"""The one feed of card changes: numbers that become visible in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Max, Q

from reviews.models import FeedEntry
from reviews.ordering import Order, take


@dataclass(frozen=True, slots=True)
class Change:
    """A card changed, or a session that needs somebody; ``kind`` is a word of the feed.

    Such as ``plan_review.opened``, or ``session.stopped``: then ``card_id`` is the session's.
    """

    kind: str
    project_id: int
    owner_id: int
    card_id: UUID
    version: int


def publish(changes: Sequence[Change]) -> None:
    """Number ``changes``: the last write of its transaction (it takes the feed's lock)."""
    if not changes:
        return
    take(Order.FEED)
    for change in changes:
        FeedEntry.objects.create(
            kind=change.kind,
            project_id=change.project_id,
            owner_id=change.owner_id,
            card_id=change.card_id,
            version=change.version,
        )


def head() -> int:
    """Return the newest cursor, 0 for an empty feed."""
    return FeedEntry.objects.aggregate(newest=Max("pk"))["newest"] or 0


def after(cursor: int, seen: Q, *, limit: int) -> list[FeedEntry]:
    """Return at most ``limit`` entries behind ``cursor`` that match ``seen``, oldest first.

    ``seen`` comes from ``may.visible`` with ``project="project"`` and ``owner="owner"``.
    """
    return list(FeedEntry.objects.filter(seen, pk__gt=cursor).order_by("pk")[:limit])
