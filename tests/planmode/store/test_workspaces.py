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
    assert workspaces.checked(str(root), local=False) == str(root)


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
    assert workspaces.checked(str(more), local=False) == str(more)


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
