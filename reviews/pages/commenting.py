"""What people send from the remarks of a review's page."""

from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from planmode.access.requests import caller as caller_now
from reviews import services
from reviews.core.errors import (
    AnchorInvalidError,
    CommentInvalidError,
    CommentUnknownError,
    DraftStaleError,
)
from reviews.pages.frame import REFUSED, DeskRequest, page
from reviews.pages.remarks import RemarkForm, sent_form
from reviews.pages.review import show

_INVALID = (AnchorInvalidError, CommentInvalidError, CommentUnknownError)


@require_POST
@page
def save(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Keep a draft; with ``publish``, publish it with all others of the person."""
    form, script = sent_form(request), request.headers.get("Accept") == "application/json"
    who = caller_now(request)
    try:
        with transaction.atomic():
            draft = services.save_draft(
                review_id, form.new, by=who, draft_id=form.draft, version=form.version
            )
            if "publish" in request.POST:
                services.publish(review_id, by=who)
    except DraftStaleError as error:
        said = _("Another window saved this draft meanwhile. It says there: %s") % error.text
        return _back(
            request, review_id, replace(form, draft=None, problem=said), 409, script=script
        )
    except _INVALID as error:
        return _back(request, review_id, replace(form, problem=str(error)), 422, script=script)
    except REFUSED as error:
        return _back(request, review_id, replace(form, problem=str(error)), 403, script=script)
    if script:
        return JsonResponse({"draft": str(draft.pk), "version": draft.version})
    return _to_remarks(review_id)


def _back(
    request: DeskRequest, review_id: UUID, form: RemarkForm, status: int, *, script: bool
) -> HttpResponse:
    """Return what was typed with what is wrong with it: nothing is lost."""
    if script:
        return JsonResponse({"problem": form.problem}, status=status)
    return show(request, review_id, sheet=None, remark=form, status=status)


@require_POST
@page
def publish(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Publish all drafts of the person."""
    try:
        services.publish(review_id, by=caller_now(request))
    except CommentInvalidError as error:
        form = RemarkForm(problem=str(error))
        return show(request, review_id, sheet=None, remark=form, status=422)
    return _to_remarks(review_id)


@require_POST
@page
def discard(request: DeskRequest, review_id: UUID, draft_id: UUID) -> HttpResponse:
    """Throw a draft away."""
    services.discard_draft(review_id, draft_id, by=caller_now(request))
    return _to_remarks(review_id)


@require_POST
@page
def settle(request: DeskRequest, review_id: UUID, comment_id: UUID) -> HttpResponse:
    """Resolve a thread, or open it again."""
    services.settle(comment_id, resolved="resolve" in request.POST, by=caller_now(request))
    return _to_remarks(review_id)


def _to_remarks(review_id: UUID) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('review', args=[review_id])}#remarks")
