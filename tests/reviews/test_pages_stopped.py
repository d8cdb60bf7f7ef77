"""Sessions that stopped unfinished, in the queue and in the figures."""

from django.contrib.auth.models import User

from planmode.access.models import Project, Role
from planmode.services import retry_turn
from tests.conftest import member
from tests.factories import STOPS_EARLY, Play, call, play
from tests.reviews.pages_client import browser, html, text

READS = {"tool_calls": [call("Read", path="parser.py")]}


def stopped(owner: User) -> Play:
    return play(owner, [STOPS_EARLY], prompt="Plan it well").work()


def test_a_stopped_session_is_in_its_owners_queue_with_the_reason(operator: User) -> None:
    """claude:C-24: it stopped without a submission, and the queue says so."""
    session = stopped(operator)
    page = browser(operator).get("/")
    assert "Stopped, needs you 1" in text(page)
    assert "without a submission or a question, although reminded" in text(page)
    assert f'<a href="/sessions/{session.id}" data-row>' in html(page)
    assert "<title>(1) Queue" in html(page)
    assert "Nothing is waiting" not in text(page)
    rows = browser(operator).get("/queue/rows")
    assert f'data-card="{session.id}"' in html(rows)


def test_a_failed_one_stands_there_until_somebody_tries_again(operator: User) -> None:
    failed = play(operator, [READS], plan=False).work()
    client = browser(operator)
    assert "the script has no reply left" in text(client.get("/"))
    retry_turn(failed.id, by=operator)
    assert "Stopped, needs you" not in text(client.get("/"))


def test_who_can_not_act_on_it_does_not_see_it_there(
    project: Project, operator: User, reviewer: User, manager: User, admin: User
) -> None:
    stopped(operator)
    for who in (reviewer, manager, admin, member(project, "other", Role.OPERATOR)):
        assert "needs you" not in text(browser(who).get("/"))
        assert "Plan it well" not in text(browser(who).get("/"))


def test_it_is_no_part_of_what_was_decided(operator: User) -> None:
    stopped(operator)
    assert "needs you" not in text(browser(operator).get("/?tab=decided"))


def test_turns_that_stopped_are_counted_by_reason(operator: User, manager: User) -> None:
    stopped(operator)
    stopped(operator)
    play(operator, [READS], plan=False).work()
    page = text(browser(manager).get("/telemetry"))
    assert "needing somebody 3" in page
    assert "without a submission or a question, although reminded: 2" in page
    assert "the script has no reply left: 1" in page
