"""What a session has that says nothing itself."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from pytest_django import Settings

from planmode.access.models import Project
from planmode.core.errors import WorkspaceRefusedError
from planmode.models import Session
from planmode.services import NewSession, start_session


@pytest.fixture
def root(own_data: Path, project: Project) -> Path:
    """The workspace root of the project, with two folders in it."""
    folder = own_data / "workspaces" / "team"
    (folder / "shop").mkdir(parents=True)
    project.workspace_root = str(folder)
    project.save()
    return folder


def started(owner: User, **fields: str) -> Session:
    fields = {"project": "default", "workspace": "", "prompt": "Plan", **fields}
    new = NewSession(**fields)  # type: ignore[arg-type]
    return Session.objects.get(pk=start_session(new, owner=owner))


def test_a_session_takes_the_projects_defaults(
    operator: User, project: Project, root: Path
) -> None:
    project.preset, project.model, project.permission_mode = "pi", "test:mine", "yolo"
    project.save()
    session = started(operator)
    assert (session.model, session.workspace) == ("test:mine", str(root))
    assert (session.fold.preset, session.fold.permission_mode) == ("pi", "yolo")


def test_what_a_session_says_goes_before(operator: User, project: Project, root: Path) -> None:
    project.preset, project.model = "pi", "test:mine"
    project.save()
    session = started(operator, preset="kimi", model="test:other", workspace="shop")
    assert (session.fold.preset, session.model) == ("kimi", "test:other")
    assert session.workspace == str(root / "shop")


def test_the_installation_says_what_the_project_does_not(
    operator: User, root: Path, settings: Settings
) -> None:
    settings.DEFAULT_MODEL = "test:usual"
    session = started(operator)
    assert session.model == "test:usual"
    assert (session.fold.preset, session.fold.permission_mode) == ("kimi", "manual")


@pytest.mark.parametrize("place", ["..", "../other", "/"])
def test_no_workspace_lies_outside_the_projects_root(
    operator: User, root: Path, place: str
) -> None:
    (root.parent / "other").mkdir()
    with pytest.raises(WorkspaceRefusedError):
        started(operator, workspace=place, model="test:x")


def test_a_link_does_not_lead_out_of_the_projects_root(operator: User, root: Path) -> None:
    (root.parent / "other").mkdir()
    (root / "link").symlink_to(root.parent / "other")
    with pytest.raises(WorkspaceRefusedError, match="project's workspace root"):
        started(operator, workspace="link", model="test:x")


def test_an_empty_workspace_needs_a_root_of_the_project(operator: User, project: Project) -> None:
    with pytest.raises(WorkspaceRefusedError):
        started(operator, model="test:x")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("workspace_root", "/nowhere-at-all", "no folder"),
        ("workspace_root", "shop", "named from /"),
        ("workspace_root", "/", "below one of"),
        ("preset", "kimono", "only: claude"),
        ("permission_mode", "all", "only: accept_edits"),
        ("model", "scripted:../x", "SCRIPTS_DIR"),
        ("model", "a\nb", "name a model"),
        ("rules", "allow Bash(x)", "tighten"),
    ],
)
def test_what_no_session_could_have_is_refused_at_its_field(
    project: Project, field: str, value: str, said: str
) -> None:
    setattr(project, field, value)
    with pytest.raises(ValidationError) as refused:
        project.clean()
    assert list(refused.value.message_dict) == [field]
    assert said in refused.value.message_dict[field][0]


def test_the_installations_own_root_is_no_projects(project: Project, own_data: Path) -> None:
    project.workspace_root = str(own_data / "workspaces")
    with pytest.raises(ValidationError, match="below one of"):
        project.clean()


def test_defaults_that_sessions_can_have_are_kept(project: Project, root: Path) -> None:
    project.preset, project.model, project.permission_mode = "claude", "openai:gpt-5", "auto"
    project.clean()
