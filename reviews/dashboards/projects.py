"""Projects as their admins see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from planmode.access.may import Action, Caller, Owned, may
from planmode.access.models import Membership, Project
from planmode.core.errors import ProjectUnknownError
from reviews.core.policy import Rules, parse
from reviews.models import Policy


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a role in a project: theirs there, and those that hold for all projects."""

    name: str
    active: bool
    here: tuple[Membership, ...]
    everywhere: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A version of a project's policy; ``by`` is empty for the program."""

    version: int
    rules: Rules
    by: str
    at: datetime


def managed(caller: Caller) -> Sequence[Project]:
    """Return the projects that ``caller`` may change, by name."""
    projects = Project.objects.order_by("name")
    return [one for one in projects if may(caller, Action.MANAGE_PROJECT, Owned(one.pk))]


def project_named(name: str) -> Project:
    """Return a project.

    Raises:
        ProjectUnknownError: there is none of that name.
    """
    found = Project.objects.filter(name=name).first()
    if found is None:
        raise ProjectUnknownError(f"no project {name!r}")
    return found


def people_of(project: Project) -> list[Person]:
    """Return everybody who has a role in ``project``, by name."""
    held = Membership.objects.filter(Q(project=project) | Q(project=None)).select_related("user")
    by_name: dict[str, list[Membership]] = {}
    for member in held.order_by("user__username", "role"):
        by_name.setdefault(member.user.get_username(), []).append(member)
    return [
        Person(
            name,
            roles[0].user.is_active,
            tuple(role for role in roles if role.project_id is not None),
            tuple(role.role for role in roles if role.project_id is None),
        )
        for name, roles in by_name.items()
    ]


def policies_of(project: Project) -> list[PolicyRow]:
    """Return all versions of the project's policy, the newest first."""
    rows = Policy.objects.filter(project=project).select_related("by").order_by("-version")
    return [
        PolicyRow(row.version, parse(row.rules), row.by.get_username() if row.by else "", row.at)
        for row in rows
    ]
