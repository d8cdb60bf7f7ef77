"""Opens a session's working plan in an editor: manage.py edit_plan."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError, CommandParser

from planmode import queries
from planmode.access.may import Action
from planmode.core.errors import DomainError, PlanUnderReviewError
from planmode.queries import PlanRow
from planmode.services import edit_plan
from reviews.management.installation import DEFAULT_OPERATOR
from reviews.management.people import BAD_USAGE, find_steered, find_user

_FALLBACK: Final = "vi"


class Command(BaseCommand):
    """``manage.py edit_plan``: the text is saved against the plan that was opened."""

    help = (
        "Open the working plan of SESSION in $VISUAL or $EDITOR and save it. The agent is told to "
        "read it again. Exit status: 0 saved or unchanged, 1 not saved (the text is kept, and it "
        "says where), 2 bad usage."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("session", metavar="SESSION", help="its id")
        parser.add_argument("--user", default=DEFAULT_OPERATOR, help="who edits it")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Edit and save."""
        user = find_user(options["user"])
        session_id = find_steered(options["session"], user, Action.STEER)
        try:
            before = _plan(session_id)
        except DomainError as error:
            raise CommandError(f"{error.title}: {error}", returncode=BAD_USAGE) from error
        draft = _draft(before.plan_id, before.content)
        _edit(draft)
        content = draft.read_bytes()
        if content == before.content:
            _forget(draft)
            self.stdout.write("The plan is unchanged.")
            return
        _save(session_id, draft, before.sha256, user)
        _forget(draft)
        self.stdout.write("Saved. The agent is told to read it again.")


def _plan(session_id: UUID) -> PlanRow:
    """Return the working plan, unless no edit of it could be saved.

    Raises:
        DomainError: there is none, or it is under review.
    """
    plan = queries.plan(session_id)
    version = queries.session(session_id).state.plan.under_review
    if version is not None:
        raise PlanUnderReviewError(version)
    return plan


def _draft(plan_id: str, content: bytes) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="plan-"))
    draft = folder / f"{plan_id}.md"
    draft.write_bytes(content)
    return draft


def _edit(draft: Path) -> None:
    """Let the person's editor have the draft.

    Raises:
        CommandError: it can't be started, or ends with an error; says where the text is.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _FALLBACK
    try:
        ended = subprocess.run([*shlex.split(editor), str(draft)], check=False)  # noqa: S603 - the person's own editor
    except (OSError, ValueError) as error:
        _forget(draft)
        raise CommandError(f"the editor {editor!r} can't be started: set EDITOR") from error
    if ended.returncode:
        raise CommandError(
            f"{editor} ended with an error, nothing was saved. Your text is kept: {draft}"
        )


def _save(session_id: UUID, draft: Path, base_sha256: str, by: User) -> None:
    try:
        edit_plan(session_id, draft.read_bytes(), base_sha256=base_sha256, by=by)
    except DomainError as error:
        raise CommandError(f"{error.title}: {error}. Your text is kept: {draft}") from error


def _forget(draft: Path) -> None:
    draft.unlink(missing_ok=True)
    if not any(draft.parent.iterdir()):  # an editor may leave a backup there
        draft.parent.rmdir()
