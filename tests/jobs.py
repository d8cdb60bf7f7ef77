"""Background tasks and schedules, as tests begin and await them."""

import json
import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import User
from django.utils import timezone

from planmode.agent import background
from planmode.agent.background import Command
from planmode.agent.catalog import TOOLS, parse
from planmode.agent.contracts import ToolContext, ToolResult
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.models import BackgroundTask, Claim, Turn
from planmode.store import background as rows
from planmode.store.confined import ConfinedFolder
from tests.factories import Play, play

SOON_S: Final = 20.0
DONE: Final = {"text": "Done."}


def comes_true(question: Callable[[], object]) -> bool:
    """Ask again until the answer is yes, for a bounded time; return the last answer."""
    end = time.monotonic() + SOON_S
    while not (answer := bool(question())) and time.monotonic() < end:
        pass
    return answer


def working(owner: User, replies: int) -> Play:
    """Start a session of ``owner`` outside of plan mode, whose agent says so often that it is done.

    Each reply is a thing of its own: a script names none twice.
    """
    return play(owner, [dict(DONE) for _ in range(replies)], plan=False)


def claimed(session: Play) -> Claim:
    """Take the session's due turn, as a worker would."""
    claim = Turn.objects.claim(session.turn.pk, worker="w", lease=timedelta(seconds=60))
    assert claim is not None
    return claim


class Desk:
    """A session whose turn is held, and what its agent does with tasks and schedules."""

    def __init__(self, owner: User, sandbox: Sandbox | None = None) -> None:
        """Start a session of ``owner``; ``sandbox`` is this host's where it is not given."""
        self.play = working(owner, 1)
        self.claim = claimed(self.play)
        self.sandbox = Sandbox.probe() if sandbox is None else sandbox
        self.work = self.play.workspace

    def context(self, *, sandboxed: bool = False) -> ToolContext:
        """Return what a tool of the turn is given."""
        reach = Reach(ConfinedFolder(self.work), None, None)
        return ToolContext(reach, self.play.state, self.sandbox, sandboxed, self.claim, "call-1")

    def result(self, name: str, *, sandboxed: bool = False, **args: Any) -> ToolResult:  # noqa: ANN401 - JSON values
        """Run a tool as the engine does."""
        tool = TOOLS[name]
        outcome = tool.run(parse(tool, json.dumps(args)), self.context(sandboxed=sandboxed))
        assert isinstance(outcome, ToolResult)
        return outcome

    def text(self, name: str, **args: Any) -> str:  # noqa: ANN401 - JSON values
        """Run a tool that succeeds."""
        result = self.result(name, **args)
        assert not result.is_error, result.text
        return result.text

    def error(self, name: str, **args: Any) -> str:  # noqa: ANN401 - JSON values
        """Run a tool that says what went wrong."""
        result = self.result(name, **args)
        assert result.is_error, result.text
        return result.text

    def begin(self, text: str, *, sandboxed: bool = False) -> BackgroundTask:
        """Start a command in the background."""
        command = Command(self.claim, "call-1", text, self.work, sandboxed=sandboxed)
        return background.start(command, self.sandbox)


def looked_at(task: BackgroundTask) -> BackgroundTask:
    """Return the task as it is found now."""
    background.look([task], timezone.now())
    task.refresh_from_db()
    return task


def ended(task: BackgroundTask) -> BackgroundTask:
    """Return the task once it has ended."""
    assert comes_true(lambda: looked_at(task).ended_at), "it goes on and on"
    return task


def printed(task: BackgroundTask, text: str) -> bool:
    """Return whether the command printed ``text`` in time."""
    return comes_true(lambda: text.encode() in rows.files(task).read(0, 100_000).content)


def kill_follower(task: BackgroundTask) -> None:
    """Let the process that follows the command die without a word."""
    who = rows.follower(task)
    assert who is not None
    os.kill(who.pid, signal.SIGKILL)


def runs(token: str) -> bool:
    """Return whether some process has ``token`` in its command line."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if token.encode() in (folder / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False
