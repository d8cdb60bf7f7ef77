"""Makes a token for a program: manage.py create_token."""

from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from planmode.access.models import Scope
from planmode.core.errors import NotAllowedError
from reviews import services
from reviews.management.installation import DEFAULT_PROJECT
from reviews.management.people import BAD_USAGE, find_project, find_user

_LONGEST_NAME = 80


class Command(BaseCommand):
    """``manage.py create_token``: standard output holds the token and nothing else."""

    help = (
        "Make a token that a program shows as 'Authorization: Bearer TOKEN'. It acts for USER in "
        "one project, never may more than USER, and never decides. It is printed once: only its "
        "hash is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("user", metavar="USER", help="whom the program acts for")
        parser.add_argument("--project", default=DEFAULT_PROJECT)
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help="what the program may do; give it twice for both (the default)",
        )
        parser.add_argument("--name", default="command line", type=label, help="to tell it apart")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Print the token."""
        owner, project = find_user(options["user"]), find_project(options["project"])
        scopes = frozenset(options["scope"] or Scope.values)
        try:
            token, text = services.issue_token(owner, project, options["name"], scopes=scopes)
        except NotAllowedError as error:
            raise CommandError(str(error), returncode=BAD_USAGE) from error
        self.stderr.write(
            f"Token {token.prefix} of {owner} in project {project}, for: "
            f"{' and '.join(sorted(scopes))}. It is not shown again:"
        )
        self.stdout.write(text)


def label(name: str) -> str:
    """Return ``name`` when it can be a token's name (argparse's way to check)."""
    if not name.strip() or len(name) > _LONGEST_NAME:
        raise ValueError(name)
    return name
