"""What an agent can reach, and the forms of names."""

from pathlib import Path, PurePosixPath

import pytest

from planmode.agent.workspace import LARGEST_FILE, Reach, writing, written
from planmode.core.guard import CallFacts
from planmode.store.confined import ConfinedFolder, PathMissingError, PathRefusedError

P = PurePosixPath
PLAN = P("agents/main/plans/bold-amber-fox.md")


@pytest.fixture
def reach(tmp_path: Path) -> Reach:
    work, session = tmp_path / "work", tmp_path / "data/sessions/s1"
    for folder in (work / "agents/main/plans", session):
        folder.mkdir(parents=True)
    return Reach(ConfinedFolder(work), ConfinedFolder(session), PLAN)


def _path(reach: Reach, path: str) -> str:
    assert reach.plans is not None
    return path.replace("{W}", str(reach.workspace.root)).replace("{S}", str(reach.plans.root))


@pytest.mark.parametrize(
    ("path", "kind", "relative"),
    [
        pytest.param("src/a.py", "workspace", P("src/a.py"), id="relative"),
        pytest.param("{W}/src/a.py", "workspace", P("src/a.py"), id="absolute"),
        pytest.param("{W}", "workspace", P(), id="the workspace"),
        pytest.param("{S}/agents/main/plans/bold-amber-fox.md", "plan_file", PLAN, id="plan file"),
        pytest.param(
            "{S}/agents/main/plans/old.md", "plans", P("agents/main/plans/old.md"), id="old plan"
        ),
        pytest.param("{S}/agents/x1/plans", "plans", P("agents/x1/plans"), id="plans folder"),
        pytest.param(
            "{S}/agents/main/plans/bold-amber-fox.md/", "plans", PLAN, id="plan file as a folder"
        ),
        pytest.param(str(PLAN), "workspace", PLAN, id="the plan's tail below the workspace"),
    ],
)
def test_where_a_path_leads(reach: Reach, path: str, kind: str, relative: P) -> None:
    place = reach.locate(_path(reach, path))
    assert (place.kind, place.relative) == (kind, relative)


@pytest.mark.parametrize(
    "path",
    [
        "{S}",
        "{S}/agents/main/log.db",
        "{S}/../s2/agents/main/plans/x.md",
        "/etc/passwd",
        "../x",
        "",
    ],
)
def test_what_is_out_of_reach(reach: Reach, path: str) -> None:
    with pytest.raises(PathRefusedError):
        reach.locate(_path(reach, path))
    named = _path(reach, path)
    assert writing("Write", named, reach) == CallFacts("Write", targets=(named,))


def test_a_session_inside_the_workspace_is_no_part_of_it(tmp_path: Path) -> None:
    reach = Reach(ConfinedFolder(tmp_path), ConfinedFolder(tmp_path / "var/s1"), PLAN)
    assert reach.locate(f"var/s1/{PLAN}").kind == "plan_file"
    with pytest.raises(PathRefusedError):
        reach.locate("var/s1/notes.txt")
    assert reach.locate("var/s2.txt").kind == "workspace"


def test_the_guard_is_told_where_a_write_goes(reach: Reach) -> None:
    plan = _path(reach, f"{{S}}/{PLAN}")
    assert writing("Edit", plan, reach) == CallFacts("Edit", plan_file=True, targets=(plan,))
    assert writing("Edit", "./a.py", reach) == CallFacts("Edit", workspace=True, targets=("a.py",))
    old = _path(reach, "{S}/agents/main/plans/old.md")
    assert writing("Edit", old, reach) == CallFacts("Edit", targets=(old,))


def test_the_plan_file_is_written_and_read(reach: Reach) -> None:
    assert reach.plan_path == _path(reach, f"{{S}}/{PLAN}")
    assert reach.read_plan() is None
    place = reach.locate(str(reach.plan_path))
    reach.write(place, b"# Plan\n")
    assert reach.read(place) == b"# Plan\n"
    assert reach.read_plan() == b"# Plan\n"


def test_a_plan_that_is_no_file_is_refused(reach: Reach) -> None:
    Path(str(reach.plan_path)).mkdir(parents=True)
    with pytest.raises(PathRefusedError):
        reach.read_plan()


