"""What an operator types, and what they are told."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode import services
from planmode.access.may import Action
from planmode.core import events as ev
from planmode.core.errors import (
    AttachmentRefusedError,
    CommandInvalidError,
    MessageInvalidError,
    PermissionModeUnavailableError,
)
from planmode.services import CommandResult, NewAttachment
from planmode.store import blobs
from reviews.core.decisions import DecisionKind
from tests import desk
from tests.factories import Play, play, submits

pytestmark = pytest.mark.django_db

PNG: Final = NewAttachment("shot.png", b"\x89PNG\r\n\x1a\n rest", "image/png")
NOTES: Final = NewAttachment("../notes.md", b"# Notes\n")


def done() -> dict[str, Any]:
    return {"text": "Done.", "repeat": 20}


def run(
    session: Play, by: User, text: str, attachments: Sequence[NewAttachment] = ()
) -> CommandResult:
    return services.run_command(session.id, text, attachments, by=by)


def says(session: Play, by: User, *texts: str) -> list[str]:
    return [run(session, by, text).said for text in texts]


def messages(session: Play) -> list[str]:
    return [event.text for event in desk.every(session, ev.MessagePosted)]


def test_an_idle_session_is_told_what_is_true_now(operator: User) -> None:
    """dsh:D-19 dsh:D-20: no command but one with a text says anything to the agent."""
    session = play(operator, [done()], plan=False).work()
    before = messages(session)
    assert says(session, operator, "/plan off", "/plan", "/plan", "/plan off") == [
        "Plan mode is off already.",
        "Plan mode is on.",
        "Plan mode is on already.",
        "Plan mode is off. The permission mode is manual.",
    ]
    assert messages(session) == before
    assert session.turn.number == 1


def test_during_a_turn_each_answer_says_when(operator: User) -> None:
    """dsh:D-20: what waits is said again when it is asked for again."""
    session = play(operator, [done()])
    assert says(session, operator, "/plan off", "/plan off", "/plan") == [
        "Plan mode ends at the agent's next step.",
        "Plan mode ends at the agent's next step.",
        "Plan mode stays on.",
    ]
    other = play(operator, [done()], plan=False)
    assert says(other, operator, "/plan", "/plan", "/plan off", "/plan off") == [
        "Plan mode begins at the agent's next step.",
        "Plan mode begins at the agent's next step.",
        "Plan mode does not begin.",
        "Plan mode is off already.",
    ]


def test_an_open_review_is_not_withdrawn_by_leaving(operator: User) -> None:
    """complaints:K-44: whoever waits is told how it ends."""
    session = play(operator, [submits()]).work()
    result = run(session, operator, "/plan off")
    assert result.said.endswith("stays open until somebody decides.")
    assert (result.choice, result.seq) == ("queued", len(desk.log(session)))
    assert session.review.status == "open"


def test_a_plan_with_a_text_enters_and_says_it(operator: User) -> None:
    """dsh:D-19: one transaction, the mode before the message."""
    session = play(operator, [done()], plan=False).work()
    result = run(session, operator, "/plan  make it faster ")
    assert result.said == "Plan mode is on. Sent: the agent begins with it."
    kinds = [type(event) for event in desk.log(session)][-3:]
    assert kinds == [ev.PlanModeEntered, ev.MessagePosted, ev.TurnQueued]
    assert messages(session)[-1] == "make it faster"


def test_off_now_is_a_message(operator: User) -> None:
    """dsh:D-19: only the word alone is a switch."""
    session = play(operator, [done()], plan=False)
    assert says(session, operator, "/plan off now") == [
        "Plan mode begins at the agent's next step. Sent: the agent takes it in at its next step."
    ]
    assert messages(session)[-1] == "off now"


def test_attachments_come_in_order_with_or_without_a_text(operator: User) -> None:
    """dsh:D-21."""
    session = play(operator, [done()], plan=False).work()
    run(session, operator, "/plan", [PNG, NOTES])
    said = desk.every(session, ev.MessagePosted)[-1]
    assert said.text == ""
    assert [item.name for item in said.attachments] == ["shot.png", "notes.md"]
    assert [blobs.store().get(item.sha256) for item in said.attachments] == [
        PNG.content,
        NOTES.content,
    ]
    run(session, operator, "and these", [NOTES])
    assert desk.every(session, ev.MessagePosted)[-1].text == "and these"


@pytest.mark.parametrize("text", ["/plan off", "/plan clear", "/mode yolo"])
def test_what_says_nothing_takes_no_files_and_changes_nothing(operator: User, text: str) -> None:
    """dsh:D-21: refused before any change, so that the draft survives."""
    session = play(operator, [done()])
    before = desk.log(session)
    with pytest.raises(CommandInvalidError, match="no attachments"):
        run(session, operator, text, [PNG])
    assert desk.log(session) == before


@pytest.mark.parametrize(
    ("text", "files", "error"),
    [
        ("/nonsense", [], CommandInvalidError),
        ("/mode root", [], CommandInvalidError),
        ("/mode auto", [], PermissionModeUnavailableError),
        (" \n", [], MessageInvalidError),
        ("look", [NewAttachment("a.bin", b"\xff\xfe")], AttachmentRefusedError),
        ("/plan look", [NewAttachment("a.bin", b"\xff\xfe")], AttachmentRefusedError),
    ],
)
def test_what_is_refused_is_refused_whole(
    operator: User, text: str, files: list[NewAttachment], error: type[Exception]
) -> None:
    session = play(operator, [done()], plan=False).work()
    before = desk.log(session)
    with pytest.raises(error):
        run(session, operator, text, files)
    assert desk.log(session) == before


def test_which_files_are_taken_is_a_setting(operator: User, settings: Settings) -> None:
    settings.ATTACHMENT_TYPES = ["text/plain"]
    session = play(operator, [done()], plan=False)
    with pytest.raises(AttachmentRefusedError, match="taken are: text/plain"):
        services.post_message(session.id, "look", [PNG], author=operator)
    settings.ATTACHMENT_TYPES = ["image/png"]
    settings.ATTACHMENT_MAX_BYTES = 5
    with pytest.raises(AttachmentRefusedError, match="limit is 5"):
        services.post_message(session.id, "look", [PNG], author=operator)


def test_clear_says_whether_there_was_a_plan(operator: User, reviewer: User) -> None:
    """kimi:S14."""
    session = play(operator, [submits()]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    assert says(session, operator, "/plan clear", "/plan clear") == [
        "The plan is empty now.",
        "The plan is empty already.",
    ]
    other = play(operator, [done()], plan=False)
    assert says(other, operator, "/plan clear") == ["Plan mode is off: there is no plan to clear."]


def test_mode_says_from_when_on_it_holds(operator: User) -> None:
    session = play(operator, [done()], plan=False)
    assert says(session, operator, "/mode yolo", "/mode yolo", "/mode manual", "/mode manual") == [
        "The permission mode is yolo from the agent's next step on.",
        "The permission mode is yolo from the agent's next step on.",
        "The permission mode stays manual.",
        "The permission mode is manual already.",
    ]
    session.work()
    assert says(session, operator, "/mode accept-edits") == ["The permission mode is accept_edits."]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("hello", Action.POST_MESSAGE),
        ("/plan", Action.POST_MESSAGE),
        ("/plan do it", Action.POST_MESSAGE),
        ("/plan clear", Action.STEER),
        ("/plan off", Action.STEER),
        ("/mode yolo", Action.STEER),
    ],
)
def test_what_loosens_is_a_person_s_business(text: str, action: Action) -> None:
    assert services.action_of(text) is action
