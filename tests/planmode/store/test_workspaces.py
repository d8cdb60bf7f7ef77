"""Which folders an agent may be put to work on."""

from pathlib import Path

import pytest
from pytest_django import Settings

from planmode.core.errors import WorkspaceRefusedError
from planmode.store import workspaces


@pytest.fixture
def root(settings: Settings) -> Path:
    """The workspace root, with one workspace in it."""
    root: Path = settings.WORKSPACE_ROOTS[0]
    (root / "work").mkdir()
    return root


def refused(path: str, *, local: bool = False) -> str:
    """Return why ``path`` is refused."""
    with pytest.raises(WorkspaceRefusedError) as caught:
        workspaces.checked(path, local=local)
    return str(caught.value)


def test_a_folder_below_a_root(root: Path) -> None:
    assert workspaces.checked("work", local=False) == str(root / "work")
    assert workspaces.checked(str(root / "work"), local=False) == str(root / "work")


def test_the_real_path_is_what_counts(root: Path, tmp_path: Path) -> None:
    (root / "alias").symlink_to(root / "work")
    assert workspaces.checked("alias", local=False) == str(root / "work")
    (tmp_path / "outside").mkdir()
    (root / "escape").symlink_to(tmp_path / "outside")
    assert "outside the workspace roots" in refused("escape")
    assert "outside the workspace roots" in refused("../outside")


def test_a_second_root_counts_too(root: Path, settings: Settings, tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    settings.WORKSPACE_ROOTS = [root, more]
    (more / "work").mkdir()
    assert workspaces.checked(str(more / "work"), local=False) == str(more / "work")


@pytest.mark.parametrize("path", [".", "", "work/.."])
def test_a_root_is_no_workspace(root: Path, path: str) -> None:
    """It holds everybody's workspaces."""
    assert "is a workspace root" in refused(path)
    assert "is a workspace root" in refused(str(root / path))


@pytest.mark.parametrize("path", ["missing", "file", "loop", "a\0b", "\ud800", "x" * 5000])
@pytest.mark.parametrize("local", [True, False])
def test_what_is_no_folder(root: Path, path: str, local: bool) -> None:  # noqa: FBT001 - a table's column
    (root / "file").write_text("text")
    (root / "loop").symlink_to(root / "loop")
    whole = str(root / path) if path in {"file", "loop"} else path
    assert "is no folder that can be read here" in refused(whole, local=local)


def test_without_a_root_nothing_is_available(settings: Settings) -> None:
    settings.WORKSPACE_ROOTS = []
    assert refused("work")


def test_a_person_on_this_machine_may_name_any_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    monkeypatch.chdir(tmp_path)
    assert workspaces.checked("mine", local=True) == str(mine)
    assert "outside the workspace roots" in refused(str(mine))


def test_nobody_may_name_what_holds_the_installation_s_own_data(
    root: Path, settings: Settings, tmp_path: Path
) -> None:
    """An agent that reads the database could act as anybody."""
    (settings.DATA_DIR / "sessions").mkdir()
    for path in (tmp_path, settings.DATA_DIR, settings.DATA_DIR / "sessions", "/"):
        assert "own data" in refused(str(path), local=True)


def test_workspaces_inside_the_data_folder_are_fine_where_they_are_the_roots(
    settings: Settings,
) -> None:
    """The embedded default: var/workspaces."""
    inside = settings.DATA_DIR / "workspaces"
    (inside / "work").mkdir(parents=True)
    settings.WORKSPACE_ROOTS = [inside]
    assert workspaces.checked("work", local=False) == str(inside / "work")
    assert workspaces.checked(str(inside / "work"), local=True) == str(inside / "work")
    for path in (inside, settings.DATA_DIR / "workspaces-2"):
        path.mkdir(exist_ok=True)
        assert "own data" in refused(str(path), local=True)


@pytest.mark.parametrize("local", [True, False])
def test_a_root_around_the_data_folder_opens_nothing_of_it(
    settings: Settings,
    tmp_path: Path,
    local: bool,  # noqa: FBT001 - a table's column
) -> None:
    """security:S19: plan files and scripts of all sessions lie there."""
    settings.WORKSPACE_ROOTS = [tmp_path]
    for name in ("sessions", "scripts"):
        (settings.DATA_DIR / name).mkdir()
        assert "own data" in refused(str(settings.DATA_DIR / name), local=local)
    assert "own data" in refused(str(settings.DATA_DIR), local=local)


def test_the_program_is_worked_on_by_people_of_this_machine_only(
    settings: Settings, tmp_path: Path
) -> None:
    """security:S19: the checkout holds the program and its .env."""
    settings.BASE_DIR = tmp_path / "checkout"
    settings.WORKSPACE_ROOTS = [tmp_path]
    (settings.BASE_DIR / "planmode").mkdir(parents=True)
    for folder in (settings.BASE_DIR, settings.BASE_DIR / "planmode"):
        assert "own data or program" in refused(str(folder))
        assert workspaces.checked(str(folder), local=True) == str(folder)
    assert "own data or program" in refused(str(settings.SCRIPTS_DIR))
    settings.DATA_DIR = settings.BASE_DIR / "var"
    settings.DATA_DIR.mkdir()
    assert "own data" in refused(str(settings.BASE_DIR), local=True)
