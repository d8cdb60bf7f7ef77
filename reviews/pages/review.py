"""The review page: the plan, what changed, and where it stands."""

from typing import Final
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from planmode.access.may import Action, may_anywhere
from planmode.access.requests import caller as caller_now
from planmode.core.errors import StoredDataError
from reviews import dashboards, feed, services
from reviews.core.decisions import DecisionKind
from reviews.core.errors import ReviewUnknownError
from reviews.models import Review
from reviews.pages.desk import desk
from reviews.pages.frame import DeskRequest, page, require
from reviews.pages.plan import View, plan_view, text_of_plan, view_of
from reviews.pages.remarks import RemarkForm, remarks
from reviews.pages.sheets import Sheet, asked_sheet
from reviews.services import owned

_BLOCKS_AT_ONCE: Final = 500


@require_safe
@page
def review(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Show a review; ``decide`` names the sheet that is open (without a script)."""
    return show(request, review_id, sheet=asked_sheet(request), status=200)


@require_safe
@page
def state(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Return the parts that others can change, for a page that was told of a change."""
    card = _readable(request, review_id)
    stands = desk(card, request.caller, damaged=text_of_plan(card) is None)
    context = {
        "desk": stands,
        "remarks": remarks(request, card, request.caller, stands, form=None),
        "view": view_of(request) or View.CLEAN,
    }
    return render(request, "reviews/_review_state.html", context)


def show(
    request: DeskRequest,
    review_id: UUID,
    *,
    sheet: Sheet | None,
    remark: RemarkForm | None = None,
    status: int,
) -> HttpResponse:
    """Return the page of a review, with a sheet or a remark that is open if there is one.

    Raises:
        ReviewUnknownError: no such review that the person may see.
        NotAllowedError: they may see its title only.
    """
    cursor = feed.head()  # first: what happens after it reaches the page by push
    card = _readable(request, review_id)
    text = text_of_plan(card)
    stands = desk(card, request.caller, damaged=text is None)
    plan = None if text is None else plan_view(request, card, text, others=stands.others)
    context = {
        "desk": stands,
        "plan": plan,
        "view": plan.view if plan else view_of(request) or View.CLEAN,
        "remarks": remarks(request, card, request.caller, stands, form=remark),
        "sheet": sheet,
        "kinds": tuple(DecisionKind),
        "cursor": cursor,
        "hears": may_anywhere(request.caller, Action.HEAR_FEED),
    }
    services.visit(card, request.caller.user_id)
    return render(request, "reviews/review.html", context, status=status)


@require_POST
@page
def seen(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Note blocks that were on the screen; without a script, all of them, by a button."""
    digests = None if "all" in request.POST else request.POST.getlist("block")[:_BLOCKS_AT_ONCE]
    try:
        left = services.see(review_id, digests, by=caller_now(request))
    except StoredDataError:
        left = 0  # nothing of it is shown
    if digests is not None:
        return JsonResponse({"left": left})
    return HttpResponseRedirect(f"{reverse('review', args=[review_id])}#main")


def _readable(request: DeskRequest, review_id: UUID) -> Review:
    card = dashboards.review(review_id)
    require(request.caller, Action.READ_PLAN, owned(card), ReviewUnknownError)
    return card
