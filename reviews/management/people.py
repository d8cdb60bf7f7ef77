"""The people and the project that commands act for."""

from uuid import UUID

from django.contrib.auth.models import User
from django.core.management import CommandError
from django.db import connection

from planmode import queries
from planmode.access.may import Action, caller_of, may
from planmode.access.models import Project
from planmode.core.errors import SessionUnknownError

BAD_USAGE = 2
"""The exit status of every command that was given something it can't use."""
_PREPARE = "run: manage.py demo --prepare"


def find_user(name: str) -> User:
    """Return the active user ``name``.

    Raises:
        CommandError: there is none; says what to do.
    """
    _require_tables()
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise CommandError(
            f"there is no active user {name!r}; to get the demo's people, {_PREPARE}",
            returncode=BAD_USAGE,
        )
    return user


def find_project(name: str) -> Project:
    """Return the project ``name``.

    Raises:
        CommandError: there is none; says what to do.
    """
    _require_tables()
    project = Project.objects.filter(name=name).first()
    if project is None:
        raise CommandError(
            f"there is no project {name!r}; to get the project 'default', {_PREPARE}",
            returncode=BAD_USAGE,
        )
    return project


def find_steered(text: str, user: User, action: Action) -> UUID:
    """Return the id of the session ``text``, to which ``user`` may do ``action``.

    Raises:
        CommandError: there is none, or they may not; says what to do.
    """
    _require_tables()
    try:
        session_id = UUID(text)
        may_do = may(caller_of(user), action, queries.owned(session_id))
    except (ValueError, SessionUnknownError):
        raise CommandError(f"there is no session {text!r}", returncode=BAD_USAGE) from None
    if not may_do:
        raise CommandError(
            f"{user} is not the operator of session {text}: name its owner with --user",
            returncode=BAD_USAGE,
        )
    return session_id


def _require_tables() -> None:
    if Project._meta.db_table not in connection.introspection.table_names():  # noqa: SLF001 - public API
        raise CommandError(f"the database is empty; {_PREPARE}", returncode=BAD_USAGE)
