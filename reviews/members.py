"""Who belongs to a project and what it allows, with audit facts."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from planmode.access.models import Membership, Project, Role
from reviews import audit
from reviews.core.errors import LastAdminError


@transaction.atomic
def add_project(project: Project, *, by: User | None = None) -> None:
    """Keep a new project; ``by`` is empty for the program."""
    project.save(force_insert=True)
    _record("project_added", _policy(project), by)


@transaction.atomic
def change_policy(project: Project, *, by: User | None = None) -> None:
    """Keep what a project allows from now on; ``by`` is empty for the program."""
    project.save(force_update=True)
    _record("policy_changed", _policy(project), by)


@transaction.atomic
def add_member(member: Membership, *, by: User | None = None) -> None:
    """Give somebody a role; ``by`` is empty for the program."""
    member.save(force_insert=True)
    _record("member_added", _role(member), by)


@transaction.atomic
def remove_member(member: Membership, *, by: User | None = None) -> None:
    """Take a role away; ``by`` is empty for the program."""
    role = _role(member)
    member.delete()
    _record("member_removed", role, by)


@transaction.atomic
def take_role(member: Membership, *, by: User) -> None:
    """Take a role away, as long as somebody is left who can give it back.

    Raises:
        LastAdminError: nobody else who can log in is an admin of the project (of all projects,
            where the role is for all).
    """
    if member.role == Role.ADMIN:
        # The lock: of two admins who leave at once, the second one sees that the first is gone.
        admins = list(Membership.objects.select_for_update().filter(role=Role.ADMIN))
        places = {None, member.project_id}
        active = set(User.objects.filter(is_active=True).values_list("pk", flat=True))
        left = [
            one
            for one in admins
            if one.pk != member.pk and one.project_id in places and one.user_id in active
        ]
        if not left:
            raise LastAdminError(
                _("Somebody has to stay admin: give another person the role first.")
            )
    remove_member(member, by=by)


def _policy(project: Project) -> dict[str, Any]:
    return {
        "allow_auto": project.allow_auto,
        "allow_self_review": project.allow_self_review,
        "model": project.model,
        "permission_mode": project.permission_mode,
        "plan_folder": project.plan_folder,
        "plan_section": project.plan_section,
        "preset": project.preset,
        "rules": project.rules,
        "project": project.name,
        "project_id": project.pk,
        "workspace_root": project.workspace_root,
    }


def _role(member: Membership) -> dict[str, Any]:
    project = member.project.name if member.project else None
    return {
        "project": project,
        "project_id": member.project_id,
        "role": str(member.role),
        "user": member.user_id,
    }


def _record(kind: str, data: dict[str, Any], by: User | None) -> None:
    fact = audit.Fact(kind, {**data, "by": by.pk if by else None})
    audit.record([fact], now=timezone.now())
