"""Settings of projects: which there are, and what each of them allows."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from planmode.access.may import INSTALLATION, Action, Owned, may
from planmode.access.models import Project
from planmode.access.requests import require as require_now
from planmode.core.errors import ProjectUnknownError
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from reviews import dashboards, members
from reviews.pages.frame import DeskRequest, page, require, require_anywhere
from reviews.templatetags.desk import MODES

USUAL: Final = ("", gettext_lazy("as usual in the installation"))
_LABELS: Final = {
    "name": gettext_lazy("Name"),
    "workspace_root": gettext_lazy("Workspace root"),
    "preset": gettext_lazy("Preset of new sessions"),
    "model": gettext_lazy("Model of new sessions"),
    "permission_mode": gettext_lazy("Permission mode of new sessions"),
    "rules": gettext_lazy("Permission rules"),
    "plan_section": gettext_lazy("Plan section"),
    "plan_folder": gettext_lazy("Plan folder"),
    "allow_auto": gettext_lazy("Plans may be approved without a person in permission mode auto"),
    "allow_self_review": gettext_lazy("People may decide on plans of their own agents"),
}
_HELP: Final = {
    "name": gettext_lazy("Letters, digits, - and _. It can't be changed later."),
    "workspace_root": gettext_lazy(
        "A folder, named from /, that all workspaces of the project lie in. Empty: those of the "
        "installation."
    ),
    "model": gettext_lazy("Such as openai:gpt-5 or scripted:FILE. Empty: as in the installation."),
    "rules": gettext_lazy(
        "One a line, such as “deny Bash(git push *)”. They can only tighten those of the "
        "installation."
    ),
    "plan_section": gettext_lazy(
        "What agents of the preset dsh are told while they plan. Empty: as in the installation."
    ),
    "plan_folder": gettext_lazy(
        "Where agents of the preset claude keep plan files, below the workspace. Empty: as in the "
        "installation."
    ),
    "allow_auto": gettext_lazy("Such plans are shown as not reviewed by a person."),
    "allow_self_review": gettext_lazy("Such decisions are shown as the person's own."),
}


class ProjectForm(forms.ModelForm):  # type: ignore[type-arg]  # it is not generic at run time
    """All that an admin may say of a project."""

    class Meta:
        model = Project
        fields = tuple(_LABELS)
        labels = _LABELS
        help_texts = _HELP
        widgets = {
            "preset": forms.Select(choices=[USUAL, *((name, name) for name in PRESETS)]),
            "permission_mode": forms.Select(
                choices=[USUAL, *((mode.value, mode.value) for mode in PermissionMode)]
            ),
            "rules": forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
            "plan_section": forms.Textarea(attrs={"rows": 4}),
            "model": forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
            "workspace_root": forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        }

    def clean(self) -> dict[str, Any]:
        """Return the fields; browsers send each line break as CR LF."""
        values = super().clean() or self.cleaned_data
        for name in ("rules", "plan_section"):
            values[name] = values.get(name, "").replace("\r\n", "\n")
        return values


class KnownProjectForm(ProjectForm):
    """The same of a project that exists: sessions and audit facts name it."""

    class Meta(ProjectForm.Meta):
        fields = tuple(name for name in _LABELS if name != "name")


def managed_project(request: DeskRequest, name: str) -> Project:
    """Return a project that the person may change.

    Raises:
        ProjectUnknownError: there is none, or not for them.
        NotAllowedError: they are no admin there.
    """
    found = dashboards.project_named(name)
    require(request.caller, Action.MANAGE_PROJECT, Owned(found.pk), ProjectUnknownError)
    return found


@require_safe
@page
def projects(request: DeskRequest) -> HttpResponse:
    """List the projects that the person may change."""
    require_anywhere(request.caller, Action.MANAGE_PROJECT)
    context = {
        "projects": dashboards.managed(request.caller),
        "creates": may(request.caller, Action.MANAGE_PROJECT, INSTALLATION),
    }
    return render(request, "reviews/settings_projects.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def create(request: DeskRequest) -> HttpResponse:
    """Show an empty form, or make the project; only who is admin of all projects may."""
    require_now(request, Action.MANAGE_PROJECT, INSTALLATION)
    form = ProjectForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _show(request, form, None)
    with transaction.atomic():
        require_now(request, Action.MANAGE_PROJECT, INSTALLATION)
        made = form.save(commit=False)
        members.add_project(made, by=request.user)
    messages.success(request, _("The project is there. Give people roles in it."))
    return HttpResponseRedirect(reverse("settings-members", args=[made.name]))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: DeskRequest, name: str) -> HttpResponse:
    """Show what a project allows, or change it."""
    found = managed_project(request, name)
    sent = request.POST if request.method == "POST" else None
    form = KnownProjectForm(sent, instance=dashboards.project_named(name))
    if not form.is_valid():
        return _show(request, form, found)
    with transaction.atomic():
        require_now(request, Action.MANAGE_PROJECT, Owned(found.pk))
        if form.has_changed():
            members.change_policy(form.save(commit=False), by=request.user)
    messages.success(request, _("The project is saved."))
    return HttpResponseRedirect(reverse("settings-project", args=[name]))


def _show(request: DeskRequest, form: ProjectForm, project: Project | None) -> HttpResponse:
    context = {"form": form, "project": project, "modes": MODES.items()}
    status = 422 if form.is_bound else 200
    return render(request, "reviews/settings_project.html", context, status=status)
