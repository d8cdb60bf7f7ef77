"""run_session: bad usage, and whole runs beside a real server."""

import json
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings

from planmode.models import Session
from tests.factories import call, submits
from tests.processes import EmbeddedServer, Login, Program

pytestmark = pytest.mark.process

WAITS = r"waits for a decision on revision (\d+): http://127\.0\.0\.1:\d+/reviews/(\S+)"


def run_session(**options: str) -> None:
    given = {"workspace": str(settings.WORKSPACE_ROOTS[0]), "prompt": "Tidy up", **options}
    args = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if value]
    call_command("run_session", *args)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({"prompt": ""}, "required: --prompt", id="no prompt"),
        pytest.param({"prompt": " "}, "the message is blank", id="blank prompt"),
        pytest.param({"prompt": "/plan off"}, "manage.py say", id="a command"),
        pytest.param({"prompt": "/help"}, "there is no command /help", id="no command"),
        pytest.param({"workspace": ""}, "required: --workspace", id="no workspace"),
        pytest.param({"workspace": "missing"}, "no folder that can be read", id="no folder"),
        pytest.param({"preset": "other"}, "invalid choice: 'other'", id="preset"),
        pytest.param({"permission_mode": "any"}, "invalid choice: 'any'", id="permission mode"),
        pytest.param({"model": ""}, "name a model", id="no model"),
        pytest.param({"model": "gpt"}, "write provider:model", id="no model's name"),
        pytest.param({"model": "scripted:missing.yaml"}, "No such file", id="no script"),
        pytest.param({"model": "scripted:broken.yaml"}, "reply 0, txt: unknown key", id="script"),
        pytest.param({"user": "nobody"}, "no active user 'nobody'", id="user"),
        pytest.param({"user": "reviewer"}, "reviewer is no operator", id="not an operator"),
        pytest.param({"project": "other"}, "no project 'other'", id="project"),
    ],
)
def test_bad_usage_starts_nothing(
    options: dict[str, str], reason: str, operator: User, reviewer: User
) -> None:
    with pytest.raises(CommandError, match=reason) as refusal:
        run_session(**{"model": "scripted:any.yaml", **options})
    assert refusal.value.returncode == 2 or "choice" in reason or "required" in reason
    assert not Session.objects.exists()


@pytest.fixture(autouse=True)
def scripts(settings: Settings, tmp_path: Path) -> None:
    settings.SCRIPTS_DIR = tmp_path
    (tmp_path / "any.yaml").write_text("replies: [{text: Done.}]")
    (tmp_path / "broken.yaml").write_text("replies: [{txt: Done.}]")


def test_the_installations_own_data_are_no_workspace(operator: User) -> None:
    with pytest.raises(CommandError, match="own data") as refusal:
        run_session(model="scripted:any.yaml", workspace=str(settings.DATA_DIR))
    assert refusal.value.returncode == 2


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture(scope="module")
def people(server: EmbeddedServer) -> dict[str, Login]:
    return server.people()


def command(server: EmbeddedServer, workspace: Path, **options: str) -> list[str]:
    """Return the command line; the workspace lies outside WORKSPACE_ROOTS, as a user's own does."""
    workspace.mkdir(exist_ok=True)
    (workspace / "parser.py").write_text("value = 1\n", encoding="utf-8")
    given = {"workspace": str(workspace), "prompt": "Tidy up", **options}
    return ["manage.py", "run_session", *(f"--{name}={value}" for name, value in given.items())]


def decide(
    server: EmbeddedServer, people: dict[str, Login], review: str, decision: Mapping[str, Any]
) -> None:
    """Let the reviewer decide, as a browser does."""
    sha256 = server.api("GET", f"/api/v1/reviews/{review}", people["operator"])["sha256"]
    by = people["reviewer"]
    secret = "a" * 32
    request = Request(  # noqa: S310 - our own server
        f"{server.url}/api/v1/reviews/{review}/decision",
        data=json.dumps({"sha256": sha256, **decision}).encode(),
        headers={
            "Cookie": f"sessionid={by.cookie}; csrftoken={secret}",
            "X-CSRFToken": secret,
            "Content-Type": "application/json",
        },
    )
    with urlopen(request, timeout=20) as response:  # noqa: S310 - as above
        assert response.status == 200


