"""The audit list: every revision, its hash and its outcome."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from planmode.access.may import Action
from reviews import dashboards
from reviews.pages.frame import DeskRequest, before, page, require_anywhere


@require_safe
@page
def audit(request: DeskRequest) -> HttpResponse:
    """Show the newest revisions, or those before ``before``."""
    require_anywhere(request.caller, Action.READ_AUDIT)
    shown = dashboards.audit(request.caller, before=before(request))
    return render(request, "reviews/audit.html", {"audit": shown})
