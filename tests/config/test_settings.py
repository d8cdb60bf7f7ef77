"""What the settings of the embedded shape promise."""

import logging

import pytest
from django.conf import settings
from django.test import Client


@pytest.mark.skipif(not settings.EMBEDDED, reason="the team shape logs what was asked wrongly")
@pytest.mark.django_db
def test_what_was_asked_wrongly_is_not_logged(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        assert client.get("/favicon.ico").status_code == 404
        assert client.get("/api/v1/sessions").status_code == 401
    assert not [record for record in caplog.records if record.name == "django.request"]
