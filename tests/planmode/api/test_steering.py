"""Commands, the working plan and going back, by HTTP."""

import hashlib
import json
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from planmode import services
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.models import Session
from reviews.core.decisions import DecisionKind
from tests import desk
from tests.factories import PLAN, Play, play, submits
from tests.planmode.api.http import API, Answer, get, post, problem, program
from tests.planmode.api.http import browser as log_in

pytestmark = pytest.mark.django_db

PNG: Final = b"\x89PNG\r\n\x1a\n rest"


def done() -> dict[str, Any]:
    return {"text": "Done.", "repeat": 20}


@pytest.fixture
def browser(operator: User) -> Client:
    return log_in(operator)


@pytest.fixture
def session(operator: User) -> Play:
    """A session at rest, outside plan mode."""
    return play(operator, [done()], plan=False).work()


@pytest.fixture
def planning(operator: User) -> Play:
    """A session whose plan waits for a decision."""
    return play(operator, [submits(), done()]).work()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def put(client: Client, session: Play, body: object, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.put(
        f"{API}/sessions/{session.id}/plan",
        json.dumps(body).encode(),
        content_type="application/json",
        headers=named,
    )


def files(*contents: tuple[str, bytes, str]) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(name, content, kind) for name, content, kind in contents]


# Commands


def test_a_command_says_what_became_of_it(browser: Client, session: Play) -> None:
    response = post(browser, f"/sessions/{session.id}/commands", {"text": "/plan"})
    assert response.status_code == 200
    assert response.json() == {
        "session": str(session.id),
        "seq": len(desk.log(session)),
        "said": "Plan mode is on.",
        "choice": "committed",
    }
    said = post(browser, f"/sessions/{session.id}/commands", {"text": "go on"}).json()
    assert said["choice"] is None


def test_a_command_may_bring_files(browser: Client, session: Play) -> None:
    """dsh:D-21: in their order, and the same request once only."""
    path = f"{API}/sessions/{session.id}/commands"
    answers = [
        browser.post(
            path,
            {"text": "/plan look", "attachments": files(("b.png", PNG, "image/png"),
                                                        ("a.md", b"# A", ""))},
            headers={"Idempotency-Key": "once"},
        )
        for _ in range(2)
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    (said,) = [event for event in desk.every(session, ev.MessagePosted) if event.attachments]
    assert [item.name for item in said.attachments] == ["b.png", "a.md"]
    other = {"text": "/plan look", "attachments": files(("b.png", PNG + b"!", "image/png"))}
    assert problem(browser.post(path, other, headers={"Idempotency-Key": "once"})) == (
        422,
        "key_reused",
    )


def test_a_browser_s_form_is_taken(operator: User, session: Play) -> None:
    """What the CSRF check has read of the body is read all the same."""
    client = log_in(operator, checks_csrf=True)
    client.get("/")
    token = client.cookies["csrftoken"].value
    body = {
        "text": "look",
        "attachments": files(("a.png", PNG, "image/png")),
        "csrfmiddlewaretoken": token,
    }
    path = f"{API}/sessions/{session.id}/messages"
    assert problem(client.post(path, {"text": "look"})) == (403, "csrf_failed")
    response = client.post(path, body, headers={"X-CSRFToken": token})
    assert response.status_code == 202
    assert len(desk.every(session, ev.MessagePosted)[-1].attachments) == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param({"text": "/nonsense"}, "command_invalid", id="unknown"),
        pytest.param({"text": ""}, "message_invalid", id="blank"),
        pytest.param({"text": ["a", "b"]}, "invalid", id="twice"),
        pytest.param({"text": "a", "more": "b"}, "invalid", id="unknown field"),
        pytest.param(
            {"text": "a", "attachments": SimpleUploadedFile("a.bin", b"\xff")},
            "attachment_refused",
            id="no known type",
        ),
        pytest.param(
            {"text": "/plan off", "attachments": SimpleUploadedFile("a.md", b"a")},
            "command_invalid",
            id="dsh:D-21 off with files",
        ),
        pytest.param({"text": "a", "attachments": "no file"}, "invalid", id="no file"),
    ],
)
def test_what_can_t_be_taken_changes_nothing(
    browser: Client, session: Play, body: dict[str, Any], code: str
) -> None:
    before = desk.log(session)
    response = browser.post(f"{API}/sessions/{session.id}/commands", body)
    assert problem(response) == (422, code)
    assert desk.log(session) == before


