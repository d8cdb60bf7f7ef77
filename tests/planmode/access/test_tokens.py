"""Tokens: shown once, kept as a hash, good as long as they are alive."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from planmode.access import tokens
from planmode.access.models import Project, Token
from tests.planmode.api.http import get, problem, program

BOTH = frozenset({"submit", "read"})


@pytest.fixture
def issued(operator: User, project: Project) -> tuple[Token, str]:
    return tokens.issue(operator, project, "ci", scopes=BOTH)


def test_a_token_is_found_by_its_text(issued: tuple[Token, str], operator: User) -> None:
    token, text = issued
    found = tokens.find(text)
    assert found == token
    assert found.owner == operator


def test_the_secret_is_kept_nowhere(issued: tuple[Token, str]) -> None:
    """security:S12 case:C141: what the table holds opens nothing."""
    token, text = issued
    secret = text.split("_", 2)[2]
    row = Token.objects.values().get(pk=token.pk)
    assert not any(secret in str(value) for value in row.values())
    assert tokens.find(f"pmt_{token.prefix}_{token.sha256}") is None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text[:-1] + ("a" if text[-1] != "a" else "b"), id="last letter"),
        pytest.param(lambda text: text + "x", id="longer"),
        pytest.param(lambda text: text[:-1], id="shorter"),
        pytest.param(lambda text: "xyz" + text[3:], id="another mark"),
        pytest.param(lambda text: text.rsplit("_", 1)[0] + "_", id="prefix only"),
        pytest.param(lambda _: "", id="nothing"),
        pytest.param(lambda _: "pmt__", id="blanks"),
        pytest.param(lambda _: "\ud800", id="half a surrogate pair"),
    ],
)
def test_another_text_is_no_token(issued: tuple[Token, str], change: object) -> None:
    assert callable(change)
    assert tokens.find(change(issued[1])) is None


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"revoked_at": timezone.now()}, id="revoked"),
        pytest.param({"expires_at": timezone.now() - timedelta(seconds=1)}, id="expired"),
    ],
)
def test_a_dead_token_opens_nothing(
    operator: User, project: Project, fields: dict[str, object]
) -> None:
    """security:S16: from the very next request on."""
    client = program(operator, project)
    assert get(client, "/reviews").status_code == 200
    Token.objects.update(**fields)
    response = get(client, "/reviews")
    assert problem(response) == (401, "token_invalid")
    assert response["WWW-Authenticate"] == "Bearer"


def test_a_token_dies_with_its_owners_account(operator: User, project: Project) -> None:
    client = program(operator, project)
    User.objects.filter(pk=operator.pk).update(is_active=False)
    assert problem(get(client, "/reviews")) == (401, "token_invalid")


def test_a_token_that_expires_later_is_alive(issued: tuple[Token, str]) -> None:
    Token.objects.update(expires_at=timezone.now() + timedelta(hours=1))
    assert tokens.find(issued[1]) is not None


def test_its_use_is_noted_to_the_minute(issued: tuple[Token, str]) -> None:
    token, text = issued
    tokens.find(text)
    first = Token.objects.get(pk=token.pk).last_used_at
    assert first is not None
    tokens.find(text)
    assert Token.objects.get(pk=token.pk).last_used_at == first
    Token.objects.update(last_used_at=first - timedelta(minutes=2))
    tokens.find(text)
    later = Token.objects.get(pk=token.pk).last_used_at
    assert later is not None
    assert later >= first


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "bearer nonsense", "BEARER pmt_a_b"])
def test_a_bad_token_is_not_mended_by_a_cookie(reviewer: User, header: str) -> None:
    """The bearer token is tried first, and alone."""
    client = Client(headers={"Authorization": header})
    client.force_login(reviewer)
    assert problem(get(client, "/reviews")) == (401, "token_invalid")


def test_a_token_in_the_address_is_none(operator: User, project: Project) -> None:
    """security:S13."""
    _, text = tokens.issue(operator, project, "ci", scopes=BOTH)
    assert problem(get(Client(), f"/reviews?token={text}")) == (401, "not_authenticated")
