"""Revisions by HTTP: what was submitted, byte for byte."""

import hashlib
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.models import Revision
from reviews.core.decisions import DecisionKind
from tests.desk import decide
from tests.factories import Play, play, submits
from tests.planmode.api.http import API, browser, get, problem

ODD = "# Täglich\r\n\r\n1. Weiß \u202e… <script>x()</script>\n\n"


@pytest.fixture
def client(reviewer: User) -> Client:
    return browser(reviewer)


@pytest.fixture
def two(operator: User, reviewer: User) -> Play:
    """A session with two revisions."""
    session = play(operator, [submits(ODD), submits("# Plan\n\n2. Other\n")]).work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Shorter")
    return session.work()


def test_revisions_come_newest_first(client: Client, two: Play) -> None:
    shown = get(client, f"/sessions/{two.id}/revisions").json()
    assert [row["version"] for row in shown["results"]] == [2, 1]
    assert shown["next"] is None
    newest = shown["results"][0]
    assert newest["key"] == f"plan/{newest['plan_id']}/v2.md"
    assert newest["sha256"] == two.review.sha256


def test_revisions_come_page_by_page(client: Client, two: Play) -> None:
    first = get(client, f"/sessions/{two.id}/revisions?limit=1").json()
    second = get(client, f"/sessions/{two.id}/revisions?limit=1&before={first['next']}").json()
    assert [first["results"][0]["version"], second["results"][0]["version"]] == [2, 1]
    assert second["next"] is None


def test_a_revision_has_the_text_that_was_submitted(client: Client, two: Play) -> None:
    row = Revision.objects.get(version=1)
    shown = get(client, f"/revisions/{row.pk}").json()
    assert shown["text"] == ODD
    assert shown["size"] == len(ODD.encode())
    assert shown["sha256"] == hashlib.sha256(ODD.encode()).hexdigest()
    assert shown["session"] == str(two.id)


@pytest.mark.parametrize("accept", ["*/*", "text/plain", "text/html", "application/json"])
def test_raw_is_the_exact_bytes_as_a_file(client: Client, two: Play, accept: str) -> None:
    """security:S38."""
    row = Revision.objects.get(version=1)
    response = client.get(f"{API}/revisions/{row.pk}/raw", headers={"Accept": accept})
    assert response.content == ODD.encode()
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    name = f"{row.plan_id}-v1.md"
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["ETag"] == f'"{row.sha256}"'
    assert response["Cache-Control"] == "no-store"


def test_a_raw_name_holds_plain_letters_only(client: Client, two: Play) -> None:
    """security:S38: whatever a plan is called."""
    Revision.objects.filter(version=1).update(plan_id='../a"b\r\nSet-Cookie: x=ü')
    row = Revision.objects.get(version=1)
    response = get(client, f"/revisions/{row.pk}/raw")
    assert response["Content-Disposition"] == 'attachment; filename="-a-b-Set-Cookie-x--v1.md"'
    assert "Set-Cookie" not in response


@pytest.mark.parametrize("path", ["", "/raw"])
@pytest.mark.parametrize("text", [str(uuid4()), "plan", "01"])
def test_an_unknown_revision(client: Client, path: str, text: str) -> None:
    assert problem(get(client, f"/revisions/{text}{path}")) == (404, "revision_unknown")


def test_a_missing_revision_and_a_hidden_one_look_alike(two: Play, stranger: User) -> None:
    """security:S36."""
    row = Revision.objects.get(version=1)
    for path in ("", "/raw"):
        hidden = get(browser(stranger), f"/revisions/{row.pk}{path}")
        assert problem(hidden) == (404, "revision_unknown")
        assert hidden.json()["detail"] == f"no revision {row.pk}"


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=1000000000", "before=1", "x=1"])
def test_odd_pages_are_refused(client: Client, two: Play, query: str) -> None:
    """security:S43."""
    response = get(client, f"/sessions/{two.id}/revisions?{query}")
    assert problem(response) == (400, "query_invalid")
