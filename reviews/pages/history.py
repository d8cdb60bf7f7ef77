"""Going back: to an earlier message, or as another session."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planmode import queries
from planmode import services as planmode
from planmode.access.may import Action
from planmode.core.events import MessagePosted
from reviews.pages.frame import DeskRequest, page, require
from reviews.pages.session import readable
from reviews.pages.steering import Act, attempt, number_of


@require_safe
@page
def go_back(request: DeskRequest, session_id: UUID, seq: int) -> HttpResponse:
    """Say what going back to a message would do, before it is done."""
    row = readable(request, session_id)
    require(request.caller, Action.FORK_SESSION, row.owned, Http404)
    found = queries.events(session_id, after=seq - 1, limit=1)
    event = found[0].event if found else None
    if not isinstance(event, MessagePosted):
        raise Http404
    context = {"session": row, "event": event, "seq": seq, "before": seq - 1, "at": found[0].at}
    return render(request, "reviews/go_back.html", context)


@require_POST
@page
def undo(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Take a message back; its text stands in the composer then, to be said otherwise."""
    to = number_of(request, "to")

    def take_back() -> str:
        planmode.undo(session_id, to, by=request.user)
        return f"{reverse('session', args=[session_id])}?again={to}#end"

    act = Act(Action.STEER, take_back)
    return _led(request, session_id, act, _("Taken back. The message can be sent again."))


@require_POST
@page
def fork(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Start a session that begins as this one did, and lead to it."""
    at = number_of(request, "at") if request.POST.get("at") else None

    def copy() -> str:
        return reverse("session", args=[planmode.fork(session_id, at=at, by=request.user)])

    act = Act(Action.FORK_SESSION, copy)
    return _led(request, session_id, act, _("This is the new session. It waits for a message."))


def _led(request: DeskRequest, session_id: UUID, act: Act, said: str) -> HttpResponse:
    """Do ``act``, which returns the address that follows; refusals are shown on the session."""
    address = attempt(request, session_id, act)
    if not isinstance(address, str):
        return address
    messages.success(request, said)
    return HttpResponseRedirect(address)
