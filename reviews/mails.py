"""E-mail about what concerns people: written here, sent by a job."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext, override

from planmode.access.may import Action, Owned, caller_of, may
from reviews.core.characters import marked
from reviews.core.telling import ASKS, NoticeKind, retry_at
from reviews.models import Approval, Card, Notice, Preferences, Question, Review

logger = logging.getLogger(__name__)

MOST_PEOPLE: Final = 50
"""So many people get their e-mail in one run."""
LEASE: Final = timedelta(minutes=5)
"""So long a run has for one e-mail; then another one may send it."""
LONGEST_ERROR: Final = 300
_THIS_ONE_ONLY: Final = (SMTPRecipientsRefused, SMTPDataError)
"""What the server says of one e-mail; it may well take the next one."""
LONGEST_TITLE: Final = 120
WORDS: Final[dict[NoticeKind, Promise]] = {
    NoticeKind.NEEDED: gettext_lazy("Waits for a decision"),
    NoticeKind.REVISED: gettext_lazy("Revised as you asked"),
    NoticeKind.ASSIGNED: gettext_lazy("Assigned to you"),
    NoticeKind.MENTIONED: gettext_lazy("You were mentioned"),
    NoticeKind.DECIDED: gettext_lazy("Decided on your agent's plan"),
    NoticeKind.EXPIRING: gettext_lazy("Expires soon"),
}
_PAGES: Final[dict[type[Card], str]] = {
    Review: "review",
    Question: "question",
    Approval: "approval",
}


@dataclass(frozen=True, slots=True)
class Line:
    """What an e-mail says of one thing: no word of a plan but its title."""

    why: str
    title: str
    project: str
    url: str


def send_due(now: datetime) -> None:
    """Send what is due: one e-mail a person, whatever it has to tell.

    May run in several places at once: who takes a person's notices leases them, and puts them off
    when the server does not take them. A run that dies between the server's yes and its own note
    sends the same once more, under the same Message-ID.
    """
    waiting = Notice.objects.due(now).order_by("due_at").values_list("person", flat=True)
    for person_id in list(dict.fromkeys(waiting[: MOST_PEOPLE * 4]))[:MOST_PEOPLE]:
        taken = _take(person_id, now)
        if taken and not _sent(taken, now):
            return  # the server is in trouble: the others keep their place


@transaction.atomic
def _take(person_id: int, now: datetime) -> list[Notice]:
    """Lease what the person is due to be told."""
    due = Notice.objects.due(now).filter(person=person_id).order_by("created_at", "pk")
    rows = list(due.select_for_update(skip_locked=True, of=("self",)).select_related("project"))
    ids = [row.pk for row in rows]
    Notice.objects.filter(pk__in=ids).update(due_at=now + LEASE, attempts=F("attempts") + 1)
    return rows


def _sent(taken: Sequence[Notice], now: datetime) -> bool:
    """Send one e-mail about ``taken``; return whether the server can be spoken to."""
    rows = Notice.objects.filter(pk__in=[row.pk for row in taken])
    person = User.objects.select_related("preferences").get(pk=taken[0].person_id)
    try:
        message = _message(person, taken)
        if message is not None:
            message.send()
    except OSError as error:  # smtplib's own errors are of this kind, too
        attempts = max(row.attempts for row in taken) + 1
        why = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_ERROR]
        rows.update(due_at=retry_at(now, attempts), last_error=why)
        name = type(error).__name__
        logger.warning("notices %s were not sent: %s", [row.pk for row in taken], name)
        return isinstance(error, _THIS_ONE_ONLY)
    # What there was no need to send any more is over as well.
    if message is None:
        rows.update(due_at=None)
    else:
        rows.update(sent_at=timezone.now(), last_error="")
    return True


def _message(person: User, taken: Sequence[Notice]) -> EmailMultiAlternatives | None:
    """Return the e-mail, or ``None`` when nothing of it concerns the person any more."""
    with override(Preferences.objects.of(person).language or settings.LANGUAGE_CODE):
        lines = _lines(person, taken)
        if not lines or not person.email or not person.is_active:
            return None
        context = {"lines": lines, "settings_url": _address(reverse("settings-you"))}
        message = EmailMultiAlternatives(
            _subject(lines),
            render_to_string("email/notice.txt", context),
            to=[person.email],
            headers=_headers(taken),
        )
        message.attach_alternative(render_to_string("email/notice.html", context), "text/html")
        return message


def _lines(person: User, taken: Sequence[Notice]) -> list[Line]:
    cards = _cards({notice.card_id for notice in taken})
    caller = caller_of(person)
    found = []
    for notice in taken:
        card = cards.get(notice.card_id)
        if card is None or not may(caller, Action.READ_PLAN, Owned(notice.project_id)):
            continue
        kind = NoticeKind(notice.kind)
        if kind in ASKS and card.status != Card.Status.OPEN:
            continue
        url = _address(reverse(_PAGES[type(card)], args=[card.pk]))
        title = marked(" ".join(card.title.split()))
        found.append(Line(str(WORDS[kind]), _cut(title), notice.project.name, url))
    return found


def _cards(ids: set[UUID]) -> dict[UUID, Card]:
    found: dict[UUID, Card] = {}
    for kind in (Review, Question, Approval):
        found.update(kind.objects.in_bulk(ids))
    return found


def _cut(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


def _subject(lines: Sequence[Line]) -> str:
    if len(lines) == 1:
        return f"{lines[0].why}: {lines[0].title}"
    return ngettext("%(n)d thing concerns you", "%(n)d things concern you", len(lines)) % {
        "n": len(lines)
    }


def _address(path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}"


def _headers(taken: Sequence[Notice]) -> dict[str, str]:
    told = ",".join(str(notice.pk) for notice in taken)
    digest = hashlib.sha256(told.encode()).hexdigest()[:32]
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    return {
        "Message-ID": f"<notices-{digest}@{host}>",
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": f"<{_address(reverse('settings-you'))}>",
    }