def test_a_plan_is_sent_back_approved_and_carried_out(
    server: EmbeddedServer, people: dict[str, Login], tmp_path: Path
) -> None:
    edit = call("Edit", path="parser.py", old_string="1", new_string="2")
    model = server.script(
        "whole",
        {"text": "I look.", "tool_calls": [call("Read", path="parser.py")]},
        submits("# First\n"),
        {"after": "revise", **submits("# Second\n")},
        {"after": "approved", "tool_calls": [edit]},
        {"after": "approved", "text": "Done."},
    )
    args = command(server, tmp_path / "mine", model=model, **{"permission-mode": "accept_edits"})
    with server.running(*args) as run:
        first = run.wait_for(WAITS)
        decide(server, people, first[2], {"decision": "revise", "feedback": "More"})
        second = run.wait_for(WAITS)
        decide(server, people, second[2], {"decision": "approve"})
        assert run.wait() == 0
    assert (first[1], second[1]) == ("1", "2")
    assert f"revision 1: {server.url}/reviews/{first[2]}" in run.output, "the server's own port"
    assert (tmp_path / "mine" / "parser.py").read_text() == "value = 2\n"
    for told in ("agent: I look.", "Read parser.py", "Edit parser.py", "done after 5 steps"):
        assert told in run.output
    assert "\x1b" not in run.output  # a pipe gets plain lines


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        pytest.param({"decision": "approve", "start": False}, 0, id="approve without a start"),
        pytest.param({"decision": "reject", "reason": "No"}, 3, id="reject"),
        pytest.param({"decision": "reject_and_exit", "reason": "No"}, 4, id="reject and exit"),
    ],
)
def test_the_exit_status_tells_the_decision(
    decision: dict[str, Any],
    status: int,
    server: EmbeddedServer,
    people: dict[str, Login],
    tmp_path: Path,
) -> None:
    model = server.script("once", submits())
    with server.running(*command(server, tmp_path / "mine", model=model)) as run:
        decide(server, people, run.wait_for(WAITS)[2], decision)
        assert run.wait() == status


def test_a_script_of_the_users_own_folder_that_ends_fails(
    server: EmbeddedServer, people: dict[str, Login], tmp_path: Path
) -> None:
    script = tmp_path / "own.yaml"
    script.write_text("replies: [{tool_calls: [{name: Read, args: {path: parser.py}}]}]")
    args = command(server, tmp_path / "mine", model=f"scripted:{script}")
    with server.running(*args, "--no-plan") as run:
        assert run.wait() == 5
    assert "failed (the script has no reply left" in run.output


def test_ctrl_c_detaches_and_the_review_stays_open(
    server: EmbeddedServer, people: dict[str, Login], tmp_path: Path
) -> None:
    model = server.script("detached", submits(), {"text": "Done."})
    with server.running(*command(server, tmp_path / "mine", model=model)) as run:
        review = run.wait_for(WAITS)[2]
        assert interrupted(run) == 130
    assert "the session goes on in the worker" in run.output
    found = server.api("GET", f"/api/v1/reviews/{review}", people["operator"])
    assert found["status"] == "open"


def interrupted(run: Program) -> int:
    """Send Ctrl-C; return the exit status, for which no traceback is the reason."""
    run.send(signal.SIGINT)
    status = run.wait()
    assert "Traceback" not in run.output
    return status


def test_without_a_server_it_says_what_to_run_and_waits(tmp_path: Path) -> None:
    alone = EmbeddedServer(tmp_path / "data")
    alone.manage("migrate", "-v0")
    alone.people()
    model = alone.script("any", {"text": "Done."})
    with alone.running(*command(alone, tmp_path / "mine", model=model)) as run:
        run.wait_for("run: manage.py serve")
        assert interrupted(run) == 130


def test_before_anything_is_prepared_it_says_what_to_run(tmp_path: Path) -> None:
    alone = EmbeddedServer(tmp_path / "data")
    with alone.running(*command(alone, tmp_path / "mine", model="scripted:any.yaml")) as run:
        assert run.wait() == 2
    assert "run: manage.py demo --prepare" in run.output
    assert "Traceback" not in run.output
