"""The demo's three sessions, and the one decision made for you."""

import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q

from planmode import queries
from planmode.access.may import caller_of
from planmode.core.errors import DomainError
from planmode.core.permission import PermissionMode
from planmode.services import NewSession, start_session
from reviews.core.decisions import Decision, DecisionKind
from reviews.management.installation import DEFAULT_PROJECT
from reviews.models import Card, Review
from reviews.services import decide

SCRIPTS: Final = Path(__file__).resolve().parent / "demo"
WORKSPACE: Final = "demo"
"""The demo's workspace, below the first of WORKSPACE_ROOTS."""
DECIDER: Final = "lead"
FEEDBACK: Final = (
    "Good direction. Two things before I can approve:\n\n"
    "1. Don't keep the arguments of refused calls: paths can hold names of customers.\n"
    "2. Say what happens with sessions that ran before this release.\n"
)
_POLL_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class Piece:
    """One session of the demo; ``script`` names its file of replies."""

    script: str
    prompt: str
    permission_mode: PermissionMode = PermissionMode.ACCEPT_EDITS

    @property
    def model(self) -> str:
        """The session's model, by which it is recognised."""
        return f"scripted:{self.script}"


CHOOSES: Final = Piece(
    "demo-two-options.yaml",
    "Titles of long plans are cut in the middle of a word. Find out where, and plan a fix.",
)
SENT_BACK: Final = Piece(
    "demo-sent-back.yaml",
    "Managers ask how often the guard refuses a tool call. Plan how telemetry can tell.",
)
AUTOMATIC: Final = Piece(
    "demo-automatic.yaml",
    "Packaging leaves a build folder behind. Keep it out of version control.",
    PermissionMode.AUTO,
)
PIECES: Final = (CHOOSES, SENT_BACK, AUTOMATIC)


def start_missing(owner: User) -> None:
    """Start each session of the demo that is not there yet; a worker runs them."""
    for piece in PIECES:
        if _session_of(piece) is None:
            _install(piece.script)
            start_session(
                NewSession(
                    project=DEFAULT_PROJECT,
                    workspace=WORKSPACE,
                    prompt=piece.prompt,
                    model=piece.model,
                    permission_mode=piece.permission_mode.value,
                ),
                owner=owner,
            )


def _session_of(piece: Piece) -> UUID | None:
    found = queries.sessions(Q(model=piece.model), limit=1)
    return found[0].id if found else None


def _install(script: str) -> None:
    folder = Path(settings.SCRIPTS_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / script).write_bytes((SCRIPTS / script).read_bytes())


def send_back(stop: threading.Event) -> None:
    """Let the lead ask for changes once the first revision waits; give up when ``stop`` is set."""
    lead = User.objects.get(username=DECIDER)
    while not _sent_back(lead):
        if stop.wait(_POLL_S):
            return


def _sent_back(lead: User) -> bool:
    """Decide if that is due; return whether nothing is left to do."""
    session_id = _session_of(SENT_BACK)
    if session_id is None:
        return True
    review = Review.objects.filter(session_id=session_id, revision_version=1).first()
    if review is None:
        turn = queries.session(session_id).turn
        return turn is not None and turn.ended_at is not None
    by = caller_of(lead)
    if review.status == Card.Status.OPEN and by is not None:
        # A person may be faster, or the lead's role be taken away: then it is their demo.
        with suppress(DomainError):
            decide(
                review.pk, Decision(DecisionKind.REVISE, review.sha256, feedback=FEEDBACK), by=by
            )
    return True
