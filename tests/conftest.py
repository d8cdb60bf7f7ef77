"""Fixtures that several rooms share."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from hypothesis import settings as hypothesis
from pytest_django import Settings

from planmode.access.models import Membership, Project, Role

hypothesis.register_profile("soak", deadline=None)  # tests that know it do more under it


@pytest.fixture(autouse=True)
def own_data(settings: Settings, tmp_path: Path) -> Path:
    """Each test has its own data folder and workspace root: nothing of a run outlives it."""
    settings.DATA_DIR = tmp_path / "data"
    settings.WORKSPACE_ROOTS = [tmp_path / "workspaces"]
    settings.SCRIPTS_DIR = tmp_path / "scripts"
    settings.STATIC_ROOT = settings.DATA_DIR  # WhiteNoise warns of a missing one
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # not slow
    for folder in (settings.DATA_DIR, settings.WORKSPACE_ROOTS[0], settings.SCRIPTS_DIR):
        folder.mkdir()
    return tmp_path


@pytest.fixture
def project(db: None) -> Project:
    """The project ``default``: nothing is automatic, nobody reviews their own plans."""
    return Project.objects.create(name="default")


def member(project: Project, name: str, *roles: Role) -> User:
    """Return a user of ``project`` with ``roles``."""
    user = User.objects.create_user(name, password=f"{name}-pass-word")
    Membership.objects.bulk_create(
        Membership(user=user, project=project, role=role) for role in roles
    )
    return user


@pytest.fixture
def operator(project: Project) -> User:
    """Owns sessions."""
    return member(project, "operator", Role.OPERATOR)


@pytest.fixture
def reviewer(project: Project) -> User:
    """Decides."""
    return member(project, "reviewer", Role.REVIEWER)


@pytest.fixture
def manager(project: Project) -> User:
    """Reads figures, titles and states."""
    return member(project, "manager", Role.MANAGER)


@pytest.fixture
def admin(project: Project) -> User:
    """Reads everything, decides nothing."""
    return member(project, "admin", Role.ADMIN)


@pytest.fixture
def stranger(db: None) -> User:
    """A person with a log-in and no role."""
    return User.objects.create_user("stranger", password="stranger-pass-word")
