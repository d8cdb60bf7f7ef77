"""Real server processes, each with its own data."""

import atexit
import json
import os
import queue
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

import psycopg
import redis
import yaml
from psycopg import sql

from tests.requirements import need

SECRET_KEY: Final = secrets.token_urlsafe(50)
ROOT: Final = Path(__file__).resolve().parent.parent
START_S: Final = 40.0
STOP_S: Final = 20.0
PASSED: Final = (
    "COVERAGE_PROCESS_CONFIG",
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "VIRTUAL_ENV",
    "PYTHONPATH",
)
POSTGRES: Final = os.environ.get("TEST_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS: Final = os.environ.get("TEST_REDIS", "redis://127.0.0.1:6379")
PEOPLE: Final = {
    "operator": ["operator"],
    "reviewer": ["reviewer"],
    "second": ["reviewer"],
    "manager": ["manager"],
    "stranger": [],
}
"""Log-ins that ``people`` makes (password: NAME-pass-word), and their roles in ``default``."""

_PEOPLE: Final = """
import json
from django.contrib.auth.models import User
from django.test import Client
from planmode.access import tokens
from planmode.access.models import Membership, Project
project, _ = Project.objects.get_or_create(name="default")
made = {}
for name, roles in json.loads(ROLES).items():
    user = User.objects.create_user(name, password=f"{name}-pass-word")
    for role in roles:
        Membership.objects.create(user=user, project=project, role=role)
    client = Client()
    client.force_login(user)
    _, token = tokens.issue(user, project, "test", scopes=frozenset({"submit", "read"}))
    made[name] = {"cookie": client.cookies["sessionid"].value, "token": token}
print(json.dumps(made))
"""


class Program:
    """A process of ours, its output read line by line while it runs."""

    def __init__(self, *args: str, env: Mapping[str, str]) -> None:
        """Start ``python ARGS`` in the project's folder."""
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, *args],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.name = " ".join(args)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._seen: list[str] = []
        self._asked = False
        self.waited_for = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._seen.append(line)
            self._lines.put(line)
        self._lines.put(None)

    @property
    def output(self) -> str:
        """What it printed so far."""
        return "".join(self._seen)

    def wait_for(self, pattern: str, *, within_s: float = START_S) -> re.Match[str]:
        """Return the match in the first line, from here on, that has one."""
        deadline = time.monotonic() + within_s
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"{self.name} did not print {pattern!r}:\n{self.output}"
            if found := re.search(pattern, line):
                return found

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process alone."""
        self.process.send_signal(number)

    def wait(self, within_s: float = STOP_S) -> int:
        """Return its exit status once it has ended and its output is read."""
        self.waited_for = True
        try:
            status = self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} did not end:\n{self.output}") from None
        self._reader.join(within_s)
        self._close()
        return status

    def ask_to_end(self) -> None:
        """Ask it to end as a service manager would, once: a second time means at once."""
        if not self._asked and self.process.poll() is None:
            self.send(signal.SIGTERM)
        self._asked = True

    def end(self) -> None:
        """End it; it must do so cleanly."""
        self.ask_to_end()
        status = self.wait()
        assert status == 0, f"{self.name} ended with {status}:\n{self.output}"
        assert "Traceback" not in self.output, self.output

    def kill(self) -> None:
        """End it at once, with all that it started in its own group."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(STOP_S)
        self._close()

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()


@dataclass(frozen=True, slots=True)
class Login:
    """One of PEOPLE: the browser's session cookie, and a token of theirs."""

    name: str
    cookie: str
    token: str


