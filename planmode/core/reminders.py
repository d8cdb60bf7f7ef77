"""When the model is reminded of plan mode, and with which text."""

from dataclasses import dataclass

from planmode.core.events import ReminderKind
from planmode.core.presets import Cadence, PlanModeConfig
from planmode.core.state import SessionState, Told


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
    if config.cadence.how == "notice":
        return _notice(state)
    if not state.plan.active:
        return ReminderKind.EXIT if state.told.plan_id is not None else None
    kind = _due_while_planning(state, plan_file, config.cadence)
    return kind if plan_file.available or kind is None else _INLINE[kind]


def approved_plan_due(state: SessionState) -> bool:
    """Return whether the model has to be given the approved plan once more.

    It has it from the review's answer, until that is compacted away.
    """
    approved = state.plan.approved_revision
    return bool(approved) and state.told.approved_revision != approved


def edit_due(state: SessionState) -> bool:
    """Return whether a person wrote into the plan, and the model does not know."""
    return state.plan.active and not state.plan.edit_told


_INLINE = {
    ReminderKind.FULL: ReminderKind.INLINE_FULL,
    ReminderKind.SPARSE: ReminderKind.INLINE_SPARSE,
    ReminderKind.REENTRY: ReminderKind.INLINE_REENTRY,
}


def _notice(state: SessionState) -> ReminderKind | None:
    """Tell that a person changed the mode since the last request, which described the other."""
    plan = state.plan
    if state.told.described in {None, plan.active} or not plan.by_person:
        return None
    return ReminderKind.ENTERED if plan.active else ReminderKind.EXIT


def _due_while_planning(
    state: SessionState, plan_file: PlanFileView, cadence: Cadence
) -> ReminderKind | None:
    told = state.told
    if told.plan_id is None:
        return ReminderKind.REENTRY if plan_file.has_text else ReminderKind.FULL
    if told.lost or told.plan_id != state.plan.plan_id:
        return ReminderKind.FULL
    if cadence.how == "by_distance":
        return _by_distance(told, cadence)
    if cadence.how == "by_person":
        return _by_person(told, cadence)
    return ReminderKind.FULL if told.asked else None


def _by_distance(told: Told, cadence: Cadence) -> ReminderKind | None:
    if told.asked or told.since_full >= cadence.whole_after:
        return ReminderKind.FULL
    return ReminderKind.SPARSE if told.since_any >= cadence.short_after else None


def _by_person(told: Told, cadence: Cadence) -> ReminderKind | None:
    """Give the whole text as number 1, 6, 11 … of the texts, the short one between them."""
    if told.asked < cadence.people_between:
        return None
    return ReminderKind.SPARSE if told.texts % cadence.whole_every else ReminderKind.FULL
