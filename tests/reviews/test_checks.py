"""manage.py check: e-mail is set, where people want it."""

import pytest
from pytest_django import Settings

from reviews.checks import people_get_mail


@pytest.mark.parametrize(
    ("host", "sender", "url", "embedded", "ids"),
    [
        ("", "x@localhost", "http://127.0.0.1:8000", True, []),
        ("", "x@localhost", "http://127.0.0.1:8000", False, ["reviews.W001"]),
        ("mail", "x@example.org", "http://127.0.0.1:8000", True, []),
        ("mail", "x@localhost", "http://plans.example.org", True, ["reviews.W002"]),
        ("mail", "x@localhost", "http://localhost", False, ["reviews.W002", "reviews.W003"]),
    ],
)
def test_what_keeps_people_from_being_told(  # noqa: PLR0913, PLR0917 - a row of the table
    settings: Settings,
    host: str,
    sender: str,
    url: str,
    embedded: bool,  # noqa: FBT001 - a test's parameter
    ids: list[str],
) -> None:
    settings.EMAIL_HOST, settings.DEFAULT_FROM_EMAIL = host, sender
    settings.PUBLIC_URL, settings.EMBEDDED = url, embedded
    assert [found.id for found in people_get_mail()] == ids
