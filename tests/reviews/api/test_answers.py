"""Answers to questions and tool approvals by HTTP."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Project
from reviews.models import Approval
from tests.desk import results
from tests.factories import Play, call, play
from tests.planmode.api.http import browser, get, post, problem, program


@pytest.fixture
def client(reviewer: User) -> Client:
    return browser(reviewer)


@pytest.fixture
def asking(operator: User) -> Play:
    """A session whose agent asks two questions."""
    questions = [{"text": "Which?", "choices": ["A", "B"]}, {"text": "Why?"}]
    asks = call("AskUserQuestion", questions=questions)
    return play(operator, [{"tool_calls": [asks]}, {"text": "Thanks."}]).work()


@pytest.fixture
def acting(operator: User) -> Play:
    """A session whose agent wants to write, outside plan mode."""
    writes = {"tool_calls": [call("Write", path="new.py", content="n = 1\n")]}
    return play(operator, [writes, {"text": "Done."}], plan=False).work()


def test_answers_reach_the_agent(client: Client, asking: Play) -> None:
    path = f"/questions/{asking.question.pk}"
    shown = get(client, path).json()
    assert [item["text"] for item in shown["items"]] == ["Which?", "Why?"]
    assert shown["items"][0]["choices"] == ["A", "B"]
    assert (shown["status"], shown["answers"], shown["answered_by"]) == ("open", [], None)
    response = post(client, f"{path}/answer", {"answers": ["A", " Since\n"]})
    assert response.status_code == 200
    assert response.json() == get(client, path).json()
    assert response.json()["answers"] == ["A", " Since\n"]
    assert response.json()["answered_by"] == "reviewer"
    text = results(asking.work())[-1].text
    assert "Which?" in text
    assert "Since" in text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param({"answers": ["A"]}, "answer_invalid", id="one is missing"),
        pytest.param({"answers": ["A", "B", "C"]}, "answer_invalid", id="one too many"),
        pytest.param({"answers": ["A", " "]}, "answer_invalid", id="blank"),
        pytest.param({"answers": ["A", " \u200b"]}, "answer_invalid", id="unseen"),
        pytest.param({"answers": ["A", "x" * 8193]}, "answer_invalid", id="over 8 KiB"),
        pytest.param({"answers": ["A", 2]}, "invalid", id="a number"),
        pytest.param({"answers": "AB"}, "invalid", id="no list"),
        pytest.param({}, "invalid", id="nothing"),
    ],
)
def test_answers_that_do_not_fit(
    client: Client, asking: Play, body: dict[str, Any], code: str
) -> None:
    response = post(client, f"/questions/{asking.question.pk}/answer", body)
    assert problem(response) == (422, code)
    assert asking.question.status == "open"


@pytest.mark.parametrize("allow", [True, False])
def test_a_yes_lets_the_call_run(
    client: Client,
    acting: Play,
    allow: bool,  # noqa: FBT001 - the one parameter
) -> None:
    path = f"/approvals/{acting.approval.pk}"
    shown = get(client, path).json()
    assert (shown["tool"], shown["allowed"], shown["status"]) == ("Write", None, "open")
    assert "new.py" in shown["title"]
    response = post(client, f"{path}/answer", {"allow": allow, "note": "Careful"})
    assert response.json() == get(client, path).json()
    assert response.json()["allowed"] is allow
    assert response.json()["note"] == "Careful"
    acting.work()
    assert (acting.workspace / "new.py").exists() is allow
    assert ("Careful" in results(acting)[-1].text) is not allow


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param({}, "invalid", id="nothing"),
        pytest.param({"allow": 1}, "invalid", id="no boolean"),
        pytest.param({"allow": None}, "invalid", id="null"),
        pytest.param({"allow": True, "note": "x" * 8193}, "answer_invalid", id="over 8 KiB"),
    ],
)
def test_a_yes_must_be_one(client: Client, acting: Play, body: dict[str, Any], code: str) -> None:
    response = post(client, f"/approvals/{acting.approval.pk}/answer", body)
    assert problem(response) == (422, code)
    assert Approval.objects.get().allowed is None


def test_an_answer_is_given_once(client: Client, asking: Play, acting: Play) -> None:
    question = f"/questions/{asking.question.pk}/answer"
    approval = f"/approvals/{acting.approval.pk}/answer"
    answers = {"answers": ["A", "B"]}
    assert post(client, question, answers, Idempotency_Key="k").status_code == 200
    assert post(client, approval, {"allow": False}).status_code == 200
    assert post(client, question, answers, Idempotency_Key="k").status_code == 200
    assert problem(post(client, question, answers)) == (409, "not_waiting")
    assert problem(post(client, approval, {"allow": True})) == (409, "not_waiting")


def test_the_owner_answers_their_agent(operator: User, asking: Play, acting: Play) -> None:
    client = browser(operator)
    answers = {"answers": ["A", "B"]}
    assert post(client, f"/questions/{asking.question.pk}/answer", answers).status_code == 200
    allow = {"allow": True}
    assert post(client, f"/approvals/{acting.approval.pk}/answer", allow).status_code == 200


def test_a_token_never_answers(
    operator: User, project: Project, asking: Play, acting: Play
) -> None:
    client = program(operator, project)
    answers = {"answers": ["A", "B"]}
    for path, body in (
        (f"/questions/{asking.question.pk}/answer", answers),
        (f"/approvals/{acting.approval.pk}/answer", {"allow": True}),
    ):
        assert problem(post(client, path, body)) == (403, "token_never_decides")
        assert problem(post(client, path, {})) == (403, "token_never_decides")


@pytest.mark.parametrize(
    ("path", "body"),
    [("/questions", {"answers": ["A"]}), ("/approvals", {"allow": True})],
)
@pytest.mark.parametrize("text", [str(uuid4()), "one"])
def test_an_unknown_card(client: Client, path: str, body: dict[str, Any], text: str) -> None:
    assert problem(get(client, f"{path}/{text}")) == (404, "card_unknown")
    assert problem(post(client, f"{path}/{text}/answer", body)) == (404, "card_unknown")


def test_a_card_of_another_kind_is_unknown(client: Client, asking: Play) -> None:
    """security:S20: an id opens what it belongs to, and nothing else."""
    question = asking.question.pk
    assert problem(get(client, f"/approvals/{question}")) == (404, "card_unknown")
    assert problem(get(client, f"/reviews/{question}")) == (404, "review_unknown")
