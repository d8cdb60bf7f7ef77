"""Starts a session and follows it: manage.py run_session."""

import signal
import time
from argparse import BooleanOptionalAction
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser

from planmode.access.may import Action, Owned, caller_of, may
from planmode.core.commands import Plan, opening
from planmode.core.errors import DomainError, NotAllowedError
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.preflight import model_problem
from planmode.services import NewSession, start_session
from reviews.management.addresses import pages_url
from reviews.management.following import Follower, Watch, exit_status
from reviews.management.installation import DEFAULT_OPERATOR, DEFAULT_PROJECT
from reviews.management.people import BAD_USAGE, find_project, find_user
from reviews.management.screens import Screen, screen_on

DETACHED: Final = 130
"""The exit status after Ctrl-C, as shells have it: the session is neither done nor failed."""
_SCRIPTED: Final = "scripted:"


class Command(BaseCommand):
    """``manage.py run_session``: writes rows and reads the log, runs nothing itself."""

    help = (
        "Start a session and follow it until its turn ends. Exit status: 0 done (or approved "
        "without a start), 2 bad usage, 3 rejected, 4 rejected and exited, 5 failed or cancelled, "
        "6 stopped with its work unfinished: it needs you."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        modes = [mode.value for mode in PermissionMode]
        parser.add_argument("--workspace", required=True, metavar="DIR", help="where it works")
        parser.add_argument(
            "--prompt",
            required=True,
            metavar="TEXT",
            help="what it shall do; '/plan TEXT' plans first, whatever --no-plan says",
        )
        parser.add_argument(
            "--model", default="", metavar="NAME", help="the project's when left out"
        )
        parser.add_argument("--preset", default="", choices=list(PRESETS))
        parser.add_argument("--permission-mode", default="", choices=modes)
        parser.add_argument(
            "--rule",
            action="append",
            default=[],
            metavar="RULE",
            help="a permission rule of this session, such as 'deny Bash(git push *)'; repeatable",
        )
        parser.add_argument("--plan", action=BooleanOptionalAction, default=True)
        parser.add_argument("--user", default=DEFAULT_OPERATOR, help="whose session it is")
        parser.add_argument("--project", default=DEFAULT_PROJECT)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Start, follow, and end with the turn's exit status."""
        session_id = _started(options)
        self.stdout.ending = ""  # a screen writes its own line ends
        with ctrl_c() as wait:
            status = followed(session_id, screen_on(self.stdout), Watch(pages_url(), wait=wait))
        if status:
            raise SystemExit(status)


def followed(session_id: UUID, screen: Screen, watch: Watch) -> int:
    """Follow the session; return the exit status, that of Ctrl-C included."""
    path = f"/sessions/{session_id}"
    try:
        screen.say(f"session {session_id}, shown at {watch.page(path)}")
        return exit_status(Follower(session_id, screen, watch).follow())
    except KeyboardInterrupt:
        screen.say(f"\ndetached: the session goes on in the worker, look at {watch.page(path)}")
        return DETACHED


@contextmanager
def ctrl_c() -> Iterator[Callable[[float], None]]:
    """Yield a wait (seconds) that raises KeyboardInterrupt when Ctrl-C was pressed meanwhile.

    Anywhere else it could come in the middle of a query, which SQLite tells as an error of its own.
    The second Ctrl-C does not wait.
    """
    pressed = False

    def press(_number: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def wait(seconds: float) -> None:
        time.sleep(seconds)
        if pressed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield wait
    finally:
        signal.signal(signal.SIGINT, before)


def _started(options: dict[str, Any]) -> UUID:
    project = find_project(options["project"])
    owner = find_user(options["user"])
    model = _model(options["model"] or project.model or settings.DEFAULT_MODEL)
    try:
        if not may(caller_of(owner), Action.START_SESSION, Owned(project.pk)):
            raise NotAllowedError(f"{owner} is no operator of the project {project}")
        _check_model(model)
        return start_session(_new(options, project.name, model), owner=owner)
    except DomainError as error:
        raise CommandError(f"{error.title}: {error}", returncode=BAD_USAGE) from error


def _new(options: dict[str, Any], project: str, model: str) -> NewSession:
    """Return what to start.

    Raises:
        CommandInvalidError: the prompt is a command that no session begins with.
    """
    opens = opening(options["prompt"])
    return NewSession(
        project=project,
        workspace=options["workspace"],
        prompt=opens.text,
        model=model,
        preset=options["preset"],
        permission_mode=options["permission_mode"],
        plan=options["plan"] or isinstance(opens, Plan),
        local=True,
        rules=tuple(options["rule"]),
    )


def _check_model(name: str) -> None:
    problem = model_problem(name) if name else ""  # that there is none the session says itself
    if problem:
        raise CommandError(f"This model can't be used: {problem}", returncode=BAD_USAGE)


def _model(name: str) -> str:
    """Return ``name`` so that a worker in another folder finds the same script."""
    script = Path(name.removeprefix(_SCRIPTED))
    if not name.startswith(_SCRIPTED) or (settings.SCRIPTS_DIR / script).exists():
        return name
    return f"{_SCRIPTED}{script.resolve()}" if script.is_file() else name
