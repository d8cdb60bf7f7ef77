"""Cards as JSON values."""

from typing import Any

from reviews.api.standing import standing
from reviews.models import Approval, Card, DecisionRecord, Question, Review


def card(row: Card) -> dict[str, Any]:
    """Return what every card shows, managers included: no text of a plan or an answer."""
    return {
        "id": str(row.pk),
        "title": row.title,
        "status": row.status,
        "card_version": row.version,
        "session": str(row.session_id),
        "session_title": row.session.title,
        "project": row.project.name,
        "owner": row.session.owner.get_username(),
        "opened_at": row.opened_at.isoformat(),
        "closed_at": row.closed_at.isoformat() if row.closed_at else None,
    }


def listed(row: Card, *, readable: bool) -> dict[str, Any]:
    """Return a card as lists show it; ``readable`` lets it quote a question or a tool call."""
    shown = {"summary": row.summary if readable else None}
    match row:
        case Review():
            return {**card(row), "version": row.revision_version, "outcome": row.outcome or None}
        case Approval():
            return {**card(row), **shown, "tool": row.tool, "allowed": row.allowed}
        case _:
            return {**card(row), **shown}


def review(row: Review) -> dict[str, Any]:
    """Return a review with its options and its decision, without the plan's text."""
    decision = getattr(row, "decision", None)
    return {
        **listed(row, readable=True),
        "plan_id": row.plan_id,
        "revision": str(row.revision_id),
        "sha256": row.sha256,
        "size": row.size,
        "options": row.options,
        "edited_by": row.edited_by.get_username() if row.edited_by else None,
        **standing(row),
        "decision": _decision(decision) if decision else None,
    }


def _decision(row: DecisionRecord) -> dict[str, Any]:
    return {
        "by": row.by.get_username() if row.by else None,
        "outcome": row.outcome,
        "option": row.option or None,
        "feedback": row.feedback or None,
        "reason": row.reason or None,
        "start": row.start,
        "at": row.at.isoformat(),
        "self_approved": row.own and row.outcome == "approved",
    }


def question(row: Question) -> dict[str, Any]:
    """Return a question with its answers."""
    return {
        **listed(row, readable=True),
        "items": row.items,
        "answers": row.answers,
        "answered_by": row.answered_by.get_username() if row.answered_by else None,
    }


def approval(row: Approval) -> dict[str, Any]:
    """Return a tool approval with its answer; ``arguments`` is the call's JSON text, whole."""
    return {
        **listed(row, readable=True),
        "arguments": row.arguments,
        "note": row.note or None,
        "answered_by": row.answered_by.get_username() if row.answered_by else None,
    }
