"""The Makefile: what it offers, and what it says when it can't."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.requirements import need

ROOT: Final = Path(__file__).resolve().parents[2]
OLD: Final = "#!/bin/sh\nexit 1\n"
NO_VENV: Final = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\n'


def make(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run make as a user would who has set nothing."""
    passed = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(  # noqa: S603 - fixed arguments
        ["make", "--no-print-directory", *args],  # noqa: S607 - found in PATH, as a user finds it
        cwd=ROOT,
        env={**passed, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture(scope="module", autouse=True)
def make_is_there() -> None:
    need("make", any(Path(part, "make").exists() for part in os.environ["PATH"].split(":")))


def test_without_a_target_it_explains_itself() -> None:
    told = make().stdout
    targets = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    assert [line.split()[0] for line in told.splitlines()] == targets[1].split()


@pytest.mark.parametrize(
    ("env", "resets"),
    [
        pytest.param({}, False, id="continue"),
        pytest.param({"RESET": "0"}, False, id="RESET=0"),
        pytest.param({"RESET": "1"}, True, id="RESET=1"),
    ],
)
def test_only_reset_starts_over(env: dict[str, str], resets: bool) -> None:  # noqa: FBT001
    (command,) = [
        line for line in make("-n", "demo", **env).stdout.splitlines() if "manage" in line
    ]
    assert ("--reset" in command) is resets


def test_only_the_whole_suite_is_held_to_its_coverage() -> None:
    """The cores by their own tests; what runs once there runs no second time."""
    cores, rest, *_ = make("-n", "test").stdout.splitlines()
    for core in ("planmode/core", "reviews/core", "prompts"):
        assert f"--cov={core} " in cores
    assert "--cov-fail-under=100" in cores
    assert "cov" not in rest
    for tests in ("planmode/core", "reviews/core", "prompts"):
        assert f"tests/{tests}" in cores
        assert f"--ignore=tests/{tests}" in rest
    assert "pytest --cov --cov-report=term" in make("-n", "coverage").stdout
    part = make("-n", "test", "ARGS=-k guard").stdout
    assert "-m pytest -k guard\n" in part
    assert "cov" not in part


@pytest.mark.parametrize(
    ("python", "said"),
    [
        pytest.param(OLD, "Python 3.11 or newer is needed", id="an old Python"),
        pytest.param(NO_VENV, "apt install python3-venv", id="a Python without venv"),
    ],
)
def test_what_is_missing_is_said_plainly(python: str, said: str, tmp_path: Path) -> None:
    program = tmp_path / "python3"
    program.write_text(python)
    program.chmod(0o755)
    venv = tmp_path / "venv"
    ended = make(f"{venv}/bin/python", f"VENV={venv}", f"PYTHON={program}")
    assert ended.returncode != 0
    assert said in ended.stderr
    assert not venv.exists()


def test_without_any_python_it_says_which_is_needed(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    ended = make(f"{venv}/bin/python", f"VENV={venv}", "PYTHON=")
    assert ended.returncode != 0
    assert "make PYTHON=" in ended.stderr
