"""Deadlines: what runs out is parked, and never approved."""

import logging
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from planmode import services as planmode
from planmode.access.may import Caller, as_of_now
from planmode.core.errors import NotWaitingError
from reviews.core.decisions import DecisionKind
from reviews.core.errors import NoDeadlineError, ReviewUnknownError
from reviews.models import Card, Review
from reviews.quorum import in_force
from reviews.services.cards import locked
from reviews.services.changes import changed
from reviews.services.deciders import check_decider
from reviews.services.endings import check_open

logger = logging.getLogger(__name__)

MOST_AT_ONCE: Final = 100
"""Reviews that one sweep expires: the next one comes soon."""


def expire_due(now: datetime) -> int:
    """Expire the reviews whose deadline is over by ``now`` (aware); return how many were.

    Each in a transaction of its own, so that one that can't be holds up no other. Whoever else
    sweeps at the same moment expires nothing twice.
    """
    due = Review.objects.filter(deadline_at__lte=now).open().order_by("deadline_at")
    return sum(_expired(pk, now) for pk in due.values_list("pk", flat=True)[:MOST_AT_ONCE])


@transaction.atomic
def _expired(review_id: UUID, now: datetime) -> bool:
    review = locked(Review, review_id, ReviewUnknownError)
    open_ = review.status == Card.Status.OPEN
    if not open_ or review.deadline_at is None or review.deadline_at > now:
        return False
    try:
        planmode.expire_review(review.session_id, str(review.pk))
    except NotWaitingError as error:
        logger.warning("review %s does not expire: %s", review.pk, error)
        return False
    return True


@transaction.atomic
def extend(review_id: UUID, *, by: Caller, seen: datetime | None = None) -> Review:
    """Give a review the policy's hours more, from its deadline or from now, whichever is later.

    Where the policy asks for no deadline any more, the review loses its own. ``seen`` is the
    deadline that the person saw (aware): with another one by now nothing happens, so that two who
    press at once, or one twice, extend once.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not even let them dismiss.
        ReviewClosedError: it was decided, or ended otherwise.
        NoDeadlineError: it does not expire.
    """
    review = locked(Review, review_id, ReviewUnknownError)
    check_decider(review, DecisionKind.DISMISS, as_of_now(by))
    check_open(review)
    before = review.deadline_at
    if before is None:
        raise NoDeadlineError("this review does not expire")
    if seen is not None and seen != before:
        return review
    hours = in_force(review.project_id).rules.deadline_hours
    later = max(before, timezone.now()) + timedelta(hours=hours) if hours else None
    Review.objects.filter(pk=review.pk).update(deadline_at=later)
    data = {
        "by": by.user_id,
        "deadline": later.isoformat() if later else None,
        "deadline_before": before.isoformat(),
    }
    changed(review, "deadline_extended", data)
    return Review.objects.get(pk=review.pk)
