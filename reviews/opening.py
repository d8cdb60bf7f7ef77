"""What a review is opened with: its risk and its deadline."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from planmode import queries
from planmode.core import events as ev
from reviews.core.anatomy import anatomy
from reviews.quorum import in_force


def columns(event: ev.PlanSubmitted, project_id: int, at: datetime) -> dict[str, Any]:
    """Return the columns of a review that its plan and its project's policy fill."""
    text = queries.revision_bytes(UUID(event.revision)).decode()
    found = anatomy(text, options=len(event.options), read=None)
    hours = in_force(project_id).rules.deadline_hours
    return {
        "risk": found.tier.value,
        "anatomy": found.as_json(),
        "deadline_at": at + timedelta(hours=hours) if hours else None,
    }
