"""The installation's chain of audit facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from planmode.core import wire
from reviews.models import AuditFact
from reviews.ordering import Order, take


@dataclass(frozen=True, slots=True)
class Fact:
    """What happened; ``data`` holds JSON values, people as user ids (names may change)."""

    kind: str
    data: dict[str, Any]


def record(facts: Sequence[Fact], *, now: datetime) -> None:
    """Chain ``facts`` behind the newest one, in the caller's transaction.

    Takes the audit lock: call it late, and before anything that takes the feed's.
    """
    if not facts:
        return
    take(Order.AUDIT)
    newest = AuditFact.objects.order_by("-pk").first()
    previous = newest.hash if newest else wire.NO_HASH
    for fact in facts:
        content = wire.canonical(
            {
                "at": now.isoformat(timespec="microseconds"),
                "data": fact.data,
                "kind": fact.kind,
                "v": wire.VERSION,
            }
        )
        link = wire.link("audit", previous, content)
        AuditFact.objects.create(
            kind=fact.kind, at=now, canonical=content, previous=previous, hash=link
        )
        previous = link
