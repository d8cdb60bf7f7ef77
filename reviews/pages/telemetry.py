"""The telemetry table: outcomes per day."""

from datetime import UTC

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from planmode.access.may import Action
from reviews import dashboards
from reviews.pages.frame import DeskRequest, page, require_anywhere


@require_safe
@page
def telemetry(request: DeskRequest) -> HttpResponse:
    """Show how the reviews of the last 30 days ended."""
    require_anywhere(request.caller, Action.READ_TELEMETRY)
    today = timezone.now().astimezone(UTC).date()
    shown = dashboards.telemetry(request.caller, today=today)
    return render(
        request, "reviews/telemetry.html", {"telemetry": shown, "fewest": dashboards.FEWEST}
    )
