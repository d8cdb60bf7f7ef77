"""Says something to an agent, or commands it: manage.py say."""

import sys
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from planmode.core.errors import DomainError
from planmode.services import NewAttachment, action_of, run_command
from reviews.management.installation import DEFAULT_OPERATOR
from reviews.management.people import BAD_USAGE, find_steered, find_user


class Command(BaseCommand):
    """``manage.py say``: what the session page's field does, from a terminal."""

    help = (
        "Say TEXT to the agent of SESSION, or do what it commands: /plan, /plan TEXT, /plan off, "
        "/plan clear, /mode NAME. What becomes of it is printed. Exit status: 0, or 2 when it "
        "can't be taken, in which case nothing has changed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("session", metavar="SESSION", help="its id")
        parser.add_argument("text", metavar="TEXT", help="what to say; - reads standard input")
        parser.add_argument(
            "--attach",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="a file that goes with it; repeatable",
        )
        parser.add_argument("--user", default=DEFAULT_OPERATOR, help="who says it")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Say it, and print what became of it."""
        user = find_user(options["user"])
        text = sys.stdin.read() if options["text"] == "-" else options["text"]
        files = [_attachment(path) for path in options["attach"]]
        try:
            action = action_of(text, attachments=len(files))
            session_id = find_steered(options["session"], user, action)
            done = run_command(session_id, text, files, by=user)
        except DomainError as error:
            raise CommandError(f"{error.title}: {error}", returncode=BAD_USAGE) from error
        self.stdout.write(done.said)


def _attachment(path: Path) -> NewAttachment:
    try:
        return NewAttachment(path.name, path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=BAD_USAGE) from error
