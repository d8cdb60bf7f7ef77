"""Who may open which page, and what no cache keeps."""

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from planmode.access.models import Project, Role
from reviews.urls import urlpatterns
from tests.conftest import member
from tests.factories import call, play, submits
from tests.reviews.pages_client import browser, html, text

PAGES = ("queue", "review", "question", "approval", "sessions", "session", "audit", "telemetry")
ALLOWED = {
    "reviewer": {"queue", "review", "question", "approval", "sessions", "session"},
    "operator": {"queue", "review", "question", "approval", "sessions", "session"},
    "manager": {"queue", "telemetry"},
    "admin": set(PAGES),
}
STEERING = (
    *("cancel", "retry", "plan-mode", "permission-mode", "plan/clear", "undo", "fork"),
    *("tasks/stop", "schedules/delete"),
)
"""Forms of the session page, below its address."""
HIDDEN = {"review", "question", "approval", "session"}


@pytest.fixture
def addresses(operator: User) -> dict[str, str]:
    reviewed = play(operator, [submits()]).work()
    asks = [call("AskUserQuestion", questions=[{"text": "Which one?"}])]
    asking = play(operator, [{"tool_calls": asks}]).work()
    writing = play(
        operator, [{"tool_calls": [call("Write", path="a", content="b")]}], plan=False
    ).work()
    return {
        "queue": "/",
        "review": f"/reviews/{reviewed.review.pk}",
        "question": f"/questions/{asking.question.pk}",
        "approval": f"/approvals/{writing.approval.pk}",
        "sessions": "/sessions",
        "session": f"/sessions/{reviewed.id}",
        "audit": "/audit",
        "telemetry": "/telemetry",
    }


def test_each_role_opens_what_the_table_gives_it(
    addresses: dict[str, str], reviewer: User, manager: User, admin: User, operator: User
) -> None:
    for who in (reviewer, manager, admin, operator):
        client = browser(who)
        answers = {name: client.get(path) for name, path in addresses.items()}
        opened = {name for name, answer in answers.items() if answer.status_code == 200}
        refused = {name for name, answer in answers.items() if answer.status_code == 403}
        assert opened == ALLOWED[who.username], who
        assert refused == set(PAGES) - opened, who
        assert {answer["Cache-Control"] for answer in answers.values()} == {"no-store"}


def test_nobody_is_led_to_the_log_in_and_back(addresses: dict[str, str]) -> None:
    for path in addresses.values():
        response = Client().get(path)
        assert response.status_code == 302
        assert response["Location"] == f"/login?next={path}"
        assert response["Cache-Control"] == "no-store"


def test_a_person_without_a_role_sees_no_page(addresses: dict[str, str], stranger: User) -> None:
    client = browser(stranger)
    answers = {name: client.get(path) for name, path in addresses.items()}
    missing = {name for name, answer in answers.items() if answer.status_code == 404}
    refused = {name for name, answer in answers.items() if answer.status_code == 403}
    assert missing == HIDDEN
    assert refused == set(PAGES) - HIDDEN
    assert "You have no role in any project yet" in text(answers["queue"])


def test_what_is_of_another_project_does_not_exist(addresses: dict[str, str]) -> None:
    other = Project.objects.create(name="other")
    client = browser(member(other, "outsider", Role.REVIEWER, Role.ADMIN))
    for name in HIDDEN:
        response = client.get(addresses[name])
        assert response.status_code == 404
        assert "Tidy" not in text(response)
    assert "Tidy" not in text(client.get("/"))
    assert "Tidy" not in text(client.get("/sessions"))
    assert "plan/" not in text(client.get("/audit"))


def test_a_user_who_was_switched_off_is_logged_out(
    addresses: dict[str, str], reviewer: User
) -> None:
    client = browser(reviewer)
    User.objects.filter(pk=reviewer.pk).update(is_active=False)
    assert client.get("/").status_code == 302


def test_the_rail_shows_only_what_opens(
    addresses: dict[str, str], reviewer: User, manager: User, admin: User
) -> None:
    rails = {
        who.username: [
            name
            for name in ("queue", "sessions", "audit", "telemetry")
            if f'<a href="{addresses[name]}"' in html(browser(who).get("/")).partition("rail")[2]
        ]
        for who in (reviewer, manager, admin)
    }
    assert rails == {
        "reviewer": ["queue", "sessions"],
        "manager": ["queue", "telemetry"],
        "admin": ["queue", "sessions", "audit", "telemetry"],
    }


def test_the_menu_lists_the_keys(reviewer: User) -> None:
    page = browser(reviewer).get("/")
    assert "j next row or block" in text(page)
    assert "w Request changes…" in text(page)
    assert '"help": "?"' in html(page)


@pytest.mark.parametrize("path", ["/reviews/1", "/nothing/", "/sessions/not-an-id"])
def test_an_address_that_means_nothing_is_a_page_of_ours(path: str, reviewer: User) -> None:
    response = browser(reviewer).get(path)
    assert response.status_code == 404
    assert "There is nothing here" in text(response)


@pytest.mark.parametrize(
    "query",
    ["?tab=mine", "?start=yesterday", "?start=2026-01-01T00:00:00_x", "?start=2026-01-01_"],
)
def test_odd_queries_of_the_queue_are_refused(query: str, reviewer: User) -> None:
    response = browser(reviewer).get(f"/{query}")
    assert response.status_code == 400
    assert "makes no sense" in text(response)


