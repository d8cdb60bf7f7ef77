"""Who is told of what: each person of each thing once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User

from planmode.access.models import Project
from planmode.core.outcomes import Outcome
from reviews.core.telling import SOON, NoticeKind, Wish, mail_at
from reviews.feed import Change
from reviews.models import (
    Approval,
    Card,
    DecisionRecord,
    Mail,
    Notice,
    Preferences,
    Question,
    Review,
)
from reviews.quorum import seats

_CARDS: Final[dict[str, type[Review] | type[Question] | type[Approval]]] = {
    "plan_review.opened": Review,
    "question.opened": Question,
    "approval.opened": Approval,
}


@dataclass(frozen=True, slots=True)
class News:
    """What there is to tell; ``event`` names it, and nobody is told of the same one twice."""

    kind: NoticeKind
    event: str
    project_id: int
    card_id: UUID


def tell(news: News, people: Iterable[int], *, now: datetime) -> None:
    """Note in the caller's transaction that ``people`` (user ids) are to be told of ``news``.

    Who was told of the event already is not told again. Their e-mail goes when they want it; a
    periodic job sends it, so that no mail server keeps anybody waiting here.
    """
    active = User.objects.filter(pk__in=set(people), is_active=True).select_related("preferences")
    Notice.objects.bulk_create(
        [
            Notice(
                person=person,
                event=news.event,
                kind=news.kind,
                project_id=news.project_id,
                card_id=news.card_id,
                created_at=now,
                due_at=_due_at(person, now),
            )
            for person in active
        ],
        ignore_conflicts=True,
    )


def _due_at(person: User, now: datetime) -> datetime | None:
    """Return when the person gets an e-mail of what happens at ``now``, if they do."""
    row = Preferences.objects.of(person)
    if not settings.EMAIL_HOST or not person.email or row.mail == Mail.OFF:
        return None
    digest = row.digest_minute if row.mail == Mail.DIGEST else None
    return mail_at(now, Wish(row.time_zone, digest, row.quiet_from, row.quiet_to))


def tell_of(changes: Sequence[Change], *, now: datetime) -> None:
    """Tell whom ``changes`` of cards concern, in the transaction that made them."""
    for change in changes:
        if change.kind in _CARDS:
            _opened(change, now)
        elif change.kind == "plan_review.resolved":
            _decided(change, now)


def _opened(change: Change, now: datetime) -> None:
    card = _CARDS[change.kind].objects.open().filter(pk=change.card_id).first()
    if card is None:  # answered in the same breath: permission mode auto
        return
    event, place = f"{card.pk}:opened", (change.project_id, card.pk)
    if isinstance(card, Review):
        tell(News(NoticeKind.REVISED, event, *place), _asked_to_change(card), now=now)
        people = _deciders(card, change.owner_id)
    else:
        people = {*_present(change.project_id), change.owner_id}
    tell(News(NoticeKind.NEEDED, event, *place), people, now=now)


def _decided(change: Change, now: datetime) -> None:
    """Tell the session's owner, unless it was they, or nobody, who decided."""
    record = DecisionRecord.objects.get(review=change.card_id)
    if record.outcome == Outcome.AUTO_APPROVED or record.by_id == change.owner_id:
        return
    news = News(NoticeKind.DECIDED, f"{change.card_id}:decided", change.project_id, change.card_id)
    tell(news, [change.owner_id], now=now)


def tell_of_deadlines(now: datetime) -> None:
    """Tell, once for each deadline, who may decide on reviews that expire soon after ``now``."""
    soon = Review.objects.open().filter(deadline_at__gt=now, deadline_at__lte=now + SOON)
    for review in soon.select_related("session"):
        assert review.deadline_at is not None  # noqa: S101 - the query says so
        event = f"{review.pk}:expiring:{review.deadline_at.isoformat()}"
        news = News(NoticeKind.EXPIRING, event, review.project_id, review.pk)
        tell(news, _deciders(review, review.session.owner_id), now=now)


def _present(project_id: int) -> set[int]:
    """Return who may decide in the project and is there today; deputies are among them."""
    return {seat.person for seat in seats(project_id).values() if not seat.away}


def _deciders(review: Review, owner_id: int) -> set[int]:
    """Return who may decide on a review today."""
    people = _present(review.project_id)
    allowed = Project.objects.filter(pk=review.project_id, allow_self_review=True).exists()
    return people if allowed else people - {owner_id}


def _asked_to_change(review: Card) -> set[int]:
    """Return who sent back an earlier revision of the plan and may still decide on it."""
    assert isinstance(review, Review)  # noqa: S101 - the caller looked
    sent_back = DecisionRecord.objects.filter(
        review__session=review.session_id,
        review__plan_id=review.plan_id,
        outcome=Outcome.REVISE,
    )
    return set(sent_back.values_list("by", flat=True)) & _present(review.project_id)
