"""Revisions as an auditor lists them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from planmode import queries
from planmode.access.may import Action, Caller, visible
from planmode.queries import RevisionRow
from reviews.dashboards.cards import state_of, who_answered
from reviews.models import Review

PAGE_SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A revision with the review that it was submitted for (there is always one)."""

    revision: RevisionRow
    review_id: UUID | None
    state: str
    who: str
    closed_at: datetime | None
    own: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """One page of the revisions, newest first; ``more`` is where the next one begins."""

    lines: tuple[AuditLine, ...]
    more: UUID | None


def audit(caller: Caller, *, before: UUID | None = None) -> Audit:
    """Return the revisions that ``caller`` may check."""
    seen = visible(caller, Action.READ_AUDIT, project="session__project", owner="session__owner")
    found = queries.revision_rows(seen, limit=PAGE_SIZE + 1, before=before)
    page = found[:PAGE_SIZE]
    rows = Review.objects.filter(revision_id__in=[row.id for row in page])
    reviews = {row.revision_id: row for row in rows.select_related("decision__by")}
    lines = tuple(_audit_line(row, reviews.get(row.id)) for row in page)
    return Audit(lines, page[-1].id if len(found) > PAGE_SIZE else None)


def _audit_line(revision: RevisionRow, review: Review | None) -> AuditLine:
    if review is None:
        return AuditLine(revision, None, "", "", None, own=False)
    decision = getattr(review, "decision", None)
    return AuditLine(
        revision,
        review.pk,
        state_of(review),
        who_answered(review),
        review.closed_at,
        own=bool(decision and decision.own),
    )
