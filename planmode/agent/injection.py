"""What is put before the next model call: reminders."""

import logging

from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core.guard import Ground
from planmode.core.permission import PermissionMode
from planmode.core.presets import PlanModeConfig
from planmode.core.reminders import PLAN_MODE, PlanFileView, due_reminder
from planmode.core.state import SessionState
from planmode.store.confined import PathRefusedError
from prompts.rendering import reminder, render

logger = logging.getLogger(__name__)

_INLINE = frozenset(
    {
        ev.ReminderKind.INLINE_FULL,
        ev.ReminderKind.INLINE_SPARSE,
        ev.ReminderKind.INLINE_REENTRY,
    }
)


def plan_mode_reminder(
    state: SessionState, config: PlanModeConfig, reach: Reach, ground: Ground
) -> ev.ReminderInjected | None:
    """Return the reminder that is due now, or ``None``.

    A plan file that can't be read skips the reminder of this step: the tools say what is wrong.
    """
    try:
        plan_file = _plan_file(reach) if state.plan.active else PlanFileView()
    except PathRefusedError as error:
        logger.warning("no reminder in this step: %s", error)
        return None
    kind = due_reminder(state, plan_file, config)
    if kind is None:
        return None
    text = reminder(_text(kind, state, reach, ground))
    return ev.ReminderInjected(PLAN_MODE, kind, text, state.plan.plan_id)


def _plan_file(reach: Reach) -> PlanFileView:
    path = reach.plan_path
    if path is None:
        return PlanFileView(available=False)
    content = reach.read_plan()
    return PlanFileView(has_text=bool(content and content.strip()))


def _text(kind: ev.ReminderKind, state: SessionState, reach: Reach, ground: Ground) -> str:
    if kind is ev.ReminderKind.EXIT:
        approved = state.plan.approved
        return render("reminders/exit" if approved else "reminders/exit_unapproved")
    rule = render(f"reminders/{shell_rule(state.permission_mode, ground)}").strip()
    if kind in _INLINE:
        return render(f"reminders/{kind}", shell_rule=rule)
    return render(f"reminders/{kind}", shell_rule=rule, plan_file=reach.plan_path or "")


def shell_rule(mode: PermissionMode, ground: Ground) -> str:
    """Return the name of the text that says what the guard does with Bash while planning."""
    if mode in {PermissionMode.AUTO, PermissionMode.YOLO}:
        return "shell_refused"
    return "shell_asks" if ground.sandbox else "shell_no_sandbox"
