"""Pages of agents that an agent started."""

import pytest
from django.contrib.auth.models import User

from tests.factories import STOPS_EARLY, Play, call, play
from tests.reviews.pages_client import browser, html, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def parent(operator: User) -> Play:
    """A session whose agent waits for another one."""
    task = call("Agent", profile="explore", task="Where is value set?")
    agents = {"explore": [{"text": "In parser.py."}]}
    return play(operator, [{"tool_calls": [task]}, STOPS_EARLY], agents).work()


def test_a_parent_s_page_leads_to_whom_it_waits_for(parent: Play, operator: User) -> None:
    page = browser(operator).get(f"/sessions/{parent.id}")
    assert "Waits for another agent" in text(page)
    assert html(page).count(f'href="/sessions/{parent.child.id}"') == 3
    assert "your text is given to it together with the answer" in text(page)


def test_a_child_s_page_leads_back_and_takes_no_message(parent: Play, operator: User) -> None:
    client = browser(operator)
    path = f"/sessions/{parent.child.id}"
    page = client.get(path)
    assert f'href="/sessions/{parent.id}"' in html(page)
    for part in ("Started by another agent", "profile explore", "Task from another agent"):
        assert part in text(page)
    assert "<textarea" not in html(page)
    assert "Only the agent that started this one gives it tasks." in text(page)
    refused = client.post(f"{path}/messages", {"text": "Write it"})
    assert refused.status_code == 409
    assert f"act on session {parent.id} instead" in text(refused)


def test_a_child_s_page_interrupts_it(parent: Play, operator: User) -> None:
    browser(operator).post(f"/sessions/{parent.child.id}/cancel")
    assert parent.child.turn.state == "cancelled"
    assert parent.turn.state == "queued"


def test_lists_leave_children_out(parent: Play, operator: User) -> None:
    page = html(browser(operator).get("/sessions"))
    assert f"/sessions/{parent.id}" in page
    assert f"/sessions/{parent.child.id}" not in page


def test_whoever_may_not_read_the_parent_does_not_see_the_child(
    parent: Play, stranger: User
) -> None:
    page = browser(stranger).get(f"/sessions/{parent.child.id}")
    assert page.status_code in {403, 404}
