"""The form that starts a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from planmode import services as planmode
from planmode.access.may import Action, Caller, Owned, may
from planmode.access.models import Project
from planmode.access.requests import require as require_now
from planmode.core.commands import Plan, opening
from planmode.core.errors import (
    CommandInvalidError,
    MessageInvalidError,
    ProjectUnknownError,
    RulesInvalidError,
    SessionInvalidError,
    WorkspaceRefusedError,
)
from planmode.core.permission import PermissionMode
from planmode.services import NewSession
from reviews.pages.frame import REFUSED, DeskRequest, page, require_anywhere, text_of

INVALID: Final = (
    CommandInvalidError,
    MessageInvalidError,
    ProjectUnknownError,
    RulesInvalidError,
    SessionInvalidError,
    WorkspaceRefusedError,
)
PRESETS: Final[Mapping[str, Promise]] = {
    "kimi": gettext_lazy(
        "A plan file, held to by the guard. For whoever has no reason for another one."
    ),
    "claude": gettext_lazy(
        "Phases with agents that explore, the plan in a folder of the project. "
        "For teams that want plans among their files."
    ),
    "dsh": gettext_lazy(
        "Your own instructions say how to plan, and they alone hold the agent back. "
        "For installations that write them."
    ),
    "pi": gettext_lazy(
        "The plan is a numbered list in a reply. "
        "For models that plan in prose and call no tool for it."
    ),
}
"""Each preset with whom it is for."""


@dataclass(frozen=True, slots=True)
class Form:
    """What was typed, empty for what is usual; ``problem`` says why it could not be taken."""

    project: str = ""
    workspace: str = ""
    prompt: str = ""
    model: str = ""
    preset: str = ""
    mode: str = ""
    plan: bool = True
    rules: str = ""
    problem: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
@page
def start(request: DeskRequest) -> HttpResponse:
    """Show the form, or start what it says; what can't be taken comes back as it was typed."""
    require_anywhere(request.caller, Action.START_SESSION)
    if request.method != "POST":
        return _show(request, Form())
    form = _sent(request)
    try:
        with transaction.atomic():
            _require_start(request, form.project)
            started = planmode.start_session(_new(form), owner=request.user)
    except INVALID as error:
        return _show(request, _with(form, str(error)), status=422)
    except REFUSED as error:
        return _show(request, _with(form, str(error)), status=403)
    return HttpResponseRedirect(reverse("session", args=[started]))


def _show(request: DeskRequest, form: Form, *, status: int = 200) -> HttpResponse:
    projects = _projects(request.caller)
    context = {
        "form": form,
        "projects": [project.name for project in projects],
        "rooted": any(project.workspace_root for project in projects),
        "usual_model": settings.DEFAULT_MODEL,
        "presets": PRESETS.items(),
        "modes": tuple(PermissionMode),
    }
    return render(request, "reviews/start.html", context, status=status)


def _sent(request: DeskRequest) -> Form:
    sent = request.POST
    return Form(
        project=sent.get("project", ""),
        workspace=sent.get("workspace", "").strip(),
        prompt=text_of(request, "prompt"),
        model=sent.get("model", "").strip(),
        preset=sent.get("preset", ""),
        mode=sent.get("mode", ""),
        plan="plan" in sent,
        rules=text_of(request, "rules"),
    )


def _with(form: Form, problem: str) -> Form:
    return replace(form, problem=problem)


def _new(form: Form) -> NewSession:
    """Return what to start: never a local session, since the browser may be anywhere.

    Raises:
        CommandInvalidError: the prompt is a command that no session begins with.
    """
    opens = opening(form.prompt)
    return NewSession(
        project=form.project,
        workspace=form.workspace,
        prompt=opens.text,
        model=form.model,
        preset=form.preset,
        permission_mode=form.mode,
        plan=form.plan or isinstance(opens, Plan),
        rules=tuple(form.rules.splitlines()),
    )


def _require_start(request: DeskRequest, name: str) -> None:
    """Return quietly when the person may start sessions in the project called ``name``.

    Raises:
        ProjectUnknownError: there is none in which they have any role.
        NotAllowedError: their roles there do not include it.
    """
    project = Project.objects.filter(name=name).first()
    here = {project_id for project_id, _role in request.caller.roles}
    if project is None or not here & {None, project.pk}:
        raise ProjectUnknownError(_("Choose a project."))
    require_now(request, Action.START_SESSION, Owned(project.pk, request.user.pk))


def _projects(caller: Caller) -> Sequence[Project]:
    """Return the projects in which ``caller`` may start sessions."""
    projects = Project.objects.order_by("name")
    return [
        project
        for project in projects
        if may(caller, Action.START_SESSION, Owned(project.pk, caller.user_id))
    ]