def test_another_plan_is_read_only(reach: Reach) -> None:
    old = Path(_path(reach, "{S}/agents/main/plans/old.md"))
    old.parent.mkdir(parents=True)
    old.write_text("old")
    place = reach.locate(str(old))
    assert reach.read(place) == b"old"
    with pytest.raises(PathRefusedError, match="not the current plan file"):
        reach.write(place, b"new")
    assert old.read_text() == "old"


def test_without_a_plan_folder_there_is_no_plan(reach: Reach) -> None:
    plan = str(reach.plan_path)
    bare = Reach(reach.workspace, None, None)
    assert bare.plan_path is None
    assert bare.read_plan() is None
    with pytest.raises(PathRefusedError):
        bare.locate(plan)


def test_files_are_bounded(reach: Reach) -> None:
    place = reach.locate("big.bin")
    with pytest.raises(PathRefusedError, match="larger"):
        reach.write(place, b"x" * (LARGEST_FILE + 1))
    with pytest.raises(PathMissingError):
        reach.read(place)
    reach.write(place, b"x" * LARGEST_FILE)
    assert len(reach.read(place)) == LARGEST_FILE


def test_only_a_plan_file_is_worth_an_event(reach: Reach) -> None:
    assert written(reach.locate("a.py"), b"x") == ()
    (event,) = written(reach.locate(str(reach.plan_path)), b"x")
    assert (event.plan_id, event.size) == ("bold-amber-fox", 1)
    assert event.sha256 == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"


def test_the_session_folder_is_made_when_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    reach = Reach(ConfinedFolder(tmp_path / "work"), ConfinedFolder(tmp_path / "d/s1"), PLAN)
    reach.write(reach.locate(str(reach.plan_path)), b"# Plan\n")
    assert reach.read_plan() == b"# Plan\n"


def test_a_missing_workspace_stays_missing(tmp_path: Path) -> None:
    reach = Reach(ConfinedFolder(tmp_path / "gone"), None, None)
    with pytest.raises(PathMissingError):
        reach.write(reach.locate("a.py"), b"")
    assert not (tmp_path / "gone").exists()


@pytest.fixture
def shared(reach: Reach) -> Reach:
    """The same files, with the plan file in a folder of the workspace."""
    return Reach(reach.workspace, reach.plans, P(".plans/tidy-parser.md"), in_workspace=True)


def test_a_plan_file_in_the_workspace_is_the_plan_file_alone(shared: Reach) -> None:
    """claude:C-13."""
    root = shared.workspace.root
    assert shared.plan_path == str(root / ".plans/tidy-parser.md")
    for name in (".plans/tidy-parser.md", f"{root}/.plans/tidy-parser.md"):
        targets = (".plans/tidy-parser.md",)
        assert writing("Write", name, shared) == CallFacts("Write", plan_file=True, targets=targets)
    for name in (".plans/other.md", ".plans/tidy-parser.md/", ".plans", "parser.py"):
        facts = writing("Write", name, shared)
        assert facts == CallFacts("Write", workspace=True, targets=(name.removesuffix("/"),))
    old = _path(shared, f"{{S}}/{PLAN}")
    assert writing("Write", old, shared) == CallFacts("Write", targets=(old,))


def test_a_plan_file_in_the_workspace_gets_the_folders_that_it_lacks(shared: Reach) -> None:
    """complaints:K-38."""
    assert shared.read_plan() is None
    shared.write(shared.locate(".plans/tidy-parser.md"), b"# Plan\n")
    assert shared.read_plan() == b"# Plan\n"


def test_a_plan_file_behind_a_link_is_neither_read_nor_written(
    shared: Reach, tmp_path: Path
) -> None:
    """claude:C-10."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "tidy-parser.md").write_text("theirs")
    (shared.workspace.root / ".plans").symlink_to(outside)
    with pytest.raises(PathRefusedError):
        shared.read_plan()
    with pytest.raises(PathRefusedError):
        shared.write(shared.locate(".plans/tidy-parser.md"), b"ours")
    assert (outside / "tidy-parser.md").read_text() == "theirs"
