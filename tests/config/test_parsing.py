"""JSON bodies that are refused before anybody looks at them."""

import gzip
import json
import time
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.exceptions import ParseError

from config.parsing import DEEPEST, LONGEST_BODY, StrictJSONParser
from planmode.models import Session
from tests.factories import Play, play
from tests.planmode.api.http import API, browser, post, problem


@pytest.fixture
def session(operator: User) -> Play:
    return play(operator, [])


@pytest.fixture
def client(operator: User) -> Client:
    return browser(operator)


def nested(levels: int) -> bytes:
    return b'{"text":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"{", id="cut off"),
        pytest.param(b"text=hello", id="a form"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'"text"', id="a string"),
        pytest.param(b"null", id="null"),
        pytest.param(b'{"text":"a","text":"b"}', id="a key twice"),
        pytest.param(b'{"text":NaN}', id="NaN"),
        pytest.param(b'{"text":-Infinity}', id="infinity"),
        pytest.param(b'{"text":1e400}', id="10^400"),
        pytest.param(b'{"text":' + b"9" * 5000 + b"}", id="5000 digits"),
        pytest.param(b'{"text":"\\ud800"}', id="half a surrogate pair"),
        pytest.param(b'{"\\udfff":1}', id="half a pair in a key"),
        pytest.param(b'\xef\xbb\xbf{"text":"a"}', id="BOM"),
        pytest.param('{"text":"ä"}'.encode("latin-1"), id="latin-1"),
        pytest.param('{"text":"a"}'.encode("utf-16"), id="utf-16"),
        pytest.param(b"[" * 200_000, id="200 000 brackets"),
        pytest.param(nested(DEEPEST + 1), id="too deep"),
        pytest.param(b'{"text":"a"} {}', id="two objects"),
    ],
)
def test_what_is_no_json_object(client: Client, session: Play, body: bytes) -> None:
    """security:S30."""
    before, began = Session.objects.get(pk=session.id).seq, time.monotonic()
    response = post(client, f"/sessions/{session.id}/messages", body)
    assert problem(response) == (400, "body_not_json")
    assert time.monotonic() - began < 1
    assert Session.objects.get(pk=session.id).seq == before


def test_an_empty_body_says_what_is_missing(client: Client, session: Play) -> None:
    response = post(client, f"/sessions/{session.id}/messages", b"")
    assert problem(response) == (422, "invalid")
    assert [error["pointer"] for error in response.json()["errors"]] == ["/text"]


def test_many_keys_are_refused_with_a_short_answer(client: Client, session: Play) -> None:
    """security:S30: a megabyte of keys."""
    body = json.dumps({f"key{number}": 1 for number in range(80_000)}).encode()
    response = post(client, f"/sessions/{session.id}/messages", body)
    assert problem(response) == (422, "invalid")
    assert len(response.content) < 10_000


def test_a_body_over_the_limit(client: Client, session: Play) -> None:
    body = json.dumps({"text": "x" * LONGEST_BODY}).encode()
    response = post(client, f"/sessions/{session.id}/messages", body)
    assert problem(response) == (413, "body_too_large")


def test_more_parameters_than_django_reads(client: Client, session: Play) -> None:
    query = "&".join(["after=1"] * 1001)
    response = client.get(f"{API}/sessions/{session.id}/events?{query}")
    assert problem(response) == (400, "request_refused")


@pytest.mark.parametrize(
    ("media_type", "headers"),
    [
        pytest.param("text/plain", {}, id="security:S11 text/plain"),
        pytest.param("application/x-www-form-urlencoded", {}, id="form"),
        pytest.param("multipart/form-data; boundary=b", {}, id="multipart"),
        pytest.param("application/json; charset=utf-16", {}, id="charset"),
        pytest.param("application/json", {"Content-Encoding": "gzip"}, id="security:S31 gzip"),
        pytest.param("application/xml", {}, id="XML"),
    ],
)
def test_other_media_types(
    client: Client, session: Play, media_type: str, headers: dict[str, str]
) -> None:
    body = gzip.compress(b'{"text":"a"}') if headers else b'{"text":"a"}'
    response = client.post(
        f"{API}/sessions/{session.id}/fork", body, content_type=media_type, headers=headers
    )
    assert problem(response) == (415, "media_type_unsupported")


def test_a_method_override_is_ignored(client: Client, session: Play) -> None:
    """security:S11."""
    response = client.get(
        f"{API}/sessions/{session.id}/messages", headers={"X-HTTP-Method-Override": "POST"}
    )
    assert problem(response) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"text": "ä😀\u202e", "n": [1, 2.5, True, None]}, id="all kinds"),
        pytest.param({"a": {"b": {"c": []}}}, id="nested"),
        pytest.param({}, id="empty"),
    ],
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_json_comes_through_unchanged(
    value: dict[str, Any],
    ascii_only: bool,  # noqa: FBT001 - a column of the table
) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert StrictJSONParser().parse(BytesIO(raw), "application/json; charset=UTF-8") == value


def test_the_deepest_body_is_read() -> None:
    assert StrictJSONParser().parse(BytesIO(nested(DEEPEST))) is not None
    with pytest.raises(ParseError):
        StrictJSONParser().parse(BytesIO(nested(DEEPEST + 1)))
