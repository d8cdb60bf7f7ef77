"""The demo's sessions, played to their ends on a copy of the source."""

import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode.access.models import Project, Role
from planmode.core import events as ev
from planmode.models import Session
from reviews.core.decisions import DecisionKind
from reviews.management import checkout, showcase
from reviews.management.showcase import AUTOMATIC, CHOOSES, PIECES, SENT_BACK, Piece
from tests.conftest import member
from tests.desk import decide, every, results
from tests.factories import Play

REPOSITORY = Path(__file__).resolve().parents[3]
EDITED: Mapping[str, tuple[str, str]] = {
    CHOOSES.script: ("planmode/core/titles.py", "def _shortened(title: str) -> str:"),
    SENT_BACK.script: ("docs/telemetry.md", "tool_denied"),
    AUTOMATIC.script: (".gitignore", "\nbuild/\ndist/\n"),
}


@pytest.fixture
def lead(project: Project) -> User:
    return member(project, "lead", Role.LEAD)


@pytest.fixture
def shown(operator: User, lead: User, settings: Settings) -> dict[str, Play]:
    """The sessions, none of which has run, by script; nothing makes their models wait."""
    checkout.copy(REPOSITORY, settings.WORKSPACE_ROOTS[0] / "demo")
    Project.objects.update(allow_auto=True)
    showcase.start_missing(operator)
    for piece in PIECES:
        script = settings.SCRIPTS_DIR / piece.script
        script.write_text(script.read_text("utf-8").replace("latency_ms: ", "latency_ms: 0 #"))
    sessions = {piece.script: Session.objects.get(model=piece.model) for piece in PIECES}
    return {script: Play(session.pk) for script, session in sessions.items()}


def went_wrong(session: Play) -> list[ev.ToolFinished]:
    return [result for result in results(session) if result.verdict != "ran"]


def test_a_second_start_adds_nothing(shown: dict[str, Play], operator: User) -> None:
    showcase.start_missing(operator)
    assert Session.objects.count() == len(PIECES)


def test_the_first_waits_with_two_options(shown: dict[str, Play]) -> None:
    session = shown[CHOOSES.script].work()
    labels = [option["label"] for option in session.review.options]
    assert labels == ["New titles only", "New and stored titles"]
    assert session.review.status == "open"
    assert not went_wrong(session)


def test_the_second_is_sent_back_once_and_waits_on_revision_2(shown: dict[str, Play]) -> None:
    session = shown[SENT_BACK.script].work()
    for _ in range(2):  # a second run decides nothing more
        showcase.send_back(threading.Event())
        session.work()
    assert (session.review.revision_version, session.review.status) == (2, "open")
    (resolved,) = every(session, ev.PlanResolved)
    assert (resolved.outcome, resolved.feedback) == ("revise", showcase.FEEDBACK)
    assert not went_wrong(session)


def test_sending_back_waits_for_the_first_revision_and_can_be_stopped(
    shown: dict[str, Play],
) -> None:
    stop = threading.Event()
    stop.set()
    showcase.send_back(stop)
    assert not every(shown[SENT_BACK.script], ev.PlanResolved)


def test_sending_back_gives_up_on_a_session_that_ended(shown: dict[str, Play]) -> None:
    (settings.SCRIPTS_DIR / SENT_BACK.script).write_text(
        "replies: [{text: Nothing to plan., repeat: 2}]"
    )
    session = shown[SENT_BACK.script].work()
    showcase.send_back(threading.Event())
    assert (session.turn.state, session.turn.reason) == ("stopped", "unsubmitted")


def test_the_third_was_approved_by_nobody(shown: dict[str, Play]) -> None:
    session = shown[AUTOMATIC.script].work()
    assert (session.turn.state, session.review.outcome) == ("done", "auto_approved")
    assert session.review.decision.by is None
    assert not went_wrong(session)


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.script)
def test_approval_lets_each_make_its_edit(
    piece: Piece, shown: dict[str, Play], lead: User, settings: Settings
) -> None:
    session = shown[piece.script].work()
    if piece is not AUTOMATIC:
        option = "New titles only" if piece is CHOOSES else ""
        decide(session, lead, DecisionKind.APPROVE, option=option)
        session.work()
    path, text = EDITED[piece.script]
    assert text in (session.workspace / path).read_text("utf-8")
    assert session.turn.state == "done"
    assert not [result for result in results(session) if result.is_error]


@pytest.mark.parametrize(
    ("decision", "state"),
    [
        pytest.param({"kind": "reject", "reason": "No"}, "stopped", id="reject"),
        pytest.param({"kind": "reject_and_exit", "reason": "No"}, "stopped", id="and exit"),
        pytest.param({"kind": "dismiss"}, "done", id="dismiss"),
    ],
)
@pytest.mark.parametrize("piece", [CHOOSES, SENT_BACK], ids=lambda piece: piece.script)
def test_each_has_a_reply_to_each_other_decision(
    piece: Piece, decision: dict[str, str], state: str, shown: dict[str, Play], lead: User
) -> None:
    session = shown[piece.script].work()
    decide(session, lead, DecisionKind(decision["kind"]), reason=decision.get("reason", ""))
    assert session.work().turn.state == state


@pytest.mark.parametrize("piece", [CHOOSES, SENT_BACK], ids=lambda piece: piece.script)
def test_each_answers_feedback_with_another_revision_every_time(
    piece: Piece, shown: dict[str, Play], lead: User
) -> None:
    session = shown[piece.script].work()
    for version in range(1, 5):
        assert session.review.revision_version == version
        decide(session, lead, DecisionKind.REVISE, feedback="Once more")
        session.work()
    assert not [result for result in results(session) if result.is_error]
