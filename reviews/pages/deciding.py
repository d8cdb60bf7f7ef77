"""What people send from a review's page: decisions, votes, deadlines."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from planmode.access.requests import caller as caller_now
from planmode.core.errors import StoredDataError
from reviews import services
from reviews.core.decisions import Decision
from reviews.core.errors import (
    BlocksUnseenError,
    CommentInvalidError,
    DecisionIncompleteError,
    NoDeadlineError,
    NoVoteError,
    ReviewClosedError,
    RevisionStaleError,
)
from reviews.pages.frame import REFUSED, DeskRequest, page
from reviews.pages.review import show
from reviews.pages.sheets import Problem, Sheet, incomplete, sent_sheet, unseen

_COMES_BACK: Final = (
    BlocksUnseenError,
    CommentInvalidError,
    DecisionIncompleteError,
    ReviewClosedError,
    RevisionStaleError,
    StoredDataError,
    *REFUSED,
)
"""Refusals that are shown at the sheet, with all that was typed in it."""


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
            if "publish" in request.POST:
                services.publish(review_id, by=caller_now(request))
            services.decide(review_id, decision, by=caller_now(request))
    except _COMES_BACK as error:
        problem, status = _refused(sheet, review_id, error)
        return show(request, review_id, sheet=replace(sheet, problems=(problem,)), status=status)
    return _to(review_id, "decided")


def _refused(  # noqa: PLR0911 - one arm for each refusal
    sheet: Sheet, review_id: UUID, error: Exception
) -> tuple[Problem, int]:
    """Return what is wrong, at its field if it has one, and the status that says so."""
    match error:
        case BlocksUnseenError():
            return unseen(error), 409
        case ReviewClosedError() | RevisionStaleError():
            return Problem("", str(error)), 409
        case CommentInvalidError():
            return Problem("", str(error)), 422
        case DecisionIncompleteError():
            return incomplete(sheet, review_id, error), 422
        case StoredDataError():
            return Problem("", _("The stored plan is damaged. It can't be approved.")), 500
        case _:
            return Problem("", str(error)), 403


def _to(review_id: UUID, place: str) -> HttpResponse:
    """Lead to a place of the page; one that takes the focus gets it, also without a script."""
    return HttpResponseRedirect(f"{reverse('review', args=[review_id])}#{place}")


@require_POST
@page
def carry(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Open the sheet of a newer revision with what was typed for an older one.

    Nothing is decided by it: the page shows what changed, and the sheet below it is confirmed
    there, for the bytes that are shown there.
    """
    return show(request, review_id, sheet=replace(sent_sheet(request), carried=True), status=200)


@require_POST
@page
def withdraw(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Take one's own vote back."""
    return _done(
        request, review_id, lambda: services.withdraw_vote(review_id, by=caller_now(request))
    )


@require_POST
@page
def extend(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Give the review more time; pressed twice, it counts once."""
    try:
        seen = datetime.fromisoformat(request.POST.get("deadline", ""))
    except ValueError as error:
        raise BadRequest("the form names no deadline") from error
    if seen.tzinfo is None:
        raise BadRequest("a deadline has its zone")
    return _done(
        request, review_id, lambda: services.extend(review_id, by=caller_now(request), seen=seen)
    )


def _done(request: DeskRequest, review_id: UUID, act: Callable[[], object]) -> HttpResponse:
    """Do ``act``; what came too late is a page that shows how things stand."""
    try:
        act()
    except (ReviewClosedError, NoVoteError, NoDeadlineError):
        return show(request, review_id, sheet=None, status=409)
    return _to(review_id, "decision")
