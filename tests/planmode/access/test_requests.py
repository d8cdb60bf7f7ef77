"""The first answer to a request, and its key."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import FirstAnswer, Project
from planmode.models import EventRecord
from tests.factories import Play, play
from tests.planmode.api.http import browser, post, problem, program


@pytest.fixture
def session(operator: User) -> Play:
    return play(operator, [])


@pytest.fixture
def client(operator: User) -> Client:
    return browser(operator)


def posted() -> int:
    return EventRecord.objects.filter(name="message.posted").count() - 1  # without the prompt


def test_without_a_key_each_request_counts(client: Client, session: Play) -> None:
    for _ in range(2):
        post(client, f"/sessions/{session.id}/messages", {"text": "Hello"})
    assert posted() == 2
    assert not FirstAnswer.objects.exists()


def test_with_a_key_the_first_counts(client: Client, session: Play) -> None:
    path = f"/sessions/{session.id}/messages"
    first, second = (
        post(client, path, {"text": "Hello"}, Idempotency_Key="k" * 255) for _ in range(2)
    )
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert posted() == 1


def test_a_key_belongs_to_one_address(client: Client, session: Play, operator: User) -> None:
    other = play(operator, [])
    post(client, f"/sessions/{session.id}/messages", {"text": "Hello"}, Idempotency_Key="k")
    again = post(client, f"/sessions/{other.id}/messages", {"text": "Hello"}, Idempotency_Key="k")
    assert problem(again) == (422, "key_reused")


def test_a_key_belongs_to_one_way_of_access(
    client: Client, session: Play, operator: User, project: Project
) -> None:
    """Who knows a key of the browser, or of another token, learns nothing by it."""
    path = f"/sessions/{session.id}/messages"
    for each in (client, program(operator, project), program(operator, project)):
        assert post(each, path, {"text": "Hello"}, Idempotency_Key="k").status_code == 202
    assert posted() == 3
    assert FirstAnswer.objects.count() == 3


def test_a_first_answer_is_not_given_to_who_lost_the_role(
    client: Client, session: Play, operator: User
) -> None:
    """security:S16."""
    path = f"/sessions/{session.id}/messages"
    body = {"workspace": str(session.workspace), "prompt": "Go", "model": "m:x"}
    post(client, path, {"text": "Hello"}, Idempotency_Key="k")
    assert post(client, "/sessions", body, Idempotency_Key="s").status_code == 201
    operator.memberships.all().delete()
    again = post(client, path, {"text": "Hello"}, Idempotency_Key="k")
    assert problem(again) == (404, "session_unknown")
    again = post(client, "/sessions", body, Idempotency_Key="s")
    assert problem(again) == (404, "project_unknown")


def test_the_order_of_fields_is_no_other_body(client: Client, session: Play) -> None:
    path = f"/sessions/{session.id}/messages"
    for body in (b'{"text":"Hello"}', b' {"text" : "Hello"} '):
        assert post(client, path, body, Idempotency_Key="k").status_code == 202
    assert posted() == 1


def test_a_key_that_is_too_long_is_refused(client: Client, session: Play) -> None:
    path = f"/sessions/{session.id}/messages"
    refused = post(client, path, {"text": "Hello"}, Idempotency_Key="k" * 256)
    assert problem(refused)[0] == 422
    assert posted() == 0


def test_a_refusal_is_not_kept(client: Client, session: Play) -> None:
    path = f"/sessions/{session.id}/messages"
    assert post(client, path, {"text": " "}, Idempotency_Key="k").status_code == 422
    assert not FirstAnswer.objects.exists()
    assert post(client, path, {"text": "Hello"}, Idempotency_Key="k").status_code == 202


def test_a_program_is_told_what_only_its_owner_may_do(
    session: Play, operator: User, project: Project
) -> None:
    refused = post(program(operator, project), f"/sessions/{session.id}/undo", {"to": 1})
    assert problem(refused) == (403, "not_allowed")
    told = "a program's token can't do this; its owner can, in the browser"
    assert refused.json()["detail"] == told


def test_a_program_is_told_what_its_scopes_lack(
    session: Play, operator: User, project: Project
) -> None:
    reads = program(operator, project, frozenset({"read"}))
    refused = post(reads, f"/sessions/{session.id}/messages", {"text": "Hello"})
    assert problem(refused) == (403, "not_allowed")
    assert refused.json()["detail"] == "this token's scopes do not include: post_message"


def test_a_person_is_told_what_their_roles_lack(session: Play, reviewer: User) -> None:
    refused = post(browser(reviewer), f"/sessions/{session.id}/messages", {"text": "Hello"})
    detail = refused.json()["detail"]
    assert detail == "your roles in this project do not include: post_message"
