"""Two reviewers and a lead decide together, in browsers."""

import json
import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.room import Agent, Room, closed, decide, open_sheet, submits, works
from tests.processes import Login

pytestmark = pytest.mark.journey

PLAN: Final = "# Rotate the keys\n\n1. Write a migration\n2. Run `sudo systemctl restart api`\n"

_TEAM: Final = """
import json
from django.contrib.auth.models import User
from django.test import Client
from planmode.access.models import Membership, Project
from reviews.core.policy import Rules
from reviews.services import set_policy
project = Project.objects.get(name="default")
lea = User.objects.create_user("lea")
Membership.objects.create(user=lea, project=project, role="lead")
set_policy(project, Rules(2, lead=True, deadline_hours=8))
client = Client()
client.force_login(lea)
print(json.dumps(client.cookies["sessionid"].value))
"""


@pytest.fixture
def together(room: Room) -> Room:
    """The room, whose project wants two approvals and that of ``lea``."""
    if "lea" not in room.people:
        cookie = json.loads(room.server.shell(_TEAM))
        room.people["lea"] = Login("lea", cookie, token="")
    return room


def waiting(room: Room, *options: str) -> tuple[Agent, str]:
    """Return an agent whose plan waits, with its review's id."""
    agent = room.agent(submits(PLAN, *options), *works())
    return agent, room.review_of(agent)


def needs(page: Page, words: str) -> None:
    """Wait until the page says, without a reload, where votes stand."""
    expect(page.locator('[data-region="needs"]')).to_contain_text(words)


def test_two_reviewers_and_a_lead(together: Room) -> None:
    """Votes add up before everybody's eyes; the last one closes it, and all notes arrive."""
    agent, review = waiting(together, "Small", "Large")
    first, second, lead = (together.page(who) for who in ("reviewer", "second", "lea"))
    for page in (first, second, lead):
        page.goto(f"/reviews/{review}")
        needs(page, "0 of 2 approvals · a lead still needed (policy v1)")

    decide(first, "Approve", "Keep it short.", option="Small")

    expect(first.locator("#decided")).to_contain_text("reviewer (you): option “Small”")
    expect(first.locator("#decided")).to_be_focused()
    expect(first.locator(".vote-state")).to_contain_text("Nothing is sent to the agent yet")
    for page in (second, lead):
        needs(page, "1 of 2 approvals")
        expect(page.locator('[data-region="decision"]')).to_contain_text("reviewer: option “Small”")

    decide(lead, "Approve", "Mind the users.", option="Small")
    needs(second, "1 of 2 approvals · a lead approved")
    assert together.session(agent)["planning"]
    decide(second, "Approve", option="Small")

    expect(closed(first, "approved")).to_contain_text("by second, option “Small”")
    expect(closed(second, "approved")).to_contain_text("with reviewer, lea")
    told = together.result(agent, "ExitPlanMode")["text"]
    assert "reviewer:\nKeep it short." in told
    assert "lea:\nMind the users." in told


def test_a_vote_is_changed_and_taken_back(together: Room) -> None:
    """Nothing that a person gave alone is final before the review closes."""
    _, review = waiting(together, "Small", "Large")
    page = together.page("reviewer")
    page.goto(f"/reviews/{review}")
    decide(page, "Approve", option="Small")
    sheet = open_sheet(page, "Change my vote")
    expect(sheet).to_contain_text("This replaces the vote that you gave.")
    sheet.get_by_role("radio", name="Large").check()
    sheet.locator("[data-confirm]").click()
    expect(page.locator("#decided")).to_contain_text("option “Large”")
    page.get_by_role("button", name="Withdraw my vote").click()
    needs(page, "0 of 2 approvals")
    expect(page.locator("#decided")).to_have_count(0)


def test_by_keys_alone(together: Room) -> None:
    """case:C167 case:C165: a sheet opens by key, has a name that says all, and is confirmed."""
    _, review = waiting(together)
    page = together.page("reviewer")
    page.goto(f"/reviews/{review}")
    expect(page.locator("live-feed[data-state=live]")).to_be_attached()
    page.keyboard.press("a")
    name = re.compile("Approve.*Rotate the keys.*revision 1.*agent of operator")
    sheet = page.get_by_role("dialog", name=name)
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.keyboard.press("a")
    expect(sheet.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("By keys.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#decided")).to_be_focused()
    page.keyboard.press("t")
    expect(page.locator(".deadline")).to_contain_text("15 hours")


def test_what_was_typed_goes_to_the_newer_revision(together: Room) -> None:
    """case:C060: the text survives, what changed is shown, and only there it is confirmed."""
    agent = together.agent(
        submits(PLAN),
        submits(f"{PLAN}3. Test it\n", after="revise"),
        *works(),
    )
    first = together.review_of(agent)
    writer, other = together.page("reviewer"), together.page("second")
    for page in (writer, other):
        page.goto(f"/reviews/{first}")
    sheet = open_sheet(writer, "Reject")
    sheet.get_by_role("textbox").fill("Not with <sudo>.")
    decide(other, "Request changes", "Test it.")
    second = together.review_of(agent, version=2)

    sheet.get_by_role("button", name="Apply my decision to r2").click()

    writer.wait_for_url(f"**/reviews/{second}/carry")
    step = writer.locator("#step")
    expect(step).to_contain_text("It counts for revision 2 only.")
    expect(step.get_by_role("textbox")).to_have_value("Not with <sudo>.")
    expect(writer.locator("ins, .added").first).to_contain_text("Test it")
    assert together.session(agent)["planning"]
    step.locator("[data-confirm]").click()
    closed(writer, "rejected")


def test_without_a_script(together: Room) -> None:
    """Vote, more time and withdrawal are forms; so is the way back to the queue."""
    _, review = waiting(together)
    context = together.chromium.new_context(base_url=together.server.url, java_script_enabled=False)
    cookie = together.people["reviewer"].cookie
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": together.server.url}])
    page = context.new_page()
    page.goto(f"/reviews/{review}")
    needs(page, "0 of 2 approvals")
    expect(page.locator(".risk summary")).to_contain_text("High risk")
    page.get_by_role("button", name="Approve…").click()
    step = page.locator("#step")
    expect(step).to_contain_text("So nothing is sent yet.")
    step.get_by_role("textbox").fill("Plain.")
    step.get_by_role("button", name="Approve").click()
    needs(page, "1 of 2 approvals")
    expect(page.locator("#decided")).to_be_focused()
    page.get_by_role("button", name="Extend").click()
    expect(page.locator(".deadline")).to_contain_text("15 hours")
    page.get_by_role("button", name="Withdraw my vote").click()
    needs(page, "0 of 2 approvals")
    context.close()
