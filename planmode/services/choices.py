"""What a person chooses: plan mode, and the permission mode."""

from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User

from planmode import modes
from planmode.core import events as ev
from planmode.core.errors import PermissionModeUnavailableError
from planmode.core.permission import PermissionMode
from planmode.services.steering import steered
from planmode.store.eventlog import Log


class Choice(StrEnum):
    """What became of a choice."""

    NOOP = "noop"  # it is so already, or will be at the next step
    QUEUED = "queued"  # it waits for the agent's next step
    COMMITTED = "committed"  # it holds from now on
    CANCELLED = "cancelled"  # it took back one that waited


def choose_plan_mode(session_id: UUID, *, active: bool, by: User) -> Choice:
    """Turn plan mode on or off, without a decision on any plan.

    While a turn is open the choice waits for its next step, or for its end; so do open reviews,
    which nobody withdraws here.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
    """
    with steered(session_id) as log:
        return want_plan_mode(log, active=active, by=by)


def want_plan_mode(log: Log, *, active: bool, by: User, prompt: str = "") -> Choice:
    """Note the choice in ``log``; ``prompt`` is what a plan that begins now is for."""
    wanted, now = log.state.wanted.active, log.state.plan.active
    if active == (now if wanted is None else wanted):
        return Choice.NOOP
    if wanted is not None:
        log.add(ev.PlanModeRequested(None, by=by.pk))
        return Choice.CANCELLED
    if log.state.turn.open:
        log.add(ev.PlanModeRequested(active, by=by.pk))
        return Choice.QUEUED
    if active:
        log.add(modes.entering(log, by=by.pk, prompt=prompt))
    else:
        log.add(modes.leaving(log, by=by.pk))
    return Choice.COMMITTED


def choose_permission_mode(session_id: UUID, mode: PermissionMode, *, by: User) -> Choice:
    """Choose who has to approve the agent's calls; while a turn is open, from its next step on.

    While planning it is also the mode that comes after.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        PermissionModeUnavailableError: ``auto`` is off in the installation or the project.
    """
    with steered(session_id) as log:
        return want_permission_mode(log, mode, by=by)


def want_permission_mode(log: Log, mode: PermissionMode, *, by: User) -> Choice:
    """Note the choice in ``log``.

    Raises:
        PermissionModeUnavailableError: ``auto`` is off in the installation or the project.
    """
    _check_available(log, mode)
    state = log.state
    # Whoever chooses auto although it is on closes the breaker that keeps it from counting.
    holds = mode is state.permission_mode and not (
        mode is PermissionMode.AUTO and state.breaker.open
    )
    if mode is state.wanted.mode or (holds and state.wanted.mode is None):
        return Choice.NOOP
    if holds:
        log.add(ev.PermissionModeRequested(None, by=by.pk))
        return Choice.CANCELLED
    if state.turn.open:
        log.add(ev.PermissionModeRequested(mode, by=by.pk))
        return Choice.QUEUED
    log.add(ev.PermissionModeChanged(mode, state.permission_mode, by=by.pk))
    return Choice.COMMITTED


def _check_available(log: Log, mode: PermissionMode) -> None:
    if mode is not PermissionMode.AUTO:
        return
    if not settings.AUTO_MODE:
        raise PermissionModeUnavailableError(
            "permission mode auto is off in this installation: choose another, or set AUTO_MODE"
        )
    project = log.session.project
    if not project.allow_auto:
        raise PermissionModeUnavailableError(
            f"permission mode auto is off in project {project}: choose another, or ask an admin"
        )
