"""Settings of a person: their keys (WCAG 2.1.4)."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from reviews import services
from reviews.core.keymap import DEFAULTS, SHORTCUTS, Fault, choices, faults, settled, typed
from reviews.models import Preferences
from reviews.pages.frame import DeskRequest, page
from reviews.templatetags.keys import DOES


@dataclass(frozen=True, slots=True)
class KeyField:
    """An action, the key that was chosen or typed, and why that one can't be had."""

    action: str
    does: str
    key: str
    usual: str
    problem: str


@require_http_methods(["GET", "HEAD", "POST"])
@page
def keys(request: DeskRequest) -> HttpResponse:
    """Show the person's keys, change them, or take back all changes (``reset``)."""
    if request.method != "POST":
        return _show(request, settled(Preferences.objects.of(request.user).keys), {})
    sent = {} if "reset" in request.POST else _sent(request)
    chosen = typed(sent)
    found = faults(chosen)
    if found:
        return _show(request, chosen, found)
    services.set_preferences(request.user, keys=choices(chosen))
    messages.success(request, _("Your keys are saved."))
    return HttpResponseRedirect(reverse("settings-keys"))


def _sent(request: DeskRequest) -> dict[str, str]:
    names = {action: f"key-{action}" for action in DEFAULTS}
    return {action: request.POST[name] for action, name in names.items() if name in request.POST}


def _show(
    request: DeskRequest, chosen: Mapping[str, str], found: Mapping[str, Fault]
) -> HttpResponse:
    fields = [
        KeyField(
            one.action,
            str(DOES[one.action]),
            chosen[one.action],
            one.key,
            _problem(found[one.action]) if one.action in found else "",
        )
        for one in SHORTCUTS
    ]
    wrong = [field for field in fields if field.problem]
    context = {"fields": fields, "wrong": wrong}
    status = 422 if found else 200
    return render(request, "reviews/settings_keys.html", context, status=status)


def _problem(fault: Fault) -> str:
    if fault.other:
        return _("This key is taken: %(does)s.") % {"does": DOES[fault.other]}
    return _("A key is one character, or two with a blank between.")
