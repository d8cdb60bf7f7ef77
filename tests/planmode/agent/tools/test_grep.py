"""Grep, with and without ripgrep and the sandbox."""

import shutil
from pathlib import Path

import pytest

from planmode.agent.sandbox import Sandbox
from tests.planmode.agent.tools.conftest import Ground
from tests.requirements import need


@pytest.fixture(params=["sandboxed ripgrep", "ripgrep", "neither"])
def searching(
    request: pytest.FixtureRequest, ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Ground:
    """The ground, searched in each of the three ways, with the same files."""
    (ground.work / "src").mkdir()
    (ground.work / "src/a.py").write_text("import os\n\n\ndef run() -> None:\n    pass\n")
    (ground.work / "b.txt").write_text("one\nrun()\ntwo\nthree\nfour\nfive\nrun()\n")
    (ground.work / ".git").mkdir()
    (ground.work / ".git/config").write_text("run()\n")
    (ground.work / ".hidden").write_text("run()\n")
    (ground.work / "c.bin").write_bytes(b"\0run()\n")
    (ground.work / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text("run() secret\n")
    if request.param == "neither":
        monkeypatch.setattr(shutil, "which", lambda _: None)
        return ground
    need("ripgrep", shutil.which("rg") is not None)
    if request.param == "ripgrep":
        return ground.changed(sandbox=Sandbox())
    need("working bubblewrap", Sandbox.probe().available)
    return ground


def test_matches_are_shown_with_their_place(searching: Ground) -> None:
    text = searching.text("Grep", pattern=r"run\(\)")
    assert text == (".hidden:1:run()\nb.txt:2:run()\nb.txt:7:run()\nsrc/a.py:4:def run() -> None:")


def test_context_is_shown_around_matches(searching: Ground) -> None:
    text = searching.text("Grep", pattern=r"^run", path="b.txt", context=1)
    assert text == "b.txt-1-one\nb.txt:2:run()\nb.txt-3-two\n--\nb.txt-6-five\nb.txt:7:run()"


def test_files_alone(searching: Ground) -> None:
    text = searching.text("Grep", pattern="run", output_mode="files")
    assert text == ".hidden\nb.txt\nsrc/a.py"


def test_files_are_chosen_by_name(searching: Ground) -> None:
    assert searching.text("Grep", pattern="run", glob="*.py") == "src/a.py:4:def run() -> None:"
    assert searching.text("Grep", pattern="run", glob="*.rs") == "No match."


def test_a_folder_is_searched_below(searching: Ground) -> None:
    assert searching.text("Grep", pattern="run", path="src") == "src/a.py:4:def run() -> None:"


def test_nothing_found_is_no_error(searching: Ground) -> None:
    assert searching.text("Grep", pattern="nowhere to be found") == "No match."


def test_a_pattern_is_never_an_option(searching: Ground) -> None:
    (searching.work / "d.txt").write_text("--files $(touch pwned) 'x'\n")
    assert searching.text("Grep", pattern="--files") == "d.txt:1:--files $(touch pwned) 'x'"
    assert searching.text("Grep", pattern=r"\$\(touch pwned\) 'x'").startswith("d.txt:1:")
    assert not (searching.work / "pwned").exists()


def test_a_pattern_that_is_wrong_is_explained(searching: Ground) -> None:
    assert "unclosed group" in searching.error("Grep", pattern="(a")


def test_a_cruel_pattern_ends_soon(searching: Ground) -> None:
    (searching.work / "e.txt").write_text("a" * 5000 + "b\n")
    assert searching.text("Grep", pattern="^(a+)+$", path="e.txt") == "No match."


def test_many_matches_are_cut(searching: Ground) -> None:
    (searching.work / "f.txt").write_text("match\n" * 1000)
    lines = searching.text("Grep", pattern="match").splitlines()
    assert len(lines) == 401
    assert lines[-1] == "(cut after 400 lines)"


def test_long_lines_are_cut(searching: Ground) -> None:
    (searching.work / "g.txt").write_text("match" + "x" * 100_000 + "\n")
    assert len(searching.text("Grep", pattern="match")) < 1000


def test_no_link_leads_out(searching: Ground) -> None:
    assert "secret" not in searching.text("Grep", pattern="run")
    for path in ("out", "out/secret.txt", "/etc", "../outside"):
        assert "run() secret" not in searching.error("Grep", pattern="run", path=path)


def test_a_missing_place_is_an_error(searching: Ground) -> None:
    assert "no file or folder" in searching.error("Grep", pattern="run", path="none")


def test_plans_are_searched_too(searching: Ground) -> None:
    searching.plan.parent.mkdir(parents=True)
    searching.plan.write_text("# Run\n")
    text = searching.text("Grep", pattern="Run", path=str(searching.plan.parent))
    assert text == f"{searching.plan}:1:# Run"


def test_a_glob_that_is_wrong_finds_nothing_or_says_so(searching: Ground) -> None:
    result = searching.result("Grep", pattern="run", glob="{a")
    assert result.text in {"No match.", "The search failed: check the pattern and the glob"}
