"""Every refusal is a problem with a code and a status."""

import importlib
import logging
import pkgutil
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.signals import got_request_exception
from django.db import OperationalError
from django.test import Client
from rest_framework import exceptions as drf

import planmode
import reviews
from config.problems import BUSY, CSRF_FAILED, FRAMEWORK, INTERNAL, STATUS_OF, problem_of
from config.problems import problem_response as respond
from planmode.access.strict import QueryInvalidError
from planmode.api.urls import urlpatterns as planmode_urls
from planmode.core.errors import DomainError, StoredDataError
from planmode.models import Blob
from reviews.api.urls import urlpatterns as reviews_urls
from tests.factories import play, submits
from tests.planmode.api.http import API, browser, get, problem

DOCUMENTED = Path(__file__).parents[2] / "docs" / "api.md"
KINDS = {*FRAMEWORK.values(), CSRF_FAILED, BUSY, INTERNAL}


def _of_ours(kind: type[DomainError]) -> Iterator[type[DomainError]]:
    for inner in kind.__subclasses__():
        if inner.__module__.partition(".")[0] in {"planmode", "reviews", "config"}:
            yield inner
        yield from _of_ours(inner)


def test_every_refusal_has_a_status() -> None:
    for package in (planmode, reviews):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "migrations" not in module.name and "management" not in module.name:
                importlib.import_module(module.name)
    assert set(_of_ours(DomainError)) == set(STATUS_OF)


def test_codes_are_unique() -> None:
    domain = [error.code for error in STATUS_OF]
    assert len(set(domain)) == len(domain)
    codes_of_kinds = {kind.code for kind in KINDS} - {"not_allowed"}
    assert not codes_of_kinds & set(domain)
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_every_code_is_documented_with_its_status() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d{3}) \|", DOCUMENTED.read_text("utf-8"), re.MULTILINE)
    known = {error.code: status.value for error, status in STATUS_OF.items()}
    known |= {kind.code: kind.status.value for kind in KINDS}
    assert len(rows) == len(dict(rows))
    assert {code: int(status) for code, status in rows} == known


def test_every_address_is_documented() -> None:
    text = DOCUMENTED.read_text("utf-8")
    addresses = [
        re.sub(r"<str:\w+>", "ID", str(pattern.pattern))
        for pattern in [*planmode_urls, *reviews_urls]
        if pattern.name != "api-unknown"
    ]
    assert len(addresses) == 24
    assert [address for address in addresses if f"/api/v1/{address}" not in text] == []


@pytest.mark.parametrize("error", STATUS_OF)
def test_titles_are_sentences_without_a_full_stop(error: type[DomainError]) -> None:
    assert error.title[0].isupper()
    assert not error.title.endswith(".")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (drf.NotAuthenticated(), 401, "not_authenticated"),
        (drf.AuthenticationFailed(), 401, "token_invalid"),
        (drf.PermissionDenied(), 403, "not_allowed"),
        (drf.PermissionDenied("CSRF Failed: CSRF cookie not set."), 403, "csrf_failed"),
        (drf.NotFound(), 404, "not_found"),
        (drf.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (drf.NotAcceptable(), 406, "not_acceptable"),
        (drf.UnsupportedMediaType("a/b"), 415, "media_type_unsupported"),
        (drf.ParseError(), 400, "body_not_json"),
        (drf.Throttled(3), 429, "throttled"),
        (drf.ValidationError("No"), 422, "invalid"),
        (QueryInvalidError("No"), 400, "query_invalid"),
        (OperationalError("database is locked"), 503, "busy"),
        (OperationalError("database is busy: other writers"), 503, "busy"),
        (OperationalError("deadlock detected"), 503, "busy"),
        (OperationalError("no such table: x"), 500, "internal_error"),
        (ValueError("secret"), 500, "internal_error"),
        (drf.APIException("secret"), 500, "internal_error"),
    ],
)
def test_each_kind(error: Exception, status: int, code: str) -> None:
    found = problem_of(error)
    assert (found.kind.status, found.kind.code) == (status, code)
    assert "secret" not in found.detail


def test_who_is_throttled_or_met_a_busy_database_hears_when_to_come_back() -> None:
    assert problem_of(drf.Throttled(2.5)).headers == {"Retry-After": "3"}
    busy = respond(OperationalError("database is locked"), {})
    assert (busy.status_code, busy["Retry-After"]) == (503, "1")


def test_pointers_lead_to_what_is_wrong() -> None:
    error = drf.ValidationError({"answers": {"0": ["Bad."]}, "a/b": ["Worse."], "": ["Whole."]})
    assert list(problem_of(error).more["errors"]) == [
        {"pointer": "/answers/0", "detail": "Bad."},
        {"pointer": "/a~1b", "detail": "Worse."},
        {"pointer": "", "detail": "Whole."},
    ]


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options", "head"])
@pytest.mark.parametrize("path", ["/", "/nothing", "/reviews/", "/sessions/1/2/3"])
def test_an_unknown_address_is_a_problem(db: None, method: str, path: str) -> None:
    response = getattr(Client(), method)(f"{API}{path}")
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response["Cache-Control"] == "no-store"
    if method != "head":
        assert problem(response) == (404, "not_found")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "post"])
def test_other_methods_are_refused(reviewer: User, method: str) -> None:
    response = getattr(browser(reviewer), method)(f"{API}/reviews")
    assert problem(response) == (405, "method_not_allowed")
    assert response["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "image/png"])
def test_answers_are_json(reviewer: User, accept: str) -> None:
    response = browser(reviewer).get(f"{API}/reviews", headers={"Accept": accept})
    assert problem(response) == (406, "not_acceptable")


def test_damaged_bytes_are_never_shown(
    operator: User, reviewer: User, caplog: pytest.LogCaptureFixture
) -> None:
    """case:C058: what can't be verified is no plan."""
    session = play(operator, [submits()]).work()
    Blob.objects.filter(sha256=session.review.sha256).update(content=b"# Another plan\n")
    with caplog.at_level(logging.ERROR, logger="config.problems"):
        response = get(browser(reviewer), f"/reviews/{session.review.pk}")
    assert problem(response) == (500, StoredDataError.code)
    assert "Another plan" not in response.content.decode()
    assert caplog.records[0].name == "config.problems"


def test_what_nobody_foresaw_is_logged_and_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[object] = []

    def listener(**_: object) -> None:
        heard.append(True)

    got_request_exception.connect(listener)
    try:
        response = respond(ZeroDivisionError("a secret path"), {"request": None})
    finally:
        got_request_exception.disconnect(listener)
    assert response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
    assert "secret" not in str(response.data)
    assert heard == [True]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.records[0].exc_info is not None
