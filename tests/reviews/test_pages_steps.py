"""Steps of a plan on the pages: as the agent claims them."""

import pytest
from django.contrib.auth.models import User

from tests.desk import approve
from tests.factories import Play, play
from tests.reviews.pages_client import browser, html, text

pytestmark = pytest.mark.django_db

PLAN = "# Tidy\n\nPlan:\n\n1. Split the <b>parser</b>\n2. Test it\n"


@pytest.fixture
def submitted(operator: User) -> Play:
    """A session whose reply is a plan, and which stops half way in carrying it out."""
    return play(operator, [{"text": PLAN}, {"text": "[DONE:1]"}, {"text": "I stop."}], preset="pi")


def test_a_plan_that_was_a_reply_has_its_card_like_any_other(
    submitted: Play, reviewer: User
) -> None:
    """pi:P-20."""
    submitted.work()
    page = browser(reviewer).get(f"/reviews/{submitted.review.pk}")
    for part in ("Tidy", "Split the <b>parser</b>", "Test it", "Plan steps 0/2", "Approve…"):
        assert part in text(page).replace("&lt;", "<").replace("&gt;", ">"), part
    assert "<b>parser" not in html(page)
    approve(submitted, reviewer)
    page = browser(reviewer).get(f"/reviews/{submitted.review.pk}")
    assert "not yet given to the agent" in text(page)
    submitted.work()
    page = browser(reviewer).get(f"/reviews/{submitted.review.pk}")
    assert "given to the agent" in text(page)
    assert "not yet given" not in text(page)
    assert "Plan steps 1/2" in text(page)


def test_a_step_that_the_agent_marked_is_claimed_and_no_more(
    submitted: Play, reviewer: User
) -> None:
    """pi:P-25."""
    path = f"/sessions/{submitted.id}"
    page = browser(reviewer).get(path)
    assert "keeps no plan file" in text(page)
    assert "Plan mode on: the plan is called" in text(page)
    submitted.work()
    assert "Waits for a review" in text(browser(reviewer).get(path))
    approve(submitted, reviewer)
    submitted.work()
    page = browser(reviewer).get(path)
    assert "Plan steps 1/2 Claimed: the agent says that the step is done" in text(page)
    assert "nobody has checked it" in text(page)
    assert html(page).count("todo-claimed") == 1
    assert html(page).count("todo-open") == 1
    assert "verified" not in text(page).lower()
    assert "Reminder: how the review of its plan ended" in text(page)
    assert "Reminder: steps of the plan are open" in text(page)
    assert "although reminded" in text(page)


def test_without_steps_no_page_speaks_of_them(operator: User, reviewer: User) -> None:
    session = play(operator, [{"text": "Nothing to plan."}], preset="pi").work()
    assert "Plan steps" not in text(browser(reviewer).get(f"/sessions/{session.id}"))
