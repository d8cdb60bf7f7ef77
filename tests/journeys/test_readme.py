"""Each command of the README, run as a reader would run it."""

import os
import re
import shlex
import signal
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from tests.processes import ROOT, EmbeddedServer, Program
from tests.stubs.model_server import ModelStub

pytestmark = pytest.mark.journey

README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
SESSION: Final = ".venv/bin/python manage.py run_session"
TOKEN: Final = ".venv/bin/python manage.py create_token operator"  # noqa: S105 - a command


def commands() -> list[str]:
    """Return the lines of the README's shell blocks, joined where they go on."""
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    text = "".join(blocks).replace("\\\n", " ")
    return [shlex.join(shlex.split(line, comments=True)) for line in text.splitlines()]


def test_these_are_all() -> None:
    """A command that is added here needs its test (``make test`` is what runs this)."""
    first = [line.split(" --")[0] for line in commands()]
    demo = "make demo"
    assert first == [demo, "make test", "export OPENAI_API_KEY=your-key", demo, SESSION, TOKEN]
    assert set(re.findall(r"`((?:PORT=\d+ )?make [a-z]+[^`]*)`", README)) == {
        "make demo",
        "make demo RESET=1",
        "PORT=8001 make demo",
        "make test",
        "make check",
    }


def test_make_demo(tmp_path: Path) -> None:
    """It serves, names the log-ins, and ends by Ctrl-C."""
    data = tmp_path / "data"
    env = {**os.environ, "DATA_DIR": str(data), "PORT": "0", "PYTHONUNBUFFERED": "1"}
    program = Program("-c", _MAKE, env=env)
    try:
        url = program.wait_for(r"^Open (\S+) and log in", within_s=180)[1]
        program.wait_for(r"^  manager +\S+ ")
        with urlopen(f"{url}/login", timeout=20) as page:  # noqa: S310 - our own server
            assert page.status == 200
        os.killpg(program.process.pid, signal.SIGINT)
        program.wait()
        assert "Traceback" not in program.output
        assert (data / "planmode.sqlite3").exists()
    finally:
        program.kill()


# As in a terminal: a shell's background jobs, and so what they start, ignore Ctrl-C.
_MAKE: Final = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("make", ["make", "demo"])
"""


def test_a_real_client_by_run_session_and_a_token(tmp_path: Path) -> None:
    """The README's own line starts the agent; a local server stands for the provider."""
    workspace = tmp_path / "thing"
    workspace.mkdir()
    (line,) = [line for line in commands() if line.startswith(SESSION)]
    with ModelStub() as stub:
        for _ in range(2):  # it stops without a plan, is told so, and stops again
            stub.answer("There is nothing to replace.")
        env = {"OPENAI_API_KEY": "your-key", "OPENAI_BASE_URL": stub.openai_url}
        with EmbeddedServer(tmp_path / "data", env=env) as server:
            server.people()
            args = shlex.split(line.replace("~/src/thing", str(workspace)))
            output = server.manage(*args[2:], status=6)
            token = server.manage(*TOKEN.split()[2:]).strip()
        sent = str(stub.requests[0].body)
    assert "Replace the retry loop by a queue" in sent
    assert "your-key" not in sent + output
    assert token.startswith("pmt_")
