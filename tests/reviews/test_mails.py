"""E-mail about what concerns people, by a real mail server."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from planmode.access.models import Membership, Project, Role
from reviews.mails import LEASE, MOST_PEOPLE, send_due
from reviews.models import Mail, Notice, Preferences
from reviews.tasks import send_notices
from tests.conftest import member
from tests.desk import approve
from tests.factories import Play, play, submits
from tests.postbox import Postbox, postbox

ADDRESS = "reviewer@example.org"


@pytest.fixture
def box(settings: Settings) -> Iterator[Postbox]:
    with postbox() as box:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.port
        settings.EMAIL_USE_TLS = False
        settings.PUBLIC_URL = "https://plans.example.org"
        yield box


@pytest.fixture
def reviewer(box: Postbox, reviewer: User) -> User:
    reviewer.email = ADDRESS
    reviewer.save()
    return reviewer


def waiting(owner: User, plan: str = "# Tidy the parser\n\n1. Secret step\n") -> Play:
    return play(owner, [submits(plan)]).work()


def test_a_plan_that_waits_is_told_without_its_text(
    box: Postbox, operator: User, reviewer: User
) -> None:
    work = waiting(operator)
    send_notices()
    (message,) = box.messages
    assert message["Subject"] == "Waits for a decision: Tidy the parser"
    assert (message["To"], message["Auto-Submitted"]) == (ADDRESS, "auto-generated")
    for kind in ("plain", "html"):
        body = message.get_body((kind,))
        assert body is not None
        text = body.get_content()
        assert f"https://plans.example.org/reviews/{work.review.pk}" in text
        assert "https://plans.example.org/settings/you" in text
        assert "Tidy the parser" in text
        assert "Secret step" not in text
    assert Notice.objects.get().sent_at is not None


def test_nothing_is_sent_twice(box: Postbox, operator: User, reviewer: User) -> None:
    waiting(operator)
    for _again in range(3):
        send_notices()
    assert len(box.messages) == 1


def test_hidden_characters_are_shown_and_html_is_text(
    box: Postbox, operator: User, reviewer: User
) -> None:
    """case:C097, security:S21."""
    waiting(operator, "# Ti\u202edy\u200b <img src=x onerror=alert(1)>\n\nStep\n")
    send_notices()
    (message,) = box.messages
    html = message.get_body(("html",))
    assert html is not None
    assert "[U+202E]" in message["Subject"]
    assert "[U+200B]" in html.get_content()
    assert "<img" not in html.get_content()
    assert "\u202e" not in message.as_string()


def test_a_server_that_is_down_loses_nothing(box: Postbox, operator: User, reviewer: User) -> None:
    box.down = True
    waiting(operator)
    now = timezone.now()
    send_due(now)
    row = Notice.objects.get()
    assert (row.sent_at, row.attempts) == (None, 1)
    assert row.last_error
    box.down = False
    send_due(now)
    assert box.messages == []  # it is not its time yet
    send_due(now + timedelta(minutes=1))
    assert len(box.messages) == 1
    row.refresh_from_db()
    assert (row.sent_at is not None, row.last_error) == (True, "")


def test_a_server_that_is_down_is_asked_once_a_run(
    box: Postbox, project: Project, operator: User, reviewer: User
) -> None:
    other = member(project, "other", Role.REVIEWER)
    User.objects.filter(pk=other.pk).update(email="other@example.org")
    box.down = True
    waiting(operator)
    send_notices()
    assert sorted(Notice.objects.values_list("attempts", flat=True)) == [0, 1]


def test_an_address_that_is_refused_keeps_nobody_else_waiting(
    box: Postbox, project: Project, operator: User, reviewer: User
) -> None:
    other = member(project, "other", Role.REVIEWER)
    User.objects.filter(pk=other.pk).update(email="other@example.org")
    box.refuses = {ADDRESS}
    waiting(operator)
    send_notices()
    assert [message["To"] for message in box.messages] == ["other@example.org"]


def test_what_was_decided_meanwhile_is_not_asked_for(
    box: Postbox, operator: User, reviewer: User
) -> None:
    approve(waiting(operator), reviewer)
    send_notices()
    assert box.messages == []
    assert not Notice.objects.due(timezone.now() + timedelta(days=9)).exists()


def test_who_may_not_read_the_plan_any_more_hears_nothing(
    box: Postbox, operator: User, reviewer: User
) -> None:
    """security:S44."""
    waiting(operator)
    Membership.objects.filter(user=reviewer).delete()
    send_notices()
    assert box.messages == []


def test_who_may_not_log_in_any_more_hears_nothing(
    box: Postbox, operator: User, reviewer: User
) -> None:
    waiting(operator)
    User.objects.filter(pk=reviewer.pk).update(is_active=False)
    send_notices()
    assert box.messages == []


def test_what_gathered_is_one_email(box: Postbox, operator: User, reviewer: User) -> None:
    Preferences.objects.create(person=reviewer, mail=Mail.DIGEST)
    first, second = waiting(operator), waiting(operator)
    now = timezone.now()
    send_due(now)
    assert box.messages == []
    send_due(now + timedelta(days=1, minutes=1))
    (message,) = box.messages
    assert message["Subject"] == "2 things concern you"
    body = message.get_body(("plain",))
    assert body is not None
    for work in (first, second):
        assert str(work.review.pk) in body.get_content()


def test_a_run_that_died_is_made_good(box: Postbox, operator: User, reviewer: User) -> None:
    """What a run took and did not send is due again after its lease, as the same e-mail."""
    waiting(operator)
    now = timezone.now()
    Notice.objects.update(due_at=now + LEASE, attempts=1)
    send_due(now)
    assert box.messages == []
    send_due(now + LEASE)
    assert len(box.messages) == 1
    assert box.messages[0]["Message-ID"].endswith("@plans.example.org>")


def test_a_run_has_an_end(box: Postbox, project: Project, operator: User) -> None:
    for number in range(MOST_PEOPLE + 1):
        user = member(project, f"person-{number}", Role.REVIEWER)
        User.objects.filter(pk=user.pk).update(email=f"p{number}@example.org")
    waiting(operator)
    send_notices()
    assert len(box.messages) == MOST_PEOPLE
    send_notices()
    assert len(box.messages) == MOST_PEOPLE + 1


def test_a_long_title_is_cut(box: Postbox, operator: User, reviewer: User) -> None:
    waiting(operator, f"# {'Tidy ' * 90}\n\nStep\n")
    send_notices()
    assert len(box.messages[0]["Subject"]) < 160
