"""Sessions by HTTP: start, look, follow, say something."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Project, Role
from planmode.core import wire
from planmode.core.presets import PRESETS
from planmode.models import EventRecord, Session
from tests.conftest import member
from tests.factories import call, play, submits
from tests.planmode.api.http import browser as log_in
from tests.planmode.api.http import get, post, problem, program

SCRIPT = "replies:\n  - text: Done.\n"


@pytest.fixture
def browser(operator: User) -> Client:
    return log_in(operator)


@pytest.fixture
def workspace(own_data: Path) -> Path:
    folder = settings.WORKSPACE_ROOTS[0] / "work"
    folder.mkdir()
    (settings.SCRIPTS_DIR / "done.yaml").write_text(SCRIPT)
    return Path(folder)


@pytest.fixture
def body(workspace: Path) -> dict[str, Any]:
    return {"workspace": str(workspace), "prompt": "Tidy", "model": "scripted:done.yaml"}


def test_a_session_starts_in_plan_mode(browser: Client, body: dict[str, Any]) -> None:
    response = post(browser, "/sessions", body)
    shown = response.json()
    assert response.status_code == 201
    assert response["Location"] == f"/api/v1/sessions/{shown['id']}"
    assert browser.get(response["Location"]).json() == shown
    assert (shown["title"], shown["project"], shown["owner"]) == ("Tidy", "default", "operator")
    assert (shown["preset"], shown["permission_mode"]["name"], shown["planning"]) == (
        "kimi",
        "manual",
        True,
    )
    assert shown["turn"] == {
        "number": 1,
        "state": "queued",
        "reason": None,
        "detail": None,
        "taken_back": False,
    }
    assert shown["waiting_for"] is None


def test_a_program_may_start_one_that_does_not_plan(
    operator: User, project: Project, body: dict[str, Any]
) -> None:
    client = program(operator, project, frozenset({"submit"}))
    body |= {"plan": False, "permission_mode": "accept_edits", "project": "default"}
    response = post(client, "/sessions", body)
    assert response.status_code == 201
    assert response.json()["planning"] is False
    assert response.json()["permission_mode"]["name"] == "accept_edits"


def test_a_session_has_permission_rules_of_its_own(browser: Client, body: dict[str, Any]) -> None:
    """They only tighten: an allowing one is refused."""
    rules = ["deny Bash(git push *)"]
    session = post(browser, "/sessions", body | {"rules": rules}).json()
    assert Session.objects.get(pk=session["id"]).fold.rules == tuple(rules)
    assert problem(post(browser, "/sessions", body | {"rules": ["allow Bash"]})) == (
        422,
        "rules_invalid",
    )


def test_no_session_of_the_api_is_local(
    browser: Client, body: dict[str, Any], tmp_path: Path
) -> None:
    """A folder that this machine's people could use stays closed to programs."""
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    response = post(browser, "/sessions", body | {"workspace": str(outside)})
    assert problem(response) == (422, "workspace_refused")
    assert problem(post(browser, "/sessions", body | {"local": True})) == (422, "invalid")
    assert not Session.objects.exists()


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        pytest.param({"prompt": " \n"}, "message_invalid", None, id="blank prompt"),
        pytest.param({"prompt": 7}, "invalid", "/prompt", id="no text"),
        pytest.param({"prompt": "a\0"}, "invalid", "/prompt", id="NUL"),
        pytest.param({"preset": "nano"}, "session_invalid", None, id="preset"),
        pytest.param({"preset": "dsh"}, "session_invalid", None, id="nothing says how to plan"),
        pytest.param({"permission_mode": "root"}, "session_invalid", None, id="permission mode"),
        pytest.param({"model": "scripted:../x.yaml"}, "session_invalid", None, id="model's path"),
        pytest.param({"model": "m" * 201}, "invalid", "/model", id="long model"),
        pytest.param({"plan": "yes"}, "invalid", "/plan", id="plan is no boolean"),
        pytest.param({"plan": None}, "invalid", "/plan", id="null"),
        pytest.param({"workspace": "../../etc"}, "workspace_refused", None, id="outside"),
        pytest.param({"workspace": "nowhere"}, "workspace_refused", None, id="no folder"),
        pytest.param({"owner": "admin"}, "invalid", "/owner", id="security:S37 unknown field"),
        pytest.param({"a/b~c": 1}, "invalid", "/a~1b~0c", id="odd name"),
    ],
)
def test_what_can_not_start(
    browser: Client, body: dict[str, Any], change: dict[str, Any], code: str, pointer: str | None
) -> None:
    response = post(browser, "/sessions", body | change)
    assert problem(response) == (422, code)
    pointers = [error["pointer"] for error in response.json().get("errors", [])]
    assert pointers == ([pointer] if pointer else [])
    assert not Session.objects.exists()


