"""Who belongs to a project and what it allows, with audit facts."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from planmode.access.models import Membership, Project
from reviews import audit


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


def _policy(project: Project) -> dict[str, Any]:
    return {
        "allow_auto": project.allow_auto,
        "allow_self_review": project.allow_self_review,
        "plan_folder": project.plan_folder,
        "plan_section": project.plan_section,
        "rules": project.rules,
        "project": project.name,
        "project_id": project.pk,
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
