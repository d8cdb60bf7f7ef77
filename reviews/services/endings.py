"""How a closed review ended, for who comes too late."""

from datetime import datetime

from django.utils import timezone

from reviews.core.errors import Ending, ReviewClosedError
from reviews.models import Card, Review


def check_open(review: Review) -> None:
    """Return quietly while the review waits.

    Raises:
        ReviewClosedError: it was decided, or ended otherwise.
    """
    if review.status != Card.Status.OPEN:
        raise _closed(review)


def _closed(review: Review) -> ReviewClosedError:
    decision = getattr(review, "decision", None)
    if decision is None:
        ending = Ending(review.status, at=review.closed_at)
    else:
        by = decision.by.get_username() if decision.by else ""
        ending = Ending(review.status, by, decision.outcome, decision.option, decision.at)
    return ReviewClosedError(how_it_ended(review), ending=ending)


def how_it_ended(review: Review) -> str:
    """Return in one sentence how a closed review ended, by whom and when."""
    decision = getattr(review, "decision", None)
    if decision is None:
        return f"this review is closed: {review.status}"
    who = decision.by.get_username() if decision.by else "nobody (automatically)"
    chosen = f", option {decision.option!r}" if decision.option else ""
    return f"decided by {who} at {_moment(decision.at)}: {decision.outcome}{chosen}"


def _moment(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M:%S %Z}"
