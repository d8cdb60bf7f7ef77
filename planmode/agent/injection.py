"""What is put before the next model call: reminders."""

import logging
from uuid import UUID

from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core.errors import StoredDataError
from planmode.core.guard import Ground, effective
from planmode.core.permission import PermissionMode
from planmode.core.plansteps import listed
from planmode.core.presets import PlanModeConfig
from planmode.core.reminders import PlanFileView, approved_plan_due, due_reminder, edit_due
from planmode.core.state import SessionState
from planmode.store import revisions
from planmode.store.confined import PathRefusedError
from prompts.library import variant
from prompts.rendering import escaped, reminder, render, render_from

logger = logging.getLogger(__name__)


def before_step(
    state: SessionState, config: PlanModeConfig, reach: Reach, ground: Ground
) -> list[ev.ReminderInjected]:
    """Return the reminders that are due now, in the order in which they are given."""
    due = [
        plan_mode_reminder(state, config, reach, ground),
        _approved_plan(state, config),
        _edited(state, reach),
    ]
    return [given for given in due if given is not None]


def plan_mode_reminder(
    state: SessionState, config: PlanModeConfig, reach: Reach, ground: Ground
) -> ev.ReminderInjected | None:
    """Return the reminder of plan mode that is due now, or ``None``.

    A plan file that can't be read skips the reminder of this step: the tools say what is wrong.
    """
    try:
        has_file = state.plan.active and config.plan_folder != "none"
        plan_file = _plan_file(reach) if has_file else PlanFileView()
    except PathRefusedError as error:
        logger.warning("no reminder in this step: %s", error)
        return None
    kind = due_reminder(state, plan_file, config)
    if kind is None:
        return None
    name = _exit_text(state) if kind is ev.ReminderKind.EXIT else f"reminders/{kind}"
    text = render_from(variant(name, config.workflow), _known(state, config, reach, ground))
    text = reminder(text)
    return ev.ReminderInjected(ev.Variant.PLAN_MODE, kind, text, state.plan.plan_id)


def at_turn_end(
    kind: ev.ReminderKind, state: SessionState, config: PlanModeConfig
) -> ev.ReminderInjected:
    """Return what an agent is told that stopped too early."""
    name = variant(f"reminders/{kind}", config.workflow)
    text = reminder(render_from(name, {"steps": _open_steps(state)}))
    return ev.ReminderInjected(ev.Variant.TURN_END, kind, text, state.plan.plan_id)


def _open_steps(state: SessionState) -> str:
    return escaped(listed(state.plan.open_steps))


def _approved_plan(state: SessionState, config: PlanModeConfig) -> ev.ReminderInjected | None:
    """Give the approved plan again, byte for byte, when the conversation lost it."""
    if not approved_plan_due(state):
        return None
    row = revisions.find(UUID(state.plan.approved_revision))
    try:
        plan = escaped(revisions.content(row).decode("utf-8"))
    except StoredDataError:
        logger.exception("the approved revision %s can't be given again", row.pk)
        plan = render("reminders/approved_plan_damaged")
    known = {
        "version": str(row.version),
        "sha256": row.sha256,
        "steps": _open_steps(state),
        "plan": plan,
    }
    text = render_from(variant("reminders/approved_plan", config.workflow), known)
    return ev.ReminderInjected(
        ev.Variant.PLAN_EXECUTION, ev.ReminderKind.APPROVED_PLAN, reminder(text), row.plan_id
    )


def _edited(state: SessionState, reach: Reach) -> ev.ReminderInjected | None:
    if not edit_due(state):
        return None
    text = reminder(render("reminders/plan_edited", plan_file=reach.plan_path or ""))
    kind = ev.ReminderKind.PLAN_EDITED
    return ev.ReminderInjected(ev.Variant.PLAN_EDITED, kind, text, state.plan.plan_id)


def _plan_file(reach: Reach) -> PlanFileView:
    path = reach.plan_path
    if path is None:
        return PlanFileView(available=False)
    content = reach.read_plan()
    return PlanFileView(has_text=bool(content and content.strip()))


def _known(
    state: SessionState, config: PlanModeConfig, reach: Reach, ground: Ground
) -> dict[str, str]:
    """Return what a reminder of plan mode may tell, made from what is enforced."""
    return {
        "shell_rule": render(f"reminders/{shell_rule(effective(state, ground), ground)}"),
        "plan_file": reach.plan_path or "",
        "exploring": _agents("explorers", config.explorers),
        "designing": _agents("designers", config.designers),
    }


def _agents(name: str, most: int) -> str:
    if not most:
        return render(f"reminders/delegating/{name}_none")
    return render(f"reminders/delegating/{name}", most=str(most))


def _exit_text(state: SessionState) -> str:
    """Return which text says what really happened."""
    if state.plan.approved:
        return "reminders/exit"
    return "reminders/exit_by_person" if state.plan.by_person else "reminders/exit_unapproved"


def shell_rule(mode: PermissionMode, ground: Ground) -> str:
    """Return the name of the text that says what the guard does with Bash while planning."""
    if mode in {PermissionMode.AUTO, PermissionMode.YOLO}:
        return "shell_refused"
    return "shell_asks" if ground.sandbox else "shell_no_sandbox"
