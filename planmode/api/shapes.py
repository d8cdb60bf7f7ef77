"""Sessions, events and revisions as JSON values."""

from typing import Any

from planmode import queries
from planmode.core import wire
from planmode.core.state import SessionState
from planmode.core.waiting import waiting
from planmode.queries import ModeRow, PlanRow, RevisionRow, SessionRow, TurnRow
from planmode.signals import Logged


def session(row: SessionRow) -> dict[str, Any]:
    """Return a session as the API shows it."""
    state = row.state
    return {
        "id": str(row.id),
        "title": row.title,
        "project": row.project,
        "owner": row.owner,
        "parent": str(row.parent) if row.parent else None,
        "profile": state.profile,
        "children": dict(state.children),
        "workspace": row.workspace,
        "model": row.model,
        "preset": state.preset,
        "permission_mode": _mode(queries.mode(state)),
        "breaker": {
            "open": state.breaker.open,
            "in_row": state.breaker.in_row,
            "total": state.breaker.total,
        },
        "plan_mode": _plan_mode(state),
        "planning": state.plan.active,
        "plan_id": state.plan.plan_id,
        "turn": _turn(row.turn) if row.turn else None,
        "waiting_for": _waiting_for(state),
        "steps": state.turn.steps,
        "tokens": {"input": state.input_tokens, "output": state.output_tokens},
        "seq": row.seq,
        "created_at": row.created_at.isoformat(),
    }


def _mode(row: ModeRow) -> dict[str, Any]:
    return {
        "name": row.name.value,
        "effective": row.effective.value,
        "pending": row.pending.value if row.pending else None,
        "note": row.note or None,
    }


def _plan_mode(state: SessionState) -> dict[str, bool]:
    """Return whether plan mode is on, and whether a choice waits that turns it over."""
    active, wanted = state.plan.active, state.wanted.active
    return {"active": active, "pending": wanted is not None and wanted != active}


def plan(row: PlanRow) -> dict[str, Any]:
    """Return the working plan."""
    return {
        "plan_id": row.plan_id,
        "text": row.content.decode("utf-8", "replace"),
        "sha256": row.sha256,
        "size": len(row.content),
        "edited": row.edited_by is not None,
    }


def _turn(row: TurnRow) -> dict[str, Any]:
    return {
        "number": row.number,
        "state": row.state,
        "reason": row.reason or None,
        "detail": row.detail or None,
        "taken_back": row.taken_back,
    }


def _waiting_for(state: SessionState) -> dict[str, str] | None:
    found = waiting(state)
    return {"kind": found.awaited.value, "id": found.card} if found else None


def event(logged: Logged) -> dict[str, Any]:
    """Return an event with its link in the session's chain."""
    name, data = wire.dumped(logged.event)
    return {
        "seq": logged.seq,
        "at": logged.at.isoformat(),
        "name": name,
        "data": data,
        "hash": logged.hash,
    }


def revision(row: RevisionRow) -> dict[str, Any]:
    """Return what is known of a revision, without its text."""
    return {
        "id": str(row.id),
        "session": str(row.session_id),
        "plan_id": row.plan_id,
        "version": row.version,
        "key": row.key,
        "sha256": row.sha256,
        "size": row.size,
        "title": row.title,
        "created_at": row.created_at.isoformat(),
    }
