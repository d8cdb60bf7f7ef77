"""The working plan in a form, for a person who edits it."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from planmode import queries
from planmode import services as planmode
from planmode.access.may import Action
from planmode.access.requests import require as require_now
from planmode.core.errors import (
    ChildSessionError,
    NoPlanFileError,
    NotPlanningError,
    PlanEditConflictError,
    PlanInvalidError,
    PlanTooLargeError,
    PlanUnderReviewError,
)
from planmode.queries import PlanRow
from reviews.pages.frame import REFUSED, DeskRequest, page, require, text_of
from reviews.pages.session import Typed, readable, show


@dataclass(frozen=True, slots=True)
class Edit:
    """What the form shows: ``text`` on top of the plan with the hash ``base``.

    ``other`` is what the plan is by now where that is not what the person read.
    """

    text: str
    base: str
    other: str | None = None
    problem: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Show the working plan to be edited, or take what was made of it."""
    if request.method == "POST":
        return _save(request, session_id)
    row = readable(request, session_id)
    require(request.caller, Action.STEER, row.owned, NotPlanningError)
    try:
        plan = queries.plan(session_id)
        text = plan.content.decode("utf-8")
    except (NotPlanningError, NoPlanFileError) as error:
        return show(request, session_id, Typed(problem=str(error), status=409))
    except UnicodeDecodeError:
        problem = _("The plan is no UTF-8 text: it can't be edited here.")
        return show(request, session_id, Typed(problem=problem, status=409))
    version = row.state.plan.under_review
    problem = "" if version is None else str(PlanUnderReviewError(version))
    return _form(request, session_id, Edit(text, plan.sha256, problem=problem))


def _save(request: DeskRequest, session_id: UUID) -> HttpResponse:
    text, base = text_of(request, "content"), request.POST.get("base", "")
    try:
        with transaction.atomic():
            require_now(request, Action.STEER, readable(request, session_id).owned)
            planmode.edit_plan(session_id, text.encode(), base_sha256=base, by=request.user)
    except PlanEditConflictError as error:
        return _conflict(request, session_id, Edit(text, base, problem=str(error)))
    except (PlanInvalidError, PlanTooLargeError) as error:
        return _form(request, session_id, Edit(text, base, problem=str(error)), status=422)
    except REFUSED as error:
        return _form(request, session_id, Edit(text, base, problem=str(error)), status=403)
    except (
        NotPlanningError,
        NoPlanFileError,
        ChildSessionError,
        PlanUnderReviewError,
    ) as error:
        return _form(request, session_id, Edit(text, base, problem=str(error)), status=409)
    messages.success(request, _("The plan is saved. The agent is told to read it again."))
    return HttpResponseRedirect(f"{reverse('session', args=[session_id])}#plan")


def _conflict(request: DeskRequest, session_id: UUID, sent: Edit) -> HttpResponse:
    """Show both texts: a person who sends theirs once more has seen what it replaces."""
    plan = _plan_now(session_id)
    if plan is None or plan.sha256 == sent.base:
        return _form(request, session_id, sent, status=409)
    other = plan.content.decode("utf-8", "replace")
    problem = _(
        "The plan has changed since you read it. Nothing was saved yet; both texts are here."
    )
    return _form(request, session_id, Edit(sent.text, plan.sha256, other, problem), status=409)


def _plan_now(session_id: UUID) -> PlanRow | None:
    try:
        return queries.plan(session_id)
    except (NotPlanningError, NoPlanFileError):
        return None


def _form(
    request: DeskRequest, session_id: UUID, shown: Edit, *, status: int = 200
) -> HttpResponse:
    row = readable(request, session_id)
    return render(request, "reviews/plan.html", {"session": row, "edit": shown}, status=status)
