"""Plan mode on and off, and the permission mode that comes back."""

import logging
import secrets
from pathlib import Path, PurePosixPath

from django.conf import settings

from planmode.core import events as ev
from planmode.core import slugs
from planmode.core.permission import PermissionMode, restored
from planmode.core.state import SessionState
from planmode.knobs import knobs
from planmode.store import eventlog, planfiles
from planmode.store.confined import PathRefusedError
from planmode.store.eventlog import Log

logger = logging.getLogger(__name__)


def entering(
    log: Log, *, plan_id: str = "", by: int | None = None, prompt: str = ""
) -> ev.PlanModeEntered:
    """Return the event that turns plan mode on: the only place where one is made.

    Whatever the way in, the permission mode is kept to be restored. ``prompt`` is what the plan is
    for, if that is not what somebody said last. Where plan files lie in a folder of the project,
    the plan's file is made there, empty.

    Raises:
        PlanInvalidError: ``plan_id`` is no plan id.
    """
    state = log.state
    wanted = slugs.checked(plan_id or new_plan_id(state, prompt or _last_said(log)))
    own_id, folder = _placed(log, wanted)
    return ev.PlanModeEntered(own_id, previous_mode=state.permission_mode, folder=folder, by=by)


def leaving(log: Log, *, by: int) -> ev.PlanModeCancelled:
    """Return the event that turns plan mode off without a decision."""
    plan = log.state.plan
    mode, note = mode_after_planning(log)
    return ev.PlanModeCancelled(plan.plan_id or "", mode, note=note, by=by)


def mode_after_planning(log: Log) -> tuple[PermissionMode, str]:
    """Return the permission mode that comes back now, and why when it is another one."""
    return restored(
        log.state.plan.previous_mode,
        allow_auto=log.session.project.allow_auto and settings.AUTO_MODE,
        breaker=log.state.breaker,
    )


def take_up(log: Log) -> None:
    """Make the pending choices true, the mode first: plan mode keeps, or restores, the new one."""
    wanted, plan = log.state.wanted, log.state.plan
    if wanted.mode is not None:
        previous = log.state.permission_mode
        log.add(ev.PermissionModeChanged(wanted.mode, previous, by=wanted.by))
    match wanted.active, plan.active:
        case True, False:
            log.add(entering(log, by=wanted.by))
        case False, True:
            log.add(leaving(log, by=wanted.by))
        case None, _:
            pass
        case _:  # it has become true by another way meanwhile
            log.add(ev.PlanModeRequested(None, by=wanted.by))


def new_plan_id(state: SessionState, prompt: str = "") -> str:
    """Return a plan id that the session has not used, for a plan of what ``prompt`` asks for."""
    if prompt and knobs(state.preset).slug == "prompt":
        return slugs.prompt_plan_id(prompt, secrets.choice, state.plan.ids)
    return slugs.plan_id(secrets.choice, state.plan.ids)


def _last_said(log: Log) -> str:
    message = eventlog.find_last(log.session.pk, ev.MessagePosted)
    return message.text if message else ""


def _placed(log: Log, plan_id: str) -> tuple[str, str]:
    """Return the plan's id, and the folder below the workspace where its file was made.

    A folder that can't be used, or leads outside, leaves the plan to the session's own folder.
    """
    if knobs(log.state.preset).plan_folder != "project":
        return plan_id, ""
    below = log.session.project.plan_folder or settings.PLANS_DIRECTORY
    try:
        workspace = Path(log.session.workspace)
        own_id = planfiles.reserve(workspace, below, plan_id, log.state.plan.ids)
    except PathRefusedError as error:
        logger.warning("session %s keeps its plan itself: %s", log.session.pk, error)
        return plan_id, ""
    return own_id, str(PurePosixPath(below))
