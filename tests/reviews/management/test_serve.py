"""manage.py serve as a real process."""

import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.factories import call, submits
from tests.processes import EmbeddedServer, Installation, Program

pytestmark = pytest.mark.process

SOON: Final = 20.0
FAST_S: Final = 7.0
"""Below the time after which what still runs is ended."""


class Unserved(EmbeddedServer):
    """A database with people in it that no server uses yet."""

    def _start(self, stack: ExitStack) -> None:  # noqa: ARG002 - there is nothing to end
        self.furnish()

    def serve(self, stack: ExitStack, *args: str) -> Program:
        """Serve with more arguments; return the process once it serves."""
        program = stack.enter_context(self.serving(*args))
        self.wait_for(program)
        return program

    def start(self, name: str, *replies: dict[str, Any], **fields: object) -> str:
        """Start a session that plays ``replies``; return its id."""
        model = self.script(name, *replies)
        return self.start_session(self.people()["operator"], model, **fields)

    def until(self, session_id: str, name: str) -> None:
        """Wait until the session's log holds an event of that name."""
        after, deadline = 0, time.monotonic() + SOON
        while time.monotonic() < deadline:
            path = f"/api/v1/sessions/{session_id}/events?after={after}"
            page = self.api("GET", path, self.people()["operator"])
            if any(event["name"] == name for event in page["results"]):
                return
            after = page["next_after"]
        pytest.fail(f"no {name} within {SOON} s")

    def turn(self, session_id: str) -> str:
        """Return the state of the session's turn, as another process finds it."""
        query = "SELECT state FROM planmode_turn WHERE session_id = ?"
        state: str = self._row(query, session_id.replace("-", ""))
        return state

    def workers(self) -> int:
        """Return how many workers say that they live."""
        count: int = self._row("SELECT count(*) FROM planmode_heartbeat")
        return count

    def _row(self, query: str, *values: str) -> Any:  # noqa: ANN401 - a column
        with closing(sqlite3.connect(self.database)) as database:
            return database.execute(query, values).fetchone()[0]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def here(stack: ExitStack, tmp_path: Path) -> Unserved:
    return stack.enter_context(Unserved(tmp_path / "data"))


def end(program: Program) -> float:
    """End ``program``, which must be clean; return how many seconds that took."""
    began = time.monotonic()
    program.end()
    return time.monotonic() - began


def test_without_migrations_it_says_so(tmp_path: Path) -> None:
    with Installation(tmp_path / "data").serving() as program:
        assert program.wait() == 2
    assert "migrations are missing; run: manage.py migrate" in program.output
    assert "Traceback" not in program.output


def test_a_port_in_use_is_named(here: Unserved) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with here.serving("--port", port) as program:
            assert program.wait() == 1
    assert f"port {port} of 127.0.0.1 can't be used" in program.output
    assert "Traceback" not in program.output


def test_a_host_that_is_none_is_named(here: Unserved) -> None:
    with here.serving("--host", "999.1.1.1") as program:
        assert program.wait() == 1
    assert "'999.1.1.1' is no address of this machine" in program.output
    assert "port" not in program.output
    assert "Traceback" not in program.output


def test_it_works_on_what_other_processes_wrote_and_leaves_nothing_behind(
    here: Unserved, stack: ExitStack
) -> None:
    web = here.serve(stack, "--no-worker")
    session = here.start("plans", submits())
    end(web)
    assert (here.turn(session), here.workers()) == ("queued", 0)

    program = here.serve(stack)
    here.until(session, "plan.submitted")
    assert here.workers() == 1
    assert end(program) < FAST_S
    assert (here.turn(session), here.workers()) == ("waiting", 0)
    with pytest.raises(URLError):
        urlopen(here.url, timeout=SOON)  # noqa: S310 - where our server was


def test_a_step_that_runs_ends_first_and_its_turn_is_handed_back(
    here: Unserved, stack: ExitStack
) -> None:
    program = here.serve(stack)
    slow = {"latency_ms": 1500, "tool_calls": [call("TodoList", items=[])]}
    session = here.start("slow", slow, submits())
    here.until(session, "step.started")
    assert end(program) < FAST_S
    assert here.turn(session) == "queued"
    here.serve(stack)
    here.until(session, "plan.submitted")


def test_what_holds_out_does_not_hold_the_server(here: Unserved, stack: ExitStack) -> None:
    program = here.serve(stack)
    endless = {"tool_calls": [call("Bash", command="sleep 86399", timeout=600)]}
    command = here.start("command", endless, permission_mode="yolo", plan=False)
    model = here.start("model", {"latency_ms": 60_000, "text": "At last."})
    here.until(command, "tool.started")
    here.until(model, "step.started")
    assert end(program) < 15
    assert here.turn(command) == "queued", "its command was ended"
    assert here.turn(model) == "running", "its lease runs out"
    assert "sleep 86399" not in "\n".join(command_lines())


def command_lines() -> Iterator[str]:
    """Yield what each process of this machine was started as."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue  # it has ended


def test_a_second_signal_ends_it_at_once(here: Unserved, stack: ExitStack) -> None:
    program = here.serve(stack)
    session = here.start("model", {"latency_ms": 60_000, "text": "At last."})
    here.until(session, "step.started")
    program.send(signal.SIGINT)
    program.wait_for("Stopping")
    began = time.monotonic()
    program.send(signal.SIGINT)
    assert program.wait() == 1
    assert time.monotonic() - began < 3
    assert "Traceback" not in program.output


def test_beside_redis_it_serves_only_and_names_the_workers(
    here: Unserved, stack: ExitStack
) -> None:
    here.env |= {"REDIS_URL": "redis://127.0.0.1:1", "SECURE_COOKIES": "false"}
    program = stack.enter_context(here.serving())
    program.wait_for("celery -A config worker")
    here.wait_for(program)
    assert here.workers() == 0