def test_all_that_is_missing_is_named_at_once(browser: Client, project: Project) -> None:
    response = post(browser, "/sessions", {"state": {}})
    assert problem(response) == (422, "invalid")
    pointers = {error["pointer"] for error in response.json()["errors"]}
    assert pointers == {"/prompt", "/state"}


def test_a_project_of_others_does_not_exist(browser: Client, body: dict[str, Any]) -> None:
    """security:S36."""
    Project.objects.create(name="secret")
    hidden = post(browser, "/sessions", body | {"project": "secret"})
    missing = post(browser, "/sessions", body | {"project": "absent"})
    assert problem(hidden) == problem(missing) == (404, "project_unknown")


def test_a_reviewer_starts_none(reviewer: User, body: dict[str, Any]) -> None:
    assert problem(post(log_in(reviewer), "/sessions", body)) == (403, "not_allowed")


def test_a_token_that_may_read_only_starts_none(
    operator: User, project: Project, body: dict[str, Any]
) -> None:
    client = program(operator, project, frozenset({"read"}))
    assert problem(post(client, "/sessions", body)) == (403, "not_allowed")


@pytest.mark.parametrize(
    ("reply", "fields", "kind"),
    [
        pytest.param(submits(), {}, "review", id="review"),
        pytest.param(
            {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]},
            {},
            "question",
            id="question",
        ),
        pytest.param(
            {"tool_calls": [call("Write", path="a.py", content="a = 1\n")]},
            {"plan": False},
            "approval",
            id="approval",
        ),
    ],
)
def test_a_waiting_session_says_for_which_card(
    browser: Client, operator: User, reply: dict[str, Any], fields: dict[str, Any], kind: str
) -> None:
    session = play(operator, [reply], **fields).work()
    shown = get(browser, f"/sessions/{session.id}").json()
    card = getattr(session, kind)
    assert shown["turn"]["state"] == "waiting"
    assert shown["waiting_for"] == {"kind": kind, "id": str(card.pk)}
    assert shown["steps"] == 1
    assert get(browser, f"/{kind}s/{card.pk}").status_code == 200


def test_the_log_comes_page_by_page(browser: Client, operator: User) -> None:
    looks = [
        {"text": "Looking.", "tool_calls": [call("Glob", pattern=f"*{number}")]}
        for number in range(60)
    ]
    session = play(operator, [*looks, {"text": "Done."}], plan=False).work()
    first = get(browser, f"/sessions/{session.id}/events").json()
    rest = get(browser, f"/sessions/{session.id}/events?after={first['next_after']}").json()
    assert [event["seq"] for event in first["results"]] == list(range(1, 201))
    assert first["next_after"] == 200
    records = EventRecord.objects.filter(session_id=session.id).order_by("seq")
    shown = first["results"] + rest["results"]
    assert len(shown) < 400
    assert [(e["seq"], e["name"], e["hash"]) for e in shown] == list(
        records.values_list("seq", "name", "hash")
    )
    assert shown[0]["data"] == wire.parsed(bytes(records[0].canonical))["data"]
    end = rest["next_after"]
    after_the_end = get(browser, f"/sessions/{session.id}/events?after={end}").json()
    assert after_the_end == {"results": [], "next_after": end}


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", f"after={10**30}", "before=1", "after=1&order_by=hash"]
)
def test_odd_queries_are_refused(browser: Client, operator: User, query: str) -> None:
    """security:S43."""
    session = play(operator, [])
    response = get(browser, f"/sessions/{session.id}/events?{query}")
    assert problem(response) == (400, "query_invalid")
    assert response.json()["errors"]


def test_a_message_is_taken_in(browser: Client, operator: User) -> None:
    session = play(operator, [{"text": "Done."}, {"text": "Again."}], plan=False).work()
    response = post(browser, f"/sessions/{session.id}/messages", {"text": "  Once more\n"})
    assert response.status_code == 202
    seq = response.json()["seq"]
    log = get(browser, f"/sessions/{session.id}/events?after={seq - 2}").json()["results"]
    assert [event["name"] for event in log] == ["message.posted", "turn.queued"]
    assert log[0]["data"]["text"] == "  Once more\n"
    assert log[0]["data"]["author"] == operator.pk
    assert session.work().turn.number == 2


