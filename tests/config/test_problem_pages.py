"""The page behind a problem's ``type``."""

import re
from pathlib import Path

import pytest
from django.test import Client

from config.meanings import MEANING
from config.problem_pages import kinds

DOCUMENTED = Path(__file__).parents[2] / "docs" / "api.md"


def test_the_pages_and_the_docs_say_the_same_of_every_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| \d{3} \| (.+) \|$", DOCUMENTED.read_text(), re.MULTILINE)
    assert {code: text.replace("`", "") for code, text in rows} == MEANING
    assert set(MEANING) == {kind.code for kind in kinds()}


@pytest.mark.django_db
def test_what_a_refusal_links_can_be_opened_by_anybody(client: Client) -> None:
    refused = client.get("/api/v1/sessions").json()
    page = client.get(refused["type"])
    assert page.status_code == 200
    said = page.content.decode()
    assert refused["title"] in said
    assert "Neither a token nor a log-in." in said
    assert "HTTP 401" in said


@pytest.mark.django_db
@pytest.mark.parametrize("code", ["nothing", "NOT_FOUND", "not_found/x"])
def test_another_code_has_no_page(client: Client, code: str) -> None:
    assert client.get(f"/problems/{code}").status_code == 404
