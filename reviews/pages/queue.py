"""The queue: what waits for a person, and what was decided."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from planmode.access.may import Action, may_anywhere
from reviews import dashboards, feed
from reviews.dashboards import Place, Tab
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
    hears = may_anywhere(request.caller, Action.HEAR_FEED)
    context = {"queue": shown, "cursor": cursor, "hears": hears, "first": not _start(request)}
    return render(request, template, context)


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
