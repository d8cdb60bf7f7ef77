"""What all pages share: log-in, refusals, and that no cache keeps them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, Final, ParamSpec, cast
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from planmode.access.may import Action, Caller, Owned, caller_of, may, may_anywhere
from planmode.core.errors import (
    NotAllowedError,
    ProjectUnknownError,
    RevisionUnknownError,
    SessionUnknownError,
)
from reviews.core.errors import (
    CardUnknownError,
    CommentUnknownError,
    OwnPlanError,
    ReviewUnknownError,
)
from reviews.models import Preferences

UNKNOWN: Final = (
    ProjectUnknownError,
    ReviewUnknownError,
    CardUnknownError,
    CommentUnknownError,
    SessionUnknownError,
    RevisionUnknownError,
)
REFUSED: Final = (NotAllowedError, OwnPlanError)

DENSITY: Final = "density"
"""The cookie that says how close the rows of lists stand."""

P = ParamSpec("P")


class DeskRequest(HttpRequest):
    """A request of a person who is logged in; ``caller`` holds their roles as the page shows them.

    A verb gets roles of its own, read inside its transaction.
    """

    user: User
    caller: Caller


def page(
    view: Callable[Concatenate[DeskRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Serve ``view`` to people who are logged in; what it refuses becomes a page, too.

    Not logged in: the log-in page, which leads back. What the person may not know of: 404. What
    they may know of and not do: 403, which says why.
    """

    @wraps(view)
    def served(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        with as_they_like(request):
            response = _served(view, request, *args, **kwargs)
        patch_cache_control(response, no_store=True)
        return response

    return served


@contextmanager
def as_they_like(request: HttpRequest) -> Iterator[None]:
    """Show times in the person's zone; their language, too, where this browser keeps no other."""
    row = Preferences.objects.of(request.user)
    language = get_language()
    if row.language and settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
        language = row.language
    with timezone.override(row.time_zone), override(language):
        yield


def _served(
    view: Callable[Concatenate[DeskRequest, P], HttpResponse],
    request: HttpRequest,
    *args: P.args,
    **kwargs: P.kwargs,
) -> HttpResponseBase:
    caller = caller_of(request.user)
    if caller is None:
        return redirect_to_login(_way_back(request))
    desk = cast("DeskRequest", request)
    desk.caller = caller
    try:
        return view(desk, *args, **kwargs)
    except UNKNOWN:
        return render(request, "404.html", status=404)
    except REFUSED as error:
        return render(request, "403.html", {"why": str(error)}, status=403)


def _way_back(request: HttpRequest) -> str:
    """Return where a log-in leads: this page, or the page whose form was sent."""
    if request.method in {"GET", "HEAD"}:
        return request.get_full_path()
    return request.path.rsplit("/", 1)[0] or "/"


def require(caller: Caller, action: Action, thing: Owned, unknown: type[Exception]) -> None:
    """Return quietly when ``caller`` may see ``thing`` at all, and may do ``action`` to it.

    Raises:
        Exception: ``unknown``, when they may not even know its title.
        NotAllowedError: they may know of it, but not do this.
    """
    if not may(caller, Action.READ_TITLE, thing):
        raise unknown("not for this person")
    if not may(caller, action, thing):
        raise NotAllowedError(
            _("Your roles in this project show you titles and states, but not this page.")
        )


def require_anywhere(caller: Caller, action: Action) -> None:
    """Return quietly when there can be anything on which ``caller`` may do ``action``.

    Raises:
        NotAllowedError: their roles hold nothing of the kind.
    """
    if may_anywhere(caller, action):
        return
    if not caller.roles:
        raise NotAllowedError(_("You have no role in any project yet. Ask an admin for one."))
    raise NotAllowedError(_("None of your roles includes this page."))


def text_of(request: HttpRequest, name: str) -> str:
    """Return a text field as it was typed: browsers send each line break as CR LF."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def before(request: HttpRequest) -> UUID | None:
    """Return the id that a page of a list ends before.

    Raises:
        BadRequest: the address holds no id.
    """
    text = request.GET.get("before", "")
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise BadRequest("the list has no such place") from error
