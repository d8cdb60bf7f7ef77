"""Settings of a person: how pages look, and how they are told."""

from datetime import time
from typing import Any, Final
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from reviews import services
from reviews.models import Mail, Preferences
from reviews.pages.account import A_YEAR_S, keep_theme
from reviews.pages.frame import DENSITY, DeskRequest, page

_HOUR: Final = 60


def _clock() -> forms.TimeInput:
    return forms.TimeInput(format="%H:%M", attrs={"type": "time"})


class PreferencesForm(forms.Form):
    """All that a person chooses, but their keys."""

    language = forms.ChoiceField(label=gettext_lazy("Language"), required=False)
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("Such as Europe/Berlin, Asia/Shanghai or UTC."),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    theme = forms.ChoiceField(
        label=gettext_lazy("Theme"),
        help_text=gettext_lazy("In this browser."),
        choices=[
            ("system", gettext_lazy("System")),
            ("light", gettext_lazy("Light")),
            ("dark", gettext_lazy("Dark")),
        ],
    )
    density = forms.ChoiceField(
        label=gettext_lazy("Lists"),
        help_text=gettext_lazy("In this browser."),
        choices=[
            ("comfortable", gettext_lazy("Comfortable")),
            ("compact", gettext_lazy("Compact")),
        ],
    )
    mail = forms.ChoiceField(
        label=gettext_lazy("E-mail about what concerns you"),
        choices=[
            (Mail.EACH, gettext_lazy("At once")),
            (Mail.DIGEST, gettext_lazy("Once a day, together")),
            (Mail.OFF, gettext_lazy("Never")),
        ],
    )
    digest_at = forms.TimeField(label=gettext_lazy("Time of the daily e-mail"), widget=_clock())
    quiet_from = forms.TimeField(
        label=gettext_lazy("No e-mail from"),
        help_text=gettext_lazy("What comes in between is sent at the end. The same twice: none."),
        widget=_clock(),
    )
    quiet_to = forms.TimeField(label=gettext_lazy("No e-mail until"), widget=_clock())
    browser = forms.BooleanField(
        label=gettext_lazy("Notifications of the browser"),
        help_text=gettext_lazy(
            "While a page is open in the background: “A plan waits for review”, and no more."
        ),
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's own
        """Offer the languages that there are; with one alone there is nothing to choose."""
        super().__init__(*args, **kwargs)
        if len(settings.LANGUAGES) == 1:
            del self.fields["language"]
        else:
            usual = ("", gettext_lazy("as the browser asks"))
            field = self.fields["language"]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - it is declared above
            field.choices = [usual, *settings.LANGUAGES]

    def clean_time_zone(self) -> str:
        """Return the zone's name.

        Raises:
            ValidationError: there is none.
        """
        name = str(self.cleaned_data["time_zone"])
        if name not in available_timezones():
            raise forms.ValidationError(_("There is no such time zone."))
        return name


def _minutes(at: time) -> int:
    return at.hour * _HOUR + at.minute


def _time(minutes: int) -> time:
    return time(minutes // _HOUR, minutes % _HOUR)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def you(request: DeskRequest) -> HttpResponse:
    """Show what the person chose, or keep another choice."""
    form = PreferencesForm(
        request.POST if request.method == "POST" else None, initial=_initial(request)
    )
    if form.is_valid():
        return _keep(request, form.cleaned_data)
    status = 422 if form.is_bound else 200
    return render(request, "reviews/settings_you.html", {"form": form}, status=status)


def _initial(request: DeskRequest) -> dict[str, Any]:
    row = Preferences.objects.of(request.user)
    return {
        "language": row.language,
        "time_zone": row.time_zone,
        "theme": request.COOKIES.get("theme", "system"),
        "density": request.COOKIES.get(DENSITY, "comfortable"),
        "mail": row.mail,
        "digest_at": _time(row.digest_minute),
        "quiet_from": _time(row.quiet_from),
        "quiet_to": _time(row.quiet_to),
        "browser": row.browser,
    }


def _keep(request: DeskRequest, values: dict[str, Any]) -> HttpResponse:
    services.set_preferences(
        request.user,
        language=values.get("language", ""),
        time_zone=values["time_zone"],
        mail=values["mail"],
        digest_minute=_minutes(values["digest_at"]),
        quiet_from=_minutes(values["quiet_from"]),
        quiet_to=_minutes(values["quiet_to"]),
        browser=values["browser"],
    )
    messages.success(request, _("Your settings are saved."))
    response = HttpResponseRedirect(reverse("settings-you"))
    keep_theme(response, values["theme"])
    response.set_cookie(
        DENSITY,
        values["density"],
        max_age=A_YEAR_S,
        samesite="Lax",
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
    )
    if "language" in values:
        _keep_language(response, values["language"])
    return response


def _keep_language(response: HttpResponse, language: str) -> None:
    """Let this browser show the language from the next page on."""
    if language:
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, max_age=A_YEAR_S)
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
