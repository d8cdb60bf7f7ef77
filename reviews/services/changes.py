"""Changes of a review that leave it open, told where changes are told."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from reviews import audit, broadcast, feed
from reviews.audit import Fact
from reviews.feed import Change
from reviews.models import Review


def changed(review: Review, kind: str, data: dict[str, Any]) -> None:
    """Give the card its next version, and tell: audit fact first, then the feed.

    In the caller's transaction, behind the session's lock, and last in it.
    """
    Review.objects.filter(pk=review.pk).update(version=F("version") + 1)
    now = timezone.now()
    about = {"review": str(review.pk), "sha256": review.sha256, **data}
    audit.record([Fact(kind, about)], now=now)
    project, owner = review.project_id, review.session.owner_id
    feed.publish([Change("plan_review.changed", project, owner, review.pk, review.version + 1)])
    transaction.on_commit(broadcast.look)
