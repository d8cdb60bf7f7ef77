"""The working plan in the hands of a person."""

from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from planmode.core import events as ev
from planmode.core.errors import (
    NoPlanFileError,
    NotPlanningError,
    PlanEditConflictError,
    PlanUnderReviewError,
)
from planmode.core.state import CallStatus, SessionState
from planmode.knobs import knobs
from planmode.services.steering import steered
from planmode.store import planfiles, revisions
from planmode.store.eventlog import Log

_WRITERS: Final = frozenset({"Write", "Edit"})
"""Tools that may be about to replace the plan file."""


def edit_plan(session_id: UUID, content: bytes, *, base_sha256: str, by: User) -> str:
    """Replace the working plan that has the hash ``base_sha256``; return the new one's hash.

    The file follows before the agent's next tool runs, the agent is told to read it again, and a
    submission of it says who edited it. Without any change nothing happens. A plan that nobody
    has written yet has the hash of no bytes at all.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        NotPlanningError: plan mode is off.
        NoPlanFileError: the session's preset keeps no plan file.
        PlanTooLargeError: ``content`` is over 1 MiB.
        PlanInvalidError: ``content`` is no UTF-8, or holds a NUL.
        PlanEditConflictError: the plan is another by now, or the agent is writing at this moment.
        PlanUnderReviewError: a person is deciding on it.
    """
    revisions.decoded(content)
    with steered(session_id) as log:
        plan_id, current = _working_plan(log)
        now = revisions.sha256(current)
        if now != base_sha256:
            raise PlanEditConflictError(f"the plan has the sha256 {now} by now", current=now)
        _check_free(log.state, now)
        if content == current:
            return now
        return _write(log, plan_id, content, by)


def clear_plan(session_id: UUID, *, by: User) -> bool:
    """Empty the working plan; return whether there was one. Plan mode stays as it is.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        NoPlanFileError: the session's preset keeps no plan file.
        PlanEditConflictError: the agent is writing at this moment.
        PlanUnderReviewError: a person is deciding on it.
    """
    with steered(session_id) as log:
        return empty_plan(log, by=by)


def empty_plan(log: Log, *, by: User) -> bool:
    """Empty the working plan in ``log``; see ``clear_plan``."""
    if not log.state.plan.active:
        return False
    plan_id, current = _working_plan(log)
    if not current:
        return False
    _check_free(log.state, revisions.sha256(current))
    _write(log, plan_id, b"", by)
    return True


def _working_plan(log: Log) -> tuple[str, bytes]:
    plan = log.state.plan
    if not plan.active or plan.plan_id is None:
        raise NotPlanningError("plan mode is off: there is no plan to edit")
    if knobs(log.state.preset).plan_folder == "none":
        raise NoPlanFileError(
            f"with the preset {log.state.preset} the plan stands in what the agent says: "
            "tell it what to change"
        )
    return plan.plan_id, planfiles.kept(log.session.pk, plan.plan_id) or b""


def _check_free(state: SessionState, now: str) -> None:
    """Refuse while the text is under review, or a tool may be replacing the file.

    The approval of a revision would drop an edit unread; of two writers one would lose the text.
    """
    version = state.plan.under_review
    if version is not None:
        raise PlanUnderReviewError(version)
    calls = state.turn.calls
    if any(c.status is CallStatus.STARTED and c.call.name in _WRITERS for c in calls):
        raise PlanEditConflictError("the agent is writing a file: try again", current=now)


def _write(log: Log, plan_id: str, content: bytes, by: User) -> str:
    sha256 = revisions.sha256(content)
    planfiles.keep(log.session.pk, plan_id, content)
    log.add(ev.PlanFileWritten(plan_id, sha256, len(content), by=by.pk))
    return sha256