def test_a_message_while_the_agent_waits_withdraws_no_review(
    browser: Client, operator: User
) -> None:
    """case:C111."""
    session = play(operator, [submits()]).work()
    response = post(browser, f"/sessions/{session.id}/messages", {"text": "By the way"})
    assert response.status_code == 202
    assert session.review.status == "open"
    assert session.turn.number == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(" \n", "message_invalid", id="blank"),
        pytest.param(" \u2060\u200b", "message_invalid", id="nothing that is seen"),
        pytest.param("a" * (256 * 1024 + 1), "message_invalid", id="over 256 KiB"),
        pytest.param(["a"], "invalid", id="a list"),
    ],
)
def test_messages_that_are_refused(
    browser: Client, operator: User, text: object, code: str
) -> None:
    session = play(operator, [])
    before = Session.objects.get(pk=session.id).seq
    response = post(browser, f"/sessions/{session.id}/messages", {"text": text})
    assert problem(response) == (422, code)
    assert Session.objects.get(pk=session.id).seq == before


@pytest.mark.parametrize("path", ["", "/events", "/revisions", "/messages"])
@pytest.mark.parametrize("text", [str(uuid4()), "7", "{}", f"{{{uuid4()}}}"])
def test_an_unknown_session(browser: Client, path: str, text: str) -> None:
    response = (
        post(browser, f"/sessions/{text}{path}", {"text": "Hello"})
        if path == "/messages"
        else get(browser, f"/sessions/{text}{path}")
    )
    assert problem(response) == (404, "session_unknown")
    assert response.json()["detail"] == f"no session {text}"


def test_a_session_of_another_project_looks_like_none(project: Project, operator: User) -> None:
    """security:S36: the answer is that of a missing id."""
    session = play(operator, [])
    other = Project.objects.create(name="other")
    client = log_in(member(other, "ada", Role.REVIEWER, Role.OPERATOR))
    hidden = get(client, f"/sessions/{session.id}")
    assert problem(hidden) == (404, "session_unknown")
    assert hidden.json()["detail"] == f"no session {session.id}"


@pytest.mark.parametrize("path", ["/sessions", "/sessions/1"])
def test_nobody_gets_nothing(db: None, path: str) -> None:
    response = get(Client(), path)
    assert problem(response) == (401, "not_authenticated")
    assert response["WWW-Authenticate"] == "Bearer"
    assert response["Cache-Control"] == "no-store"


def test_the_same_key_starts_one_session(browser: Client, body: dict[str, Any]) -> None:
    first = post(browser, "/sessions", body, Idempotency_Key="k1")
    again = post(browser, "/sessions", body, Idempotency_Key="k1")
    other = post(browser, "/sessions", body | {"prompt": "Else"}, Idempotency_Key="k1")
    assert again.status_code == first.status_code == 201
    assert again.json() == first.json()
    assert again["Location"] == first["Location"]
    assert problem(other) == (422, "key_reused")
    assert Session.objects.count() == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_starts(
    browser: Client, body: dict[str, Any], project: Project, preset: str
) -> None:
    Project.objects.filter(pk=project.pk).update(plan_section="Look first.")
    started = post(browser, "/sessions", body | {"preset": preset})
    assert started.status_code == 201
    assert (started.json()["preset"], started.json()["planning"]) == (preset, True)


def test_a_refusal_leaves_its_key_free(browser: Client, body: dict[str, Any]) -> None:
    refused = post(browser, "/sessions", body | {"preset": "nano"}, Idempotency_Key="k1")
    assert problem(refused) == (422, "session_invalid")
    assert post(browser, "/sessions", body, Idempotency_Key="k1").status_code == 201


def test_a_plan_over_1_mib_opens_no_review(browser: Client, operator: User) -> None:
    """The limit holds where plans come in: at the agent's tools, which hear it."""
    plan = "# Plan\n" + "x" * 600_000
    grows = call("Edit", path="${plan_file}", old_string="x", new_string="xx", replace_all=True)
    replies: list[dict[str, Any]] = [
        {"tool_calls": [call("Write", path="${plan_file}", content=plan), grows]},
        {"text": "It does not fit."},
    ]
    session = play(operator, replies).work()
    log = get(browser, f"/sessions/{session.id}/events").json()["results"]
    refused = [event["data"] for event in log if event["name"] == "tool.finished"][-1]
    assert refused["is_error"]
    assert "1048576 bytes" in refused["text"]
    assert get(browser, "/reviews").json()["results"] == []
    assert get(browser, f"/sessions/{session.id}/revisions").json()["results"] == []


def test_times_name_their_zone(browser: Client, operator: User) -> None:
    """case:C161."""
    session = play(operator, [])
    shown = get(browser, f"/sessions/{session.id}").json()
    assert shown["created_at"].endswith("+00:00")
    events = get(browser, f"/sessions/{session.id}/events").json()["results"]
    assert all(event["at"].endswith("+00:00") for event in events)