def test_a_program_may_plan_and_never_leaves_plan_mode(
    operator: User, project: Project, planning: Play
) -> None:
    """security:S19: it would decide about its own plan."""
    client = program(operator, project)
    path = f"/sessions/{planning.id}/commands"
    for text in ("/plan off", "/mode yolo"):
        assert problem(post(client, path, {"text": text})) == (403, "not_allowed")
    assert post(client, path, {"text": "/plan and tests"}).status_code == 200
    assert planning.state.wanted.active is None


# The session's shape


def test_a_session_shows_what_waits(browser: Client, operator: User) -> None:
    """dsh:D-08 dsh:D-34 dsh:D-35: whether plan mode is on, and whether that is about to turn."""
    session = play(operator, [done()], permission_mode="auto")
    shown = get(browser, f"/sessions/{session.id}").json()
    assert shown["plan_mode"] == {"active": True, "pending": False}
    post(browser, f"/sessions/{session.id}/commands", {"text": "/plan off"})
    post(browser, f"/sessions/{session.id}/commands", {"text": "/mode yolo"})
    shown = get(browser, f"/sessions/{session.id}").json()
    assert shown["plan_mode"] == {"active": True, "pending": True}
    assert shown["permission_mode"] == {
        "name": "auto",
        "effective": "auto",
        "pending": "yolo",
        "note": None,
    }
    assert shown["breaker"] == {"open": False, "in_row": 0, "total": 0}


# The working plan


def test_the_working_plan_is_edited_against_its_hash(
    browser: Client, planning: Play, reviewer: User
) -> None:
    read = get(browser, f"/sessions/{planning.id}/plan").json()
    assert (read["text"], read["sha256"]) == (PLAN, sha256(PLAN.encode()))
    assert (read["size"], read["edited"]) == (len(PLAN), False)
    body = {"content": "# Mine\n", "base_sha256": read["sha256"]}
    assert problem(put(browser, planning, body)) == (409, "plan_under_review")
    desk.decide(planning, reviewer, DecisionKind.REVISE, feedback="shorter")
    response = put(browser, planning, body, Idempotency_Key="k")
    assert response.status_code == 200
    assert response.json()["sha256"] == sha256(b"# Mine\n")
    assert response.json()["edited"]
    assert put(browser, planning, body, Idempotency_Key="k").json() == response.json()
    late = put(browser, planning, body)
    assert problem(late) == (409, "plan_edit_conflict")
    assert late.json()["current"] == sha256(b"# Mine\n")


def test_without_a_plan_there_is_none_to_see(
    browser: Client, operator: User, session: Play
) -> None:
    assert problem(get(browser, f"/sessions/{session.id}/plan")) == (409, "not_planning")
    other = play(operator, [done()], preset="pi")
    assert problem(get(browser, f"/sessions/{other.id}/plan")) == (409, "no_plan_file")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        pytest.param({"base_sha256": "abc"}, "/base_sha256", id="no hash"),
        pytest.param({"content": 7}, "/content", id="no text"),
        pytest.param({"more": 1}, "/more", id="unknown field"),
    ],
)
def test_an_edit_says_all_that_it_must(
    browser: Client, planning: Play, change: dict[str, Any], pointer: str
) -> None:
    body = {"content": "# Mine", "base_sha256": sha256(PLAN.encode()), **change}
    response = put(browser, planning, body)
    assert problem(response) == (422, "invalid")
    assert [error["pointer"] for error in response.json()["errors"]] == [pointer]


# Going back


def test_a_cancelled_turn_is_tried_again(browser: Client, planning: Play) -> None:
    path = f"/sessions/{planning.id}/retry"
    assert problem(post(browser, path, {})) == (409, "turn_open")
    services.cancel_turn(planning.id)
    response = post(browser, path, {})
    assert response.status_code == 202
    assert response.json()["turn"] == {
        "number": 2,
        "state": "queued",
        "reason": None,
        "detail": None,
        "taken_back": False,
    }
    assert problem(post(browser, path, {"to": 1})) == (422, "invalid")


def test_a_message_is_taken_back(browser: Client, session: Play) -> None:
    path = f"/sessions/{session.id}/undo"
    response = post(browser, path, {"to": 2})
    assert response.status_code == 200
    assert response.json()["turn"]["number"] == 1
    assert problem(post(browser, path, {"to": 2})) == (409, "undo_refused")
    assert problem(post(browser, path, {"to": "two"})) == (422, "invalid")


def test_a_fork_has_an_address_of_its_own(browser: Client, session: Play) -> None:
    path = f"/sessions/{session.id}/fork"
    answers = [post(browser, path, {"at": 2}, Idempotency_Key="k") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Session.objects.count() == 2
    assert browser.get(answers[0]["Location"]).json()["seq"] == 3
    assert post(browser, path, {}).status_code == 201
    assert problem(post(browser, path, {"at": 999})) == (422, "fork_refused")
