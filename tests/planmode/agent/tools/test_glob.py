"""Glob: names of files, sorted and bounded."""

from tests.planmode.agent.tools.conftest import Ground


def _files(ground: Ground, *names: str) -> None:
    for name in names:
        path = ground.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_files_are_listed_in_order(ground: Ground) -> None:
    _files(ground, "src/b.py", "a.py", "src/deep/c.py", "src/d.txt", ".git/x.py", ".ci/e.py")
    text = ground.text("Glob", pattern="**/*.py")
    assert text == ".ci/e.py\na.py\nsrc/b.py\nsrc/deep/c.py"


def test_the_pattern_counts_from_the_path(ground: Ground) -> None:
    _files(ground, "src/b.py", "a.py")
    assert ground.text("Glob", pattern="*.py", path="src") == "src/b.py"
    assert ground.text("Glob", pattern="*.rs") == "No file matches."


def test_a_long_list_is_cut(ground: Ground) -> None:
    _files(ground, *(f"{n:03}.txt" for n in range(205)))
    lines = ground.text("Glob", pattern="*.txt").splitlines()
    assert lines[:1] == ["000.txt"]
    assert lines[199:] == ["199.txt", "(the first 200 of 205 files)"]


def test_links_are_not_followed(ground: Ground) -> None:
    (ground.work / "out").symlink_to("/etc")
    assert ground.text("Glob", pattern="**/passwd") == "No file matches."
    assert "link" in ground.error("Glob", pattern="*", path="out")


def test_what_is_no_folder_is_an_error(ground: Ground) -> None:
    _files(ground, "a.py")
    assert ground.error("Glob", pattern="*", path="a.py")
    assert ground.error("Glob", pattern="*", path="none")
    assert "outside" in ground.error("Glob", pattern="*", path="/etc")


def test_plans_have_whole_names(ground: Ground) -> None:
    ground.plan.parent.mkdir(parents=True)
    ground.plan.write_text("")
    assert ground.text("Glob", pattern="*.md", path=str(ground.plan.parent)) == str(ground.plan)
