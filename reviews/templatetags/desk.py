"""What the pages' templates share: states, times, hashes, navigation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.http import HttpRequest
from django.templatetags.static import static
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from planmode.access.may import Action, caller_of, may_anywhere
from planmode.core.events import ReminderKind
from planmode.core.failures import in_words
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.presets import DEFAULT_PRESET, PRESETS
from reviews.core.characters import marked
from reviews.core.decisions import DecisionKind
from reviews.timeline import LONGEST_TEXT, pretty

register = template.Library()

SHORT_HASH: Final = 12

WORDS: Final[Mapping[str, Promise]] = {
    "waiting": _("Waiting"),
    "approved": _("Approved"),
    "auto_approved": _("Auto-approved"),
    "revise": _("Changes requested"),
    "rejected": _("Rejected"),
    "rejected_and_exited": _("Rejected and exited"),
    "dismissed": _("Dismissed"),
    "superseded": _("Superseded"),
    "expired": _("Expired"),
    "withdrawn": _("Withdrawn"),
    "answered": _("Answered"),
    "allowed": _("Allowed"),
    "refused": _("Refused"),
    "queued": _("Queued"),
    "running": _("Running"),
    "done": _("Done"),
    "stopped": _("Stopped"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
    "taken_back": _("Taken back"),
    "ran": pgettext_lazy("a tool call", "Ran"),
    "error": pgettext_lazy("a tool call", "Error"),
    "denied": pgettext_lazy("a tool call", "Refused by the guard"),
    "invalid": pgettext_lazy("a tool call", "Invalid call"),
    "skipped": pgettext_lazy("a tool call", "Skipped"),
    "lost": pgettext_lazy("a background task", "Lost"),
    "interrupted": pgettext_lazy("a tool call", "Interrupted"),
    "due": pgettext_lazy("a tool call", "Next"),
    "pending": pgettext_lazy("a line of a list", "To do"),
    "in_progress": pgettext_lazy("a line of a list", "In progress"),
    "open": pgettext_lazy("a step of a plan", "Open"),
    "claimed": pgettext_lazy("a step of a plan", "Claimed"),
}
"""Every state has an icon of its name in the sprite, and this word."""

ACTS: Final[Mapping[DecisionKind, Promise]] = {
    DecisionKind.APPROVE: _("Approve"),
    DecisionKind.REVISE: _("Request changes"),
    DecisionKind.REJECT: _("Reject"),
    DecisionKind.REJECT_AND_EXIT: _("Reject and exit"),
    DecisionKind.DISMISS: _("Dismiss"),
}


@dataclass(frozen=True, slots=True)
class Door:
    """An entry of the navigation; ``name`` is its URL's name and its icon's."""

    name: str
    title: Promise


DOORS: Final[Mapping[Action, Door]] = {
    Action.READ_TITLE: Door("queue", _("Queue")),
    Action.READ_PLAN: Door("sessions", _("Sessions")),
    Action.READ_AUDIT: Door("audit", _("Audit")),
    Action.READ_TELEMETRY: Door("telemetry", _("Telemetry")),
}


REMINDERS: Final[Mapping[ReminderKind, Promise]] = {
    ReminderKind.FULL: _("how plan mode works, in full"),
    ReminderKind.SPARSE: _("plan mode is still on"),
    ReminderKind.REENTRY: _("plan mode is on again"),
    ReminderKind.EXIT: _("plan mode is off"),
    ReminderKind.INLINE_FULL: _("how plan mode works without a plan file, in full"),
    ReminderKind.INLINE_SPARSE: _("plan mode is still on, without a plan file"),
    ReminderKind.INLINE_REENTRY: _("plan mode is on again, without a plan file"),
    ReminderKind.ENTERED: _("a person switched plan mode on"),
    ReminderKind.APPROVED_PLAN: _("the approved plan once more"),
    ReminderKind.REVIEWED: _("how the review of its plan ended"),
    ReminderKind.UNSUBMITTED: _("no plan was submitted yet"),
    ReminderKind.OPEN_STEPS: _("steps of the plan are open"),
    ReminderKind.PLAN_EDITED: _("a person edited the plan"),
}
MODES: Final[Mapping[PermissionMode, Promise]] = {
    PermissionMode.MANUAL: _("edits and commands ask"),
    PermissionMode.ACCEPT_EDITS: _("edits run, commands ask"),
    PermissionMode.AUTO: _("runs until too much is refused"),
    PermissionMode.YOLO: _("all runs that is not refused"),
}
PHASES: Final[Mapping[str, Promise]] = {
    "planning": _("Planning"),
    "executing": _("Executing"),
    "idle": _("Idle"),
}
STOPS: Final[Mapping[Outcome, Promise]] = {
    Outcome.APPROVED: _("the plan was approved, the start waits for a message"),
    Outcome.REJECTED: _("the plan was rejected"),
    Outcome.REJECTED_AND_EXITED: _("the plan was rejected and plan mode ended"),
    Outcome.DISMISSED: _("the review was dismissed"),
}
"""Why a turn stopped at a person's word."""


SETTINGS: Final = Door("settings", _("Settings"))


