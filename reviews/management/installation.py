"""The project and the people that an installation starts with."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from planmode.access.models import Membership, Project, Role
from planmode.core import slugs
from reviews import members

DEFAULT_PROJECT: Final = "default"
DEFAULT_OPERATOR: Final = "operator"
LOGINS_FILE: Final = "demo-logins.txt"


@dataclass(frozen=True, slots=True)
class Seat:
    """A person of the demo; ``everywhere``: the role holds for all projects."""

    name: str
    role: Role
    does: str
    everywhere: bool = False


SEATS: Final = (
    Seat(DEFAULT_OPERATOR, Role.OPERATOR, "starts agents and owns their sessions"),
    Seat("reviewer", Role.REVIEWER, "reads plans and decides"),
    Seat("lead", Role.LEAD, "decides, on the second level, too"),
    Seat("admin", Role.ADMIN, "sees the audit trail", everywhere=True),
    Seat("manager", Role.MANAGER, "sees the figures", everywhere=True),
)


@dataclass(frozen=True, slots=True)
class Login:
    """How a person of the demo logs in."""

    name: str
    password: str
    does: str


@transaction.atomic
def prepare() -> list[Login]:
    """Make whatever is missing of the project ``default`` and the demo's people.

    Passwords are made on the first run and kept in the data folder, readable by its owner only.
    A person who is there already keeps the password, unless its record is lost.
    """
    project = _default_project()
    kept = _kept_passwords()
    logins = [_seated(seat, project, kept.get(seat.name, "")) for seat in SEATS]
    _keep(logins)
    return logins


def _default_project() -> Project:
    found = Project.objects.filter(name=DEFAULT_PROJECT).first()
    if found is not None:
        return found
    project = Project(
        name=DEFAULT_PROJECT,
        allow_auto=settings.DEFAULT_ALLOW_AUTO,
        allow_self_review=settings.DEFAULT_ALLOW_SELF_REVIEW,
    )
    members.add_project(project)
    return project


def _seated(seat: Seat, project: Project, password: str) -> Login:
    user, new = User.objects.get_or_create(username=seat.name)
    if new or not password:
        password = password or slugs.plan_id(secrets.choice, ())
        user.set_password(password)
        user.is_staff = user.is_superuser = seat.role is Role.ADMIN
        user.save()
    place = None if seat.everywhere else project
    if not Membership.objects.filter(user=user, project=place, role=seat.role).exists():
        members.add_member(Membership(user=user, project=place, role=seat.role))
    return Login(seat.name, password, seat.does)


def _logins_path() -> Path:
    return Path(settings.DATA_DIR) / LOGINS_FILE


def _kept_passwords() -> dict[str, str]:
    try:
        lines = _logins_path().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}  # noqa: PLR2004 - a pair


def _keep(logins: list[Login]) -> None:
    path = _logins_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = "".join(f"{login.name} {login.password}\n" for login in logins)
    path.touch(mode=0o600)
    path.chmod(0o600)  # before anything secret is in it, whoever made the file
    path.write_text(text, encoding="utf-8")
