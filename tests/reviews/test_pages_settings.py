"""A person's own settings."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from planmode.access.models import Project, Role
from reviews.models import Absence, Preferences
from tests.conftest import member
from tests.factories import play, submits
from tests.reviews.pages_client import browser, html, text

CHOSEN = {
    "time_zone": "Asia/Shanghai",
    "theme": "dark",
    "density": "compact",
    "mail": "digest",
    "digest_at": "07:30",
    "quiet_from": "22:00",
    "quiet_to": "06:15",
    "browser": "on",
}


def test_everybody_who_logs_in_has_settings(stranger: User) -> None:
    client = browser(stranger)
    assert client.get("/settings")["Location"] == "/settings/you"
    assert client.get("/settings/you").status_code == 200
    assert Client().get("/settings/you")["Location"].startswith("/login")


def test_what_a_person_chose_is_kept(reviewer: User) -> None:
    client = browser(reviewer)
    assert client.post("/settings/you", CHOSEN).status_code == 302
    row = Preferences.objects.get(person=reviewer)
    assert (row.time_zone, row.mail, row.digest_minute) == ("Asia/Shanghai", "digest", 450)
    assert (row.quiet_from, row.quiet_to, row.browser) == (1320, 375, True)
    page = html(client.get("/settings/you"))
    assert 'data-theme="dark" data-density="compact"' in page
    assert 'value="07:30"' in page
    assert "Your settings are saved." in page


def test_a_zone_that_there_is_not_comes_back(reviewer: User) -> None:
    sent = {**CHOSEN, "time_zone": "Mars/Olympus"}
    page = browser(reviewer).post("/settings/you", sent)
    assert page.status_code == 422
    assert "There is no such time zone." in text(page)
    assert 'value="Mars/Olympus"' in html(page)
    assert not Preferences.objects.exists()


def test_times_are_those_of_the_persons_zone(reviewer: User, operator: User) -> None:
    work = play(operator, [submits()]).work()
    Preferences.objects.create(person=reviewer, time_zone="Asia/Shanghai")
    page = html(browser(reviewer).get(f"/reviews/{work.review.pk}"))
    assert "CST" in page
    assert "UTC" not in page


def test_with_one_language_there_is_none_to_choose(reviewer: User, settings: Settings) -> None:
    settings.LANGUAGES = [("en", "English")]
    assert 'name="language"' not in html(browser(reviewer).get("/settings/you"))


def test_a_language_is_kept_for_this_browser_and_for_mail(
    reviewer: User, settings: Settings
) -> None:
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    client = browser(reviewer)
    client.post("/settings/you", {**CHOSEN, "language": "de"})
    assert client.cookies["django_language"].value == "de"
    assert Preferences.objects.get().language == "de"
    assert '<html lang="de"' in html(browser(reviewer).get("/settings/you"))
    client.post("/settings/you", {**CHOSEN, "language": ""})
    assert client.cookies["django_language"].value == ""


# Keys


def test_a_key_that_was_changed_is_on_the_pages(reviewer: User, operator: User) -> None:
    """WCAG 2.1.4: each key can be another one, or none."""
    client = browser(reviewer)
    sent = {"key-approve": "y", "key-revise": ""}
    assert client.post("/settings/keys", sent).status_code == 302
    assert Preferences.objects.get().keys == {"approve": "y", "revise": ""}
    work = play(operator, [submits()]).work()
    page = html(client.get(f"/reviews/{work.review.pk}"))
    assert 'data-action="approve" aria-keyshortcuts="y"' in page
    assert '"approve": "y"' in page
    assert "usually a" in text(client.get("/settings/keys"))


def test_a_key_that_is_taken_says_by_what(reviewer: User) -> None:
    page = browser(reviewer).post("/settings/keys", {"key-approve": "c", "key-reject": "abc"})
    assert page.status_code == 422
    assert "This key is taken: comment on the block." in text(page)
    assert "A key is one character" in text(page)
    assert 'value="abc"' in html(page)
    assert not Preferences.objects.exists()


def test_all_keys_go_back_to_what_is_usual(reviewer: User) -> None:
    Preferences.objects.create(person=reviewer, keys={"approve": "y"}, mail="off")
    browser(reviewer).post("/settings/keys", {"key-approve": "y", "reset": "yes"})
    row = Preferences.objects.get()
    assert (row.keys, row.mail) == ({}, "off")


# Absence


def away(client: Client, **fields: str) -> Any:  # noqa: ANN401 - a test response
    today = timezone.localdate()
    sent = {"first": str(today), "last": str(today + timedelta(days=7)), **fields}
    return client.post("/settings/absence", sent)


def test_a_person_is_away_with_a_deputy(project: Project, reviewer: User) -> None:
    deputy = member(project, "deputy", Role.LEAD)
    client = browser(reviewer)
    assert away(client, deputy="deputy").status_code == 302
    row = Absence.objects.get()
    assert (row.person, row.deputy) == (reviewer, deputy)
    assert "deputy: deputy" in text(client.get("/settings/absence"))
    client.post("/settings/absence/drop", {"absence": row.pk})
    assert not Absence.objects.exists()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"deputy": "operator"}, "may not decide in: default"),
        ({"deputy": "reviewer"}, "Nobody else of this name"),
        ({"deputy": "nobody"}, "Nobody else of this name"),
        ({"last": "2020-01-01"}, "before the first one"),
        ({"last": "soon"}, "Enter a valid date"),
    ],
)
def test_an_absence_that_can_not_be(
    reviewer: User, operator: User, fields: dict[str, str], said: str
) -> None:
    page = away(browser(reviewer), **fields)
    assert page.status_code == 422
    assert said in text(page)
    assert not Absence.objects.exists()


def test_an_absence_of_somebody_else_stays(reviewer: User, operator: User) -> None:
    row = Absence.objects.create(person=operator, first=date(2030, 1, 1), last=date(2030, 1, 2))
    client = browser(reviewer)
    for chosen in (str(row.pk), "x", "9" * 40):
        client.post("/settings/absence/drop", {"absence": chosen})
    assert Absence.objects.filter(pk=row.pk).exists()
