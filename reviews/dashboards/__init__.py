"""What the pages show, read from rows: one frozen value for each."""

from reviews.dashboards.cards import (
    SessionReviews,
    acknowledged,
    approval,
    question,
    review,
    reviews_by_call,
    reviews_of_session,
    state_of,
    usernames,
    who_answered,
)
from reviews.dashboards.figures import DAYS, FEWEST, OUTCOMES, Telemetry, telemetry
from reviews.dashboards.lists import PAGE_SIZE, Place, Queue, QueueRow, Tab, place, queue
from reviews.dashboards.projects import managed, people_of, policies_of, project_named
from reviews.dashboards.revisions import Audit, AuditLine, audit

__all__ = [
    "DAYS",
    "FEWEST",
    "OUTCOMES",
    "PAGE_SIZE",
    "Audit",
    "AuditLine",
    "Place",
    "Queue",
    "QueueRow",
    "SessionReviews",
    "Tab",
    "Telemetry",
    "acknowledged",
    "approval",
    "audit",
    "managed",
    "people_of",
    "place",
    "policies_of",
    "project_named",
    "question",
    "queue",
    "review",
    "reviews_by_call",
    "reviews_of_session",
    "state_of",
    "telemetry",
    "usernames",
    "who_answered",
]