@register.simple_tag(takes_context=True)
def manages(context: Mapping[str, Any]) -> bool:
    """Return whether there is a project that the person may change."""
    return may_anywhere(context["request"].caller, Action.MANAGE_PROJECT)


@register.filter
def is_behind(url_name: str | None, door: str) -> bool:
    """Return whether the page called ``url_name`` lies behind an entry of the navigation."""
    return url_name is not None and (url_name == door or url_name.startswith(f"{door}-"))


@register.simple_tag(takes_context=True)
def navigation(context: Mapping[str, Any]) -> tuple[Door, ...]:
    """Return the pages that the person may open: none for nobody."""
    request = context.get("request")
    if not isinstance(request, HttpRequest) or not hasattr(request, "user"):
        return ()
    caller = getattr(request, "caller", None) or caller_of(request.user)
    if caller is None:
        return ()
    doors = [door for action, door in DOORS.items() if may_anywhere(caller, action)]
    return (*doors, SETTINGS)


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return a drawing that says nothing by itself: a word stands beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        static("icons.svg"),
        name,
    )


@register.simple_tag
def state(name: str) -> SafeString:
    """Return a state as icon, word and colour."""
    return format_html(
        '<span class="state state-{}">{}{}</span>', name, icon(name), WORDS.get(name, name)
    )


@register.filter
def word(name: str) -> str:
    """Return a state's word."""
    return str(WORDS.get(name, name))


@register.filter
def reminder(kind: str) -> str:
    """Return what a reminder says, in few words."""
    return str(REMINDERS[ReminderKind(kind)])


@register.filter
def means(mode: str) -> str:
    """Return what a permission mode lets an agent do, in few words."""
    return str(MODES[PermissionMode(mode)])


@register.filter
def phase_word(phase: str) -> str:
    """Return what a phase is called."""
    return str(PHASES[phase])


@register.filter
def has_plan_file(preset: str) -> bool:
    """Return whether an agent of this preset writes its plan to a file."""
    return PRESETS.get(preset, PRESETS[DEFAULT_PRESET]).plan_folder != "none"


@register.filter
def claimed(steps: Sequence[PlanStep]) -> int:
    """Return how many of the steps are done, as the agent says."""
    return sum(step.status is PlanStepStatus.CLAIMED for step in steps)


@register.filter
def why_stopped(reason: str) -> str:
    """Return in words why a turn ended, or a model call failed."""
    return str(STOPS[Outcome(reason)]) if reason in set(STOPS) else in_words(reason)


@register.filter
def act(kind: str) -> str:
    """Return what a decision is called on its button."""
    return str(ACTS[DecisionKind(kind)])


@register.simple_tag
def moment(at: datetime, *, absolute: bool = False) -> SafeString:
    """Return a time: relative with the exact one on hover, or exact."""
    local = timezone.localtime(at)
    day, clock = f"{local:%Y-%m-%d}", f"{local:%H:%M:%S %Z}"
    if absolute:
        text = format_html("{} {}", _unbroken(day), _unbroken(clock))
    else:
        text = conditional_escape(naturaltime(at))
    return format_html(
        '<time datetime="{}" title="{} {}"{}>{}</time>',
        at.isoformat(),
        day,
        clock,
        "" if absolute else mark_safe(" data-relative"),
        text,
    )


def _unbroken(text: str) -> SafeString:
    return format_html('<span class="nowrap">{}</span>', text)


@register.simple_tag
def sha(value: str) -> SafeString:
    """Return a hash: its first 12 digits, the rest on hover and focus."""
    return format_html(
        '<code class="sha" tabindex="0" title="{}">{}<span class="sha-rest">{}</span></code>',
        value,
        value[:SHORT_HASH],
        value[SHORT_HASH:],
    )


@register.filter
def short_sha(value: str) -> str:
    """Return the first 12 digits of a hash."""
    return value[:SHORT_HASH]


@register.filter
def shown(text: str) -> str:
    """Return ``text`` with every character that hides, or turns others round, made visible.

    A plan that reads otherwise than it is would be approved for what it is not.
    """
    return marked(text)


@register.filter
def line_text(line: str) -> str:
    """Return a line without its end, hidden characters made visible."""
    return marked(line.removesuffix("\n"))


@register.filter
def indent(line: str) -> str:
    """Return the blanks and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


@register.filter
def indented_text(line: str) -> str:
    """Return what stands behind a line's indent, as ``line_text`` shows it."""
    return line_text(line.lstrip(" \t"))


@register.filter
def lacks_end(line: str) -> bool:
    """Return whether a text's last line has no line end."""
    return not line.endswith("\n")


@register.filter
def opening(text: str) -> str:
    """Return as much of ``text`` as the timeline shows."""
    return f"{text[:LONGEST_TEXT]}…" if is_long(text) else text


@register.filter
def is_long(text: str) -> bool:
    """Return whether the timeline shows only the opening of ``text``."""
    return len(text) > LONGEST_TEXT


@register.filter
def arguments(args: str) -> str:
    """Return a call's arguments for reading."""
    return pretty(args)