def test_every_form_needs_the_csrf_token(addresses: dict[str, str], reviewer: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(reviewer)
    forms = [
        *(f"{addresses['review']}/decision", f"{addresses['question']}/answer"),
        *(f"{addresses['approval']}/answer", f"{addresses['session']}/messages"),
        *("/theme", "/logout", "/login", "/sessions/new", f"{addresses['session']}/plan"),
        *(f"{addresses['session']}/{form}" for form in STEERING),
    ]
    for path in forms:
        response = client.post(path)
        assert response.status_code == 403, path
        assert "this form is out of date" in text(response)


def test_every_page_takes_only_its_own_methods(addresses: dict[str, str], reviewer: User) -> None:
    client = browser(reviewer)
    assert client.post(addresses["review"]).status_code == 405
    assert client.get(f"{addresses['review']}/decision").status_code == 405
    assert client.get("/theme").status_code == 405
    assert client.get("/logout").status_code == 405
    for form in STEERING:
        assert client.get(f"{addresses['session']}/{form}").status_code == 405


def test_a_form_sent_by_nobody_leads_back_to_its_page(addresses: dict[str, str]) -> None:
    response = Client().post(f"{addresses['review']}/decision", {"decision": "approve"})
    assert response["Location"] == f"/login?next={addresses['review']}"


def test_a_person_logs_in_and_out(reviewer: User) -> None:
    client = Client()
    page = client.get("/login?next=/sessions")
    assert "no-store" in page["Cache-Control"]
    answer = client.post(
        "/login?next=/sessions",
        {"username": "reviewer", "password": "reviewer-pass-word", "next": "/sessions"},
    )
    assert answer["Location"] == "/sessions"
    assert client.get("/sessions").status_code == 200
    assert client.post("/logout")["Location"] == "/login"
    assert client.get("/sessions").status_code == 302


def test_a_wrong_password_keeps_the_name_and_says_so(reviewer: User) -> None:
    response = Client().post("/login", {"username": "reviewer", "password": "wrong"})
    assert response.status_code == 200
    assert 'value="reviewer"' in html(response)
    assert "data-focus" in html(response)


def test_a_log_in_leads_nowhere_else(reviewer: User) -> None:
    sent = {
        "username": "reviewer",
        "password": "reviewer-pass-word",
        "next": "https://elsewhere.example/",
    }
    assert Client().post("/login", sent)["Location"] == "/"


def test_the_theme_is_a_cookie_that_the_server_reads(reviewer: User) -> None:
    client = browser(reviewer)
    assert "data-theme" not in html(client.get("/"))
    response = client.post("/theme", {"theme": "dark", "next": "/?tab=decided"})
    assert response["Location"] == "/?tab=decided"
    assert '<html lang="en" data-theme="dark">' in html(client.get("/"))
    client.post("/theme", {"theme": "system"})
    assert "data-theme" not in html(client.get("/"))


def test_a_theme_that_is_none_is_refused_and_leads_nowhere_else(reviewer: User) -> None:
    client = browser(reviewer)
    assert client.post("/theme", {"theme": "pink"}).status_code == 400
    away = client.post("/theme", {"theme": "dark", "next": "//elsewhere.example/"})
    assert away["Location"] == "/"
    client.cookies["theme"] = '"><script>'
    assert "<script>" not in html(client.get("/"))[:60]


def test_the_names_of_urls_are_unique() -> None:
    names = [pattern.name for pattern in urlpatterns]
    assert len(set(names)) == len(names)
    assert reverse("queue") == "/"


def test_no_page_has_script_or_style_of_its_own(
    addresses: dict[str, str], admin: User, reviewer: User, operator: User
) -> None:
    session = addresses["session"]
    forms = ["/sessions/new", f"{session}/plan", f"{session}/back/3", session, "/"]
    for who, paths in (
        *((who, addresses.values()) for who in (admin, reviewer)),
        (operator, forms),
    ):
        for path in paths:
            page = html(browser(who).get(path))
            assert " style=" not in page
            assert "<style" not in page
            scripts = re.findall("<script[^>]*>", page)
            assert len(scripts) == 2
            assert "src=" in scripts[0]
            assert 'type="application/json"' in scripts[1]  # data: nothing runs it
            assert " onclick=" not in page


def test_scripts_and_styles_stay_in_their_budgets() -> None:
    static = Path(__file__).resolve().parents[2] / "static"
    scripts = sum(len(gzip.compress(path.read_bytes())) for path in static.glob("js/*.js"))
    assert scripts <= 20 * 1024
    assert len(gzip.compress((static / "app.css").read_bytes())) <= 18 * 1024
    assert len(gzip.compress((static / "icons.svg").read_bytes())) <= 6 * 1024


def test_the_page_of_a_broken_request_needs_nothing() -> None:
    page = render_to_string("500.html")
    assert "Something broke on our side" in page
    assert 'href="/"' in page


def test_the_page_of_a_missing_thing_needs_no_request() -> None:
    page = render_to_string("404.html")
    assert "There is nothing here" in page
    assert '<nav class="rail"' not in page
