"""Settings of a project: who is what in it."""

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from planmode.access.may import Action, Owned
from planmode.access.models import Membership, Project, Role
from planmode.access.requests import require as require_now
from reviews import dashboards, members
from reviews.core.errors import LastAdminError
from reviews.pages.frame import DeskRequest, page
from reviews.pages.projects import managed_project


class MemberForm(forms.Form):
    """Somebody, and the role that they get."""

    name = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=Role.choices)

    def membership(self, project: Project) -> Membership | None:
        """Return the new row; ``None``, with an error at its field, when there can be none."""
        name, role = self.cleaned_data["name"], self.cleaned_data["role"]
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            self.add_error("name", _("Nobody of this name may log in here."))
            return None
        if Membership.objects.filter(user=user, project=project, role=role).exists():
            self.add_error("role", _("This person has the role already."))
            return None
        return Membership(user=user, project=project, role=role)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def people(request: DeskRequest, name: str) -> HttpResponse:
    """Show who has which role, or give somebody another one."""
    project = managed_project(request, name)
    form = MemberForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _show(request, project, form)
    with transaction.atomic():
        require_now(request, Action.MANAGE_PROJECT, Owned(project.pk))
        Project.objects.select_for_update().get(pk=project.pk)  # nobody gives the same role twice
        member = form.membership(project)
        if member is not None:
            members.add_member(member, by=request.user)
    if member is None:
        return _show(request, project, form)
    messages.success(request, _("The role is given."))
    return HttpResponseRedirect(reverse("settings-members", args=[name]))


@require_POST
@page
def remove(request: DeskRequest, name: str) -> HttpResponse:
    """Take a role of this project away."""
    project = managed_project(request, name)
    chosen = request.POST.get("member", "")
    try:
        with transaction.atomic():
            require_now(request, Action.MANAGE_PROJECT, Owned(project.pk))
            held = Membership.objects.filter(project=project)
            member = held.filter(pk=int(chosen)).first() if chosen.isdecimal() else None
            if member is not None:  # else it is gone already, as was asked for
                members.take_role(member, by=request.user)
    except LastAdminError as error:
        return _show(request, project, MemberForm(), problem=str(error), status=409)
    messages.success(request, _("The role is taken away."))
    return HttpResponseRedirect(reverse("settings-members", args=[name]))


def _show(
    request: DeskRequest,
    project: Project,
    form: MemberForm,
    *,
    problem: str = "",
    status: int = 0,
) -> HttpResponse:
    context = {
        "form": form,
        "project": project,
        "people": dashboards.people_of(project),
        "problem": problem,
    }
    shown = status or (422 if form.is_bound else 200)
    return render(request, "reviews/settings_members.html", context, status=shown)
