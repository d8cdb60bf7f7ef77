"""Settings of a person: when they are away, and who stands in."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from reviews import services
from reviews.pages.frame import DeskRequest, page


def _day() -> forms.DateInput:
    return forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})


class AbsenceForm(forms.Form):
    """The days, and who stands in."""

    first = forms.DateField(label=gettext_lazy("First day away"), widget=_day())
    last = forms.DateField(label=gettext_lazy("Last day away"), widget=_day())
    deputy = forms.CharField(
        label=gettext_lazy("Deputy"),
        help_text=gettext_lazy(
            "A user name, or nothing. It has to be somebody who may decide in all projects in "
            "which you may."
        ),
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:  # noqa: ANN401 - Django's own
        """Keep who goes away."""
        super().__init__(*args, **kwargs)
        self._person = person

    def clean_deputy(self) -> User | None:
        """Return who stands in.

        Raises:
            ValidationError: there is nobody of the name, or they can't stand in.
        """
        name = self.cleaned_data["deputy"]
        if not name:
            return None
        deputy = User.objects.filter(username=name, is_active=True).first()
        if deputy is None or deputy == self._person:
            raise forms.ValidationError(_("Nobody else of this name may log in here."))
        lacking = services.not_covered(self._person, deputy)
        if lacking:
            raise forms.ValidationError(
                _("This person may not decide in: %(projects)s.") % {"projects": ", ".join(lacking)}
            )
        return deputy

    def clean(self) -> dict[str, Any]:
        """Return the fields; an absence does not end before it begins."""
        values = super().clean() or self.cleaned_data
        if "first" in values and "last" in values and values["last"] < values["first"]:
            self.add_error("last", _("This day is before the first one."))
        return values


@require_http_methods(["GET", "HEAD", "POST"])
@page
def absence(request: DeskRequest) -> HttpResponse:
    """Show when the person is away, or add to it."""
    sent = request.POST if request.method == "POST" else None
    form = AbsenceForm(sent, person=request.user)
    if form.is_valid():
        values = form.cleaned_data
        services.add_absence(request.user, values["first"], values["last"], deputy=values["deputy"])
        messages.success(request, _("Your absence is saved."))
        return HttpResponseRedirect(reverse("settings-absence"))
    rows = services.absences_of(request.user, since=timezone.localdate())
    status = 422 if form.is_bound else 200
    context = {"form": form, "absences": rows}
    return render(request, "reviews/settings_absence.html", context, status=status)


@require_POST
@page
def drop(request: DeskRequest) -> HttpResponse:
    """Take an absence back."""
    chosen = request.POST.get("absence", "")
    if chosen.isascii() and chosen.isdecimal() and len(chosen) < len(str(10**18)):
        services.drop_absence(request.user, int(chosen))
    messages.success(request, _("The absence is taken back."))
    return HttpResponseRedirect(reverse("settings-absence"))
