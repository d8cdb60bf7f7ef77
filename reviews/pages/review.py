"""The review page: the plan, what changed, and the decision."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planmode.access.may import Action, may_anywhere
from planmode.access.requests import caller as caller_now
from planmode.core.errors import StoredDataError
from reviews import dashboards, feed, services
from reviews.core.decisions import Decision, DecisionKind
from reviews.core.errors import (
    DecisionIncompleteError,
    ReviewClosedError,
    ReviewUnknownError,
    RevisionStaleError,
)
from reviews.models import Review
from reviews.pages.desk import desk
from reviews.pages.frame import REFUSED, DeskRequest, page, require
from reviews.pages.plan import plan_view, text_of_plan, view_of
from reviews.pages.sheets import Problem, Sheet, asked_sheet, incomplete, sent_sheet
from reviews.services import owned

_BLOCKS_AT_ONCE: Final = 500


@require_safe
@page
def review(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Show a review; ``decide`` names the sheet that is open (without a script)."""
    return _show(request, review_id, sheet=asked_sheet(request), status=200)


@require_safe
@page
def state(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Return the parts that others can change, for a page that was told of a change."""
    card = _readable(request, review_id)
    stands = desk(card, request.caller, damaged=text_of_plan(card) is None)
    return render(request, "reviews/_review_state.html", {"desk": stands, "view": view_of(request)})


@require_POST
@page
def decide(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Take a decision; what can't be taken comes back with everything that was typed."""
    sheet = sent_sheet(request)
    decision = Decision(
        sheet.kind,
        request.POST.get("sha256", ""),
        option=sheet.option,
        feedback=sheet.feedback,
        reason=sheet.reason,
        start=sheet.start,
    )
    try:
        with transaction.atomic():
            services.decide(review_id, decision, by=caller_now(request))
    except (ReviewClosedError, RevisionStaleError) as error:
        return _back(request, review_id, sheet, Problem("", str(error)), status=409)
    except DecisionIncompleteError as error:
        problem = incomplete(sheet, review_id, error)
        return _back(request, review_id, sheet, problem, status=422)
    except StoredDataError:
        problem = Problem("", _("The stored plan is damaged. It can't be approved."))
        return _back(request, review_id, sheet, problem, status=500)
    except REFUSED as error:
        return _back(request, review_id, sheet, Problem("", str(error)), status=403)
    return HttpResponseRedirect(f"{reverse('review', args=[review_id])}#decision")


def _back(
    request: DeskRequest, review_id: UUID, sheet: Sheet, problem: Problem, *, status: int
) -> HttpResponse:
    return _show(request, review_id, sheet=replace(sheet, problems=(problem,)), status=status)


def _show(
    request: DeskRequest, review_id: UUID, *, sheet: Sheet | None, status: int
) -> HttpResponse:
    cursor = feed.head()  # first: what happens after it reaches the page by push
    card = _readable(request, review_id)
    text = text_of_plan(card)
    stands = desk(card, request.caller, damaged=text is None)
    context = {
        "desk": stands,
        "plan": None if text is None else plan_view(request, card, text, track=stands.track),
        "view": view_of(request),
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
