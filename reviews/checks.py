"""manage.py check: e-mail is set, where people want it."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Warning,  # noqa: A004 - its name
    register,
)

HERE = ("127.0.0.1", "localhost", "::1")


@register("reviews")
def people_get_mail(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - the signature is Django's
    """Return a warning for what keeps people from being told, or from following a link."""
    if not settings.EMAIL_HOST:
        return [] if settings.EMBEDDED else [_nobody_is_told()]
    found: list[CheckMessage] = []
    if settings.DEFAULT_FROM_EMAIL.endswith("@localhost"):
        found.append(
            Warning(
                "e-mail comes from an address that no server believes",
                hint="set EMAIL_FROM",
                id="reviews.W002",
            )
        )
    if not settings.EMBEDDED and urlsplit(settings.PUBLIC_URL).hostname in HERE:
        found.append(
            Warning(
                "links in e-mail lead to the reader's own machine",
                hint="set PUBLIC_URL to the address of the pages",
                id="reviews.W003",
            )
        )
    return found


def _nobody_is_told() -> CheckMessage:
    return Warning(
        "nobody gets e-mail: people see what concerns them in the queue only",
        hint="set EMAIL_HOST",
        id="reviews.W001",
    )
