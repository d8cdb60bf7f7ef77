"""What an operator does to a session from its page."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from planmode import services as planmode
from planmode.access.may import Action
from planmode.access.requests import require as require_now
from planmode.core.errors import (
    AttachmentRefusedError,
    CommandInvalidError,
    DomainError,
    ForkRefusedError,
    MessageInvalidError,
)
from planmode.core.permission import PermissionMode
from planmode.services import Choice, NewAttachment
from reviews.pages.frame import REFUSED, UNKNOWN, DeskRequest, page, text_of
from reviews.pages.session import Typed, readable, show

INVALID: Final = (
    AttachmentRefusedError,
    CommandInvalidError,
    ForkRefusedError,
    MessageInvalidError,
)
PLAN_MODE: Final[dict[tuple[bool, Choice], Promise]] = {
    (True, Choice.NOOP): gettext_lazy("Plan mode is on already, or will be at the next step."),
    (True, Choice.QUEUED): gettext_lazy("Plan mode begins at the agent's next step."),
    (True, Choice.COMMITTED): gettext_lazy("Plan mode is on."),
    (True, Choice.CANCELLED): gettext_lazy("Plan mode stays on."),
    (False, Choice.NOOP): gettext_lazy("Plan mode is off already, or will be at the next step."),
    (False, Choice.QUEUED): gettext_lazy("Plan mode ends at the agent's next step."),
    (False, Choice.COMMITTED): gettext_lazy("Plan mode is off."),
    (False, Choice.CANCELLED): gettext_lazy("Plan mode does not begin."),
}
"""What became of a choice of plan mode (on or off), in words."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something to do to a session: ``do`` returns what became of it, in words.

    ``waits``: it takes a while and locks no session, so no transaction may be open meanwhile.
    """

    action: Action
    do: Callable[[], str]
    waits: bool = False


@require_POST
@page
def say(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Do what was typed, a message or a command; what can't be taken comes back as it was typed."""
    text = text_of(request, "text")
    files = _files(request)
    try:
        action = planmode.action_of(text, attachments=len(files))
    except CommandInvalidError as error:
        return show(request, session_id, Typed(text, str(error), status=422))

    def run() -> str:
        return planmode.run_command(session_id, text, files, by=request.user).said

    return done(request, session_id, Act(action, run), text=text)


@require_POST
@page
def cancel(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """End the open turn."""

    def end() -> str:
        planmode.cancel_turn(session_id)
        return _("The agent was interrupted.")

    return done(request, session_id, Act(Action.CANCEL_TURN, end))


@require_POST
@page
def retry(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Let the agent go on after a turn that ended too early."""

    def try_again() -> str:
        planmode.retry_turn(session_id, by=request.user)
        return _("The agent goes on where it stopped.")

    return done(request, session_id, Act(Action.POST_MESSAGE, try_again))


@require_POST
@page
def choose_plan_mode(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Turn plan mode on or off; the opposite of a choice that waits takes it back."""
    active = {"yes": True, "no": False}.get(request.POST.get("active", ""))
    if active is None:
        raise BadRequest("plan mode is on or off")

    def choose() -> str:
        became = planmode.choose_plan_mode(session_id, active=active, by=request.user)
        return str(PLAN_MODE[active, became])

    return done(request, session_id, Act(Action.STEER, choose))


@require_POST
@page
def choose_permission_mode(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Choose who has to approve the agent's calls."""
    try:
        mode = PermissionMode(request.POST.get("mode", ""))
    except ValueError as error:
        raise BadRequest("there is no such permission mode") from error

    def choose() -> str:
        became = planmode.choose_permission_mode(session_id, mode, by=request.user)
        return _mode_in_words(mode, became)

    return done(request, session_id, Act(Action.STEER, choose))


def _mode_in_words(mode: PermissionMode, became: Choice) -> str:
    match became:
        case Choice.QUEUED:
            return _("The permission mode is %(mode)s from the agent's next step on.") % {
                "mode": mode
            }
        case Choice.CANCELLED:
            return _("The permission mode stays %(mode)s.") % {"mode": mode}
        case _:
            return _("The permission mode is %(mode)s.") % {"mode": mode}


@require_POST
@page
def clear_plan(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Empty the working plan."""

    def clear() -> str:
        cleared = planmode.clear_plan(session_id, by=request.user)
        return _("The plan is empty now.") if cleared else _("There was no plan to clear.")

    return done(request, session_id, Act(Action.STEER, clear))


@require_POST
@page
def stop_task(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """End a background task."""
    number = number_of(request, "number")

    def stop() -> str:
        if planmode.stop_task(session_id, number):
            return _("Background task %(number)s has ended.") % {"number": number}
        return _("Background task %(number)s is about to end.") % {"number": number}

    return done(request, session_id, Act(Action.CANCEL_TURN, stop, waits=True))


@require_POST
@page
def delete_schedule(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """End a schedule."""
    number = number_of(request, "number")

    def delete() -> str:
        planmode.delete_schedule(session_id, number)
        return _("Schedule %(number)s is deleted.") % {"number": number}

    return done(request, session_id, Act(Action.CANCEL_TURN, delete))


def done(request: DeskRequest, session_id: UUID, act: Act, *, text: str = "") -> HttpResponse:
    """Do ``act`` and lead back to the session, which says what became of it.

    A refusal is shown there at once, with the ``text`` that was typed.
    """
    said = attempt(request, session_id, act, text=text)
    if not isinstance(said, str):
        return said
    messages.success(request, said)
    return HttpResponseRedirect(f"{reverse('session', args=[session_id])}#end")


def attempt(
    request: DeskRequest, session_id: UUID, act: Act, *, text: str = ""
) -> str | HttpResponse:
    """Return what ``act`` returns, or the session's page with why it was refused.

    One transaction holds the act and the look at what the person may, unless the act waits.

    Raises:
        SessionUnknownError: there is no such session for them.
    """
    try:
        with nullcontext() if act.waits else transaction.atomic():
            require_now(request, act.action, readable(request, session_id).owned)
            return act.do()
    except UNKNOWN:
        raise
    except REFUSED as error:
        return show(request, session_id, Typed(text, str(error), status=403))
    except DomainError as error:
        status = 422 if isinstance(error, INVALID) else 409
        return show(request, session_id, Typed(text, str(error), status=status))


def number_of(request: DeskRequest, name: str) -> int:
    """Return a number that a form sends.

    Raises:
        BadRequest: it is none.
    """
    text = request.POST.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < len(str(10**15))):
        raise BadRequest("the form has no such number")
    return int(text)


def _files(request: DeskRequest) -> Sequence[NewAttachment]:
    """Return the files that came with the form, in their order."""
    return [
        NewAttachment(file.name or "", file.read(), file.content_type or "")
        for file in request.FILES.getlist("files")
    ]
