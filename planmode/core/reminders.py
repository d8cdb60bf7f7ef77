"""When the model is reminded of plan mode, and with which text."""

from dataclasses import dataclass

from planmode.core.events import ReminderKind
from planmode.core.presets import PlanModeConfig
from planmode.core.state import SessionState, Told

PLAN_MODE = "plan_mode"
"""The variant's name on injected messages."""


@dataclass(frozen=True, slots=True)
class PlanFileView:
    """What a reminder must know of the plan file; ``available`` is false without a plan folder."""

    has_text: bool = False
    available: bool = True


def due_reminder(
    state: SessionState, plan_file: PlanFileView, config: PlanModeConfig
) -> ReminderKind | None:
    """Return the text that is due before the next model call (constant cost), or ``None``.

    Source: the table of reminders in docs/behaviour.md.
    """
    if not state.plan.active:
        return ReminderKind.EXIT if state.told.plan_id is not None else None
    kind = _due_while_planning(state, plan_file, config)
    return kind if plan_file.available or kind is None else _INLINE[kind]


_INLINE = {
    ReminderKind.FULL: ReminderKind.INLINE_FULL,
    ReminderKind.SPARSE: ReminderKind.INLINE_SPARSE,
    ReminderKind.REENTRY: ReminderKind.INLINE_REENTRY,
}


def _due_while_planning(
    state: SessionState, plan_file: PlanFileView, config: PlanModeConfig
) -> ReminderKind | None:
    told = state.told
    if told.plan_id is None:
        return ReminderKind.REENTRY if plan_file.has_text else ReminderKind.FULL
    if _needs_whole_text(told, state.plan.plan_id) or told.since_full >= config.full_after:
        return ReminderKind.FULL
    return ReminderKind.SPARSE if told.since_any >= config.sparse_after else None


def _needs_whole_text(told: Told, plan_id: str | None) -> bool:
    return told.asked or told.plan_id != plan_id