@dataclass(slots=True)
class Installation:
    """What both shapes have: a data folder, an environment, and commands that run in it."""

    data_dir: Path
    env: dict[str, str] = field(default_factory=dict)
    url: str = ""
    web: Program | None = None
    _people: dict[str, Login] = field(default_factory=dict)
    _programs: list[Program] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        """Make the folders; nothing of the caller's own environment counts."""
        for folder in ("workspaces", "scripts"):
            (self.data_dir / folder).mkdir(parents=True, exist_ok=True)
        mine = {
            "DATA_DIR": str(self.data_dir),
            "LOG_LEVEL": "WARNING",
            "PYTHONUNBUFFERED": "1",
            "PYTHONWARNINGS": "ignore",
            "SECRET_KEY": SECRET_KEY,
        }
        passed = {name: os.environ[name] for name in PASSED if name in os.environ}
        self.env = {**passed, **mine, **self.env}

    def manage(self, *args: str, status: int = 0) -> str:
        """Return what ``manage.py ARGS`` prints; it must end with ``status``."""
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "manage.py", *args],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
        assert done.returncode == status, f"manage.py {args[0]}: {done.stderr or done.stdout}"
        return done.stdout

    def shell(self, code: str) -> str:
        """Return what ``code`` prints in a process of its own: one that is no server."""
        return self.manage("shell", "-v0", "-c", code)

    def people(self) -> dict[str, Login]:
        """Return PEOPLE by name; they are made with the project ``default`` the first time."""
        if not self._people:
            made = json.loads(self.shell(f"ROLES = {json.dumps(PEOPLE)!r}\n{_PEOPLE}"))
            self._people |= {name: Login(name, **entry) for name, entry in made.items()}
        return self._people

    def script(self, name: str, *replies: dict[str, Any]) -> str:
        """Write a script of ``replies``; return the model's name."""
        path = self.data_dir / "scripts" / f"{name}.yaml"
        path.write_text(yaml.safe_dump({"replies": list(replies)}), encoding="utf-8")
        return f"scripted:{path.name}"

    def start_session(self, owner: Login, model: str, **fields: object) -> str:
        """Start a session by HTTP on an empty workspace; return its id."""
        workspace = self.data_dir / "workspaces" / secrets.token_hex(4)
        workspace.mkdir()
        body = {"workspace": str(workspace), "prompt": "Tidy up", "model": model, **fields}
        answer = self.api("POST", "/api/v1/sessions", owner, body)
        session_id: str = answer["id"]
        return session_id

    def api(self, method: str, path: str, by: Login, body: object = None) -> dict[str, Any]:
        """Return the JSON answer to a program's request with the token of ``by``."""
        request = Request(  # noqa: S310 - our own server
            f"{self.url}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {by.token}", "Content-Type": "application/json"},
        )
        with urlopen(request, timeout=START_S) as response:  # noqa: S310 - as above
            answer: dict[str, Any] = json.load(response)
            return answer

    def __enter__(self) -> Self:
        """Start everything; return once it answers."""
        with ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure: object) -> None:
        """End everything, cleanly."""
        for program in self._programs:
            program.ask_to_end()
        self._stack.__exit__(None, None, None)

    def _start(self, stack: ExitStack) -> None:
        raise NotImplementedError

    def serving(self, *args: str) -> AbstractContextManager[Program]:
        """Run the web server (with more arguments) on a free port."""
        return self.running("manage.py", "serve", "--port", "0", *args)

    def wait_for(self, web: Program) -> None:
        """Wait until ``web`` serves, and note its address."""
        self.web = web
        self.url = web.wait_for(r"^Serving on (http://127\.0\.0\.1:\d+)$")[1]

    @contextmanager
    def running(self, *args: str) -> Iterator[Program]:
        """Run ``python ARGS`` here; end it with the block, unless that was done already."""
        program = Program(*args, env=self.env)
        self._programs.append(program)
        try:
            yield program
            if not program.waited_for:
                program.end()
        finally:
            program.kill()


class EmbeddedServer(Installation):
    """SQLite, web, worker and poller in one process."""

    def _start(self, stack: ExitStack) -> None:
        self.furnish()
        self.wait_for(stack.enter_context(self.serving()))

    def furnish(self) -> None:
        """Put a migrated database in place, with PEOPLE: a copy of one made once for all tests."""
        model = _furnished()
        shutil.copy(model.database, self.database)
        self._people |= model.people()

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.data_dir / "planmode.sqlite3"


@cache
def _furnished() -> EmbeddedServer:
    folder = Path(tempfile.mkdtemp(prefix="planmode-test-"))
    atexit.register(shutil.rmtree, folder)
    made = EmbeddedServer(folder)
    made.manage("migrate", "-v0")
    made.people()
    return made


@dataclass(slots=True)
class TeamServer(Installation):
    """PostgreSQL and Redis; web, two workers and beat are processes of their own."""

    workers: list[Program] = field(default_factory=list)

    def _start(self, stack: ExitStack) -> None:
        need("PostgreSQL", _postgres_answers())
        need("Redis", _redis_answers())
        self.env |= {
            "DATABASE_URL": stack.enter_context(_own_database()),
            "REDIS_URL": stack.enter_context(_own_redis()),
            "SECURE_COOKIES": "false",
            "SWEEP_S": "1",
        }
        self.manage("migrate", "-v0")
        web = stack.enter_context(self.serving())
        schedule = str(self.data_dir / "beat")
        beat = (*_CELERY, "beat", "--loglevel", "INFO", "--schedule", schedule, "--pidfile", "")
        workers = [(*_CELERY, "worker", *_WORKER, "-n", f"{name}@test") for name in ("one", "two")]
        running = [stack.enter_context(self.running(*args)) for args in (*workers, beat)]
        self.wait_for(web)
        self.workers += running[:-1]
        for program in running:
            program.wait_for(r" ready\.$|beat: Starting")


_CELERY: Final = ("-m", "celery", "-A", "config")
_WORKER: Final = (
    "--concurrency",
    "2",
    "--loglevel",
    "INFO",
    "--without-gossip",
    "--without-mingle",
)


def _postgres_answers() -> bool:
    try:
        psycopg.connect(POSTGRES, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _redis_answers() -> bool:
    try:
        with redis.Redis.from_url(REDIS, socket_connect_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


@contextmanager
def _own_database() -> Iterator[str]:
    """Make a database; yield its URL; drop it."""
    name = f"planmode_test_{secrets.token_hex(6)}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield urlunsplit(urlsplit(POSTGRES)._replace(path=f"/{name}"))
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            server.execute(drop)


@contextmanager
def _own_redis() -> Iterator[str]:
    """Take one of Redis' databases that nobody uses; yield its URL; empty it."""
    for number in range(15, 0, -1):
        url = urlunsplit(urlsplit(REDIS)._replace(path=f"/{number}"))
        with redis.Redis.from_url(url) as client:
            if client.dbsize() == 0 and client.set("planmode:test", os.getpid(), nx=True, ex=900):
                try:
                    yield url
                finally:
                    client.flushdb()
                return
    raise AssertionError("all databases of Redis are in use")
