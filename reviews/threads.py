"""The comments on a plan, as they stand for one of its revisions."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.core.cache import cache

from planmode import queries
from planmode.core import events as ev
from planmode.core.errors import StoredDataError
from reviews.core.anchors import ENGINE, Anchor, Fate, Place, carried
from reviews.core.coverage import Coverage, covered
from reviews.models import Comment, Review

_LOST: Final = Place(Fate.LOST)


class Delivery(StrEnum):
    """How far a comment is on its way."""

    PUBLISHED = "published"
    SENT = "sent"  # decided with, and not yet given to the agent
    DELIVERED = "delivered"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with its replies, at its place in the revision that is shown.

    ``said_on`` is the revision that it was made on; ``coverage`` what later ones did about it.
    """

    comment: Comment
    anchor: Anchor
    place: Place
    replies: tuple[Comment, ...]
    delivery: Delivery
    coverage: Coverage | None
    said_on: int

    @property
    def open(self) -> bool:
        """Whether nobody has resolved it."""
        return self.comment.resolved_at is None

    @property
    def lost(self) -> bool:
        """Whether what it is about is nowhere in the revision that is shown."""
        return self.place.fate is Fate.LOST

    @property
    def addressed(self) -> bool:
        """Whether something was done about it that a person should look at."""
        return self.coverage in {Coverage.CHANGED, Coverage.REPLIED}


def threads(review: Review, *, delivered: bool) -> tuple[Thread, ...]:
    """Return the threads on the plan up to this revision, in the order of the plan.

    ``delivered``: the agent was given the outcome of ``review``.
    """
    rows = Comment.objects.filter(
        review__session_id=review.session_id,
        review__plan_id=review.plan_id,
        review__revision_version__lte=review.revision_version,
    )
    found = list(rows.select_related("author", "review", "resolved_by", "sent_with").order_by("pk"))
    replies: dict[object, list[Comment]] = defaultdict(list)
    for row in found:
        replies[row.parent_id].append(row)
    made = [_thread(row, replies[row.pk], review, delivered=delivered) for row in replies[None]]
    return tuple(sorted(made, key=_order))


def open_threads(review: Review) -> tuple[Thread, ...]:
    """Return the threads that nobody has resolved; they go to the agent with a decision."""
    return tuple(thread for thread in threads(review, delivered=False) if thread.open)


def sent(found: Iterable[Thread]) -> tuple[ev.SentComment, ...]:
    """Return threads as the agent is given them."""
    return tuple(map(_sent, found))


def _order(thread: Thread) -> tuple[bool, bool, bool, int, object]:
    """Return what sorts: lost and open, open, those that block before others, by their place."""
    lost, comment = thread.lost and thread.open, thread.comment
    return not lost, not thread.open, not comment.blocking, thread.place.first, comment.pk


def _thread(
    comment: Comment, replies: Sequence[Comment], review: Review, *, delivered: bool
) -> Thread:
    anchor = Anchor(**comment.anchor)
    later = comment.review_id != review.pk
    place = _place(anchor, comment.review, review) if later else _own(anchor)
    by_agent = any(reply.author_id is None for reply in replies)
    return Thread(
        comment=comment,
        anchor=anchor,
        place=place,
        replies=tuple(replies),
        delivery=_delivery(comment, review, delivered=delivered, answered=by_agent),
        coverage=covered(place.fate, whole=anchor.whole, replied=by_agent, later=later),
        said_on=comment.review.revision_version,
    )


def _own(anchor: Anchor) -> Place:
    return Place(Fate.EXACT, anchor.first, anchor.last)


def _place(anchor: Anchor, made_on: Review, shown: Review) -> Place:
    """Return where the anchor stands now; kept for ever, since revisions never change."""
    if anchor.whole:
        return Place(Fate.EXACT)
    if made_on.sha256 == shown.sha256:
        return _own(anchor)
    digest = hashlib.sha256(repr(anchor).encode("utf-8", "surrogatepass")).hexdigest()
    key = f"place:{ENGINE}:{made_on.sha256}:{shown.sha256}:{digest}"
    place: Place | None = cache.get(key)
    if place is None:
        try:
            old, new = (queries.plan_bytes(row.sha256).decode("utf-8") for row in (made_on, shown))
        except StoredDataError:
            return _LOST  # the comment stays, with its quote
        place = carried(anchor, old, new)
        cache.set(key, place, timeout=None)
    return place


def _delivery(comment: Comment, review: Review, *, delivered: bool, answered: bool) -> Delivery:
    if answered:
        return Delivery.ANSWERED
    if comment.sent_with is None:
        return Delivery.PUBLISHED
    # A revision behind the decision shows that the agent was given it.
    there = delivered or comment.sent_with.review_id != review.pk
    return Delivery.DELIVERED if there else Delivery.SENT


def _sent(thread: Thread) -> ev.SentComment:
    comment, place = thread.comment, thread.place
    return ev.SentComment(
        comment=str(comment.pk),
        author=comment.author.get_username() if comment.author else "",
        text=comment.text,
        kind=comment.kind,
        blocking=comment.blocking,
        first_line=place.first,
        last_line=place.last,
        lost=thread.lost,
        quote=thread.anchor.quote,
        suggestion=comment.suggestion,
        replies=tuple(
            ev.SentReply(reply.author.get_username() if reply.author else "", reply.text)
            for reply in thread.replies
        ),
    )
