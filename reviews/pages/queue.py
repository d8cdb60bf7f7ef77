"""The queue: what waits for people or needs them, what was decided."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from planmode import queries
from planmode.access.may import Action, Caller, may_anywhere, visible
from planmode.queries import StoppedRow
from reviews import dashboards, feed
from reviews.dashboards import PAGE_SIZE, Place, Tab
from reviews.pages.frame import DeskRequest, page, require_anywhere


@require_safe
@page
def queue(request: DeskRequest) -> HttpResponse:
    """Show the cards that wait, or those that were decided."""
    return _show(request, "reviews/queue.html")


@require_safe
@page
def rows(request: DeskRequest) -> HttpResponse:
    """Return the list alone, for a page that was told of a change."""
    return _show(request, "reviews/_queue_rows.html")


def _show(request: DeskRequest, template: str) -> HttpResponse:
    require_anywhere(request.caller, Action.READ_TITLE)
    # The cursor first: what happens after it reaches the page by push.
    cursor = feed.head()
    shown = dashboards.queue(request.caller, _tab(request), start=_start(request))
    stopped = _stopped(request.caller) if shown.tab is Tab.OPEN and not _start(request) else []
    context = {
        "queue": shown,
        "stopped": stopped,
        "count": len(shown.rows) + len(stopped),
        "cursor": cursor,
        "hears": may_anywhere(request.caller, Action.HEAR_FEED),
        "first": not _start(request),
    }
    return render(request, template, context)


def _stopped(caller: Caller) -> list[StoppedRow]:
    """Return the sessions that stopped unfinished, those of the person alone: others can't act."""
    if not may_anywhere(caller, Action.POST_MESSAGE):
        return []
    seen = visible(caller, Action.POST_MESSAGE, project="session__project", owner="session__owner")
    return queries.stopped(seen, limit=PAGE_SIZE)


def _tab(request: DeskRequest) -> Tab:
    try:
        return Tab(request.GET.get("tab", Tab.OPEN))
    except ValueError as error:
        raise BadRequest("there is no such list") from error


def _start(request: DeskRequest) -> Place | None:
    text = request.GET.get("start", "")
    try:
        return dashboards.place(text) if text else None
    except ValueError as error:
        raise BadRequest("the list has no such place") from error
