"""demo: the first run, the second, and a new start."""

import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError

from reviews.management import checkout
from reviews.management.resetting import reset
from tests.processes import EmbeddedServer, Program

pytestmark = pytest.mark.process

SESSIONS = """
from planmode.models import Session
from reviews.models import Review
for session in Session.objects.order_by("pk"):
    review = Review.objects.filter(session=session).order_by("opened_at").last() or Review()
    print(session.turns.get().state, review.revision_version, review.status, review.outcome)
"""
LOGIN = r"^  (operator|reviewer|lead|admin|manager) +([a-z]+-[a-z]+-[a-z]+) "


def logins(program: Program) -> dict[str, str]:
    return dict(re.findall(LOGIN, program.output, re.MULTILINE))


@contextmanager
def demo(installation: EmbeddedServer, *args: str) -> Iterator[Program]:
    """Run the demo, from the moment it has said where to look and how to log in."""
    with installation.running("manage.py", "demo", "--port", "0", *args) as program:
        program.wait_for(r"Open http://127\.0\.0\.1:\d+ and log in")
        for _ in range(5):
            program.wait_for(LOGIN)
        yield program


def test_the_demo_from_the_first_run_to_a_new_start(tmp_path: Path) -> None:
    installation = EmbeddedServer(tmp_path / "data")
    with demo(installation) as first:
        waiting = until(installation, "waiting 2 open")
        first.send(signal.SIGINT)
        assert first.wait() == 0
    assert waiting == ["waiting 1 open", "waiting 2 open", "done 1 resolved auto_approved"]
    assert "Traceback" not in first.output
    kept = installation.data_dir / "demo-logins.txt"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    with demo(installation) as second:
        assert logins(second) == logins(first)
        assert sessions(installation) == waiting

    with demo(installation, "--reset") as third:
        assert logins(third) != logins(first)
        assert until(installation, "waiting 2 open") == waiting


def sessions(installation: EmbeddedServer) -> list[str]:
    return [line.strip() for line in installation.shell(SESSIONS).splitlines()]


def until(installation: EmbeddedServer, line: str) -> list[str]:
    """Return the sessions once one of them is at ``line`` (each look takes a second or more)."""
    found: list[str] = []
    for _ in range(20):
        found = sessions(installation)
        if line in found and found[2].startswith("done"):
            return found
    raise AssertionError(found)


def test_a_taken_port_is_said_before_anything_happens(tmp_path: Path) -> None:
    installation = EmbeddedServer(tmp_path / "data")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with installation.running("manage.py", "demo", "--port", str(port)) as program:
            assert program.wait() == 2
    assert f"PORT={port + 1} make demo" in program.output
    assert not (installation.data_dir / "planmode.sqlite3").exists()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        pytest.param({"PORT": "abc"}, "PORT='abc': use a whole number from 0 to 65535", id="word"),
        pytest.param({"PORT": "99999"}, "PORT='99999': use a whole number from 0 to", id="large"),
        pytest.param({"HOST": "999.1.1.1"}, "'999.1.1.1' is no address of this", id="no address"),
        pytest.param({"HOST": "192.0.2.1"}, "'192.0.2.1' is no address of this", id="not ours"),
    ],
)
def test_settings_that_can_not_be_used_are_named(
    variables: dict[str, str], said: str, tmp_path: Path
) -> None:
    installation = EmbeddedServer(tmp_path / "data")
    installation.env.update(variables)
    with installation.running("manage.py", "demo") as program:
        assert program.wait() == 2
    assert said in program.output
    assert "another port" not in program.output
    assert "Traceback" not in program.output


@pytest.mark.parametrize("port", ["99999", "-1", "abc"])
def test_a_port_that_is_none_is_bad_usage(port: str, tmp_path: Path) -> None:
    installation = EmbeddedServer(tmp_path / "data")
    with installation.running("manage.py", "demo", f"--port={port}") as program:
        assert program.wait() == 2
    assert f"{port!r} is no port: use a whole number from 0 to 65535" in program.output
    assert "Traceback" not in program.output


def test_the_demo_is_one_process(tmp_path: Path) -> None:
    installation = EmbeddedServer(tmp_path / "data")
    installation.env["REDIS_URL"] = "redis://127.0.0.1:1"
    with installation.running("manage.py", "demo") as program:
        assert program.wait() == 2
    assert "unset REDIS_URL" in program.output


def test_prepare_makes_people_and_serves_nothing(tmp_path: Path) -> None:
    installation = EmbeddedServer(tmp_path / "data")
    told = installation.manage("demo", "--prepare")
    assert len(re.findall(LOGIN, told, re.MULTILINE)) == 5
    again = installation.manage("demo", "--prepare")
    assert again == told


def test_reset_removes_what_we_made_and_nothing_else(tmp_path: Path) -> None:
    made = ["planmode.sqlite3", "demo-logins.txt", "sessions/1/plan.md", "workspaces/demo/a.py"]
    kept = ["secret_key", "workspaces/mine/a.py", "notes.txt"]
    data = tmp_path / "installation"
    for name in made + kept:
        path = data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    reset(data)
    assert not [name for name in made if (data / name).exists()]
    assert [name for name in kept if (data / name).exists()] == kept


def test_reset_refuses_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "workspaces" / "demo").mkdir(parents=True)
    with pytest.raises(CommandError, match="nothing was removed"):
        reset(tmp_path)
    assert (tmp_path / "workspaces" / "demo").exists()


def test_reset_has_nothing_to_do_before_the_first_run(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "secret_key").write_text("key")
    reset(fresh)
    assert (fresh / "secret_key").exists()


def test_reset_follows_no_link(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "a.py").write_text("")
    data = tmp_path / "installation"
    (data / "workspaces").mkdir(parents=True)
    (data / "planmode.sqlite3").write_text("")
    (data / "workspaces" / "demo").symlink_to(mine)
    reset(data)
    assert (mine / "a.py").exists()
    assert not (data / "workspaces" / "demo").is_symlink()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with a source file, a generated one and a link."""
    folder = tmp_path / "source"
    (folder / "var").mkdir(parents=True)
    (folder / "a.py").write_text("value = 1\n")
    (folder / "var" / "data").write_text("secret")
    (folder / "link").symlink_to("a.py")
    return folder


@pytest.mark.parametrize("versioned", [True, False], ids=["with git", "without git"])
def test_copies_source_and_nothing_else(versioned: bool, source: Path, tmp_path: Path) -> None:  # noqa: FBT001
    if versioned:
        for args in (["init", "-q"], ["add", "a.py", "link"]):
            subprocess.run(["git", *args], cwd=source, check=True)  # noqa: S603, S607 - fixed
    target = tmp_path / "workspaces" / "demo"
    checkout.copy(source, target)
    assert sorted(path.name for path in target.iterdir()) == ["a.py", "link"]
    assert (target / "link").is_symlink()


def test_a_copy_is_made_once(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "demo"
    checkout.copy(source, target)
    (target / "a.py").write_text("value = 2\n")
    checkout.copy(source, target)
    assert (target / "a.py").read_text() == "value = 2\n"
