"""Log-in, log-out and the choice of a theme."""

from typing import Final

from django.conf import settings
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST

THEMES: Final = ("light", "dark")
SYSTEM: Final = "system"
COOKIE: Final = "theme"
A_YEAR_S: Final = 365 * 24 * 3600

log_in = cache_control(no_store=True)(
    LoginView.as_view(template_name="login.html", redirect_authenticated_user=True)
)
log_out = cache_control(no_store=True)(LogoutView.as_view())


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme in a cookie (``system`` drops it) and go back."""
    chosen = request.POST.get("theme", "")
    response = HttpResponseRedirect(_way_back(request))
    if chosen not in {*THEMES, SYSTEM}:
        raise BadRequest("there is no such theme")
    keep_theme(response, chosen)
    return response


def keep_theme(response: HttpResponse, chosen: str) -> None:
    """Let this browser show the theme ``chosen`` from the next page on."""
    if chosen == SYSTEM:
        response.delete_cookie(COOKIE, samesite="Lax")
        return
    response.set_cookie(
        COOKIE,
        chosen,
        max_age=A_YEAR_S,
        samesite="Lax",
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _way_back(request: HttpRequest) -> str:
    there = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        there, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return there if safe else "/"
