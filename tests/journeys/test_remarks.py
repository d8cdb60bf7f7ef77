"""Remarks in browsers: written, seen by others, carried on."""

import pytest
from playwright.sync_api import expect

from tests.journeys.room import Room, open_sheet, submits

pytestmark = pytest.mark.journey
FIRST = "# Sessions\n\nUse MySQL for the sessions\n\n- Read the parser\n"
SECOND = "# Sessions\n\nUse PostgreSQL for the sessions\n\n- Read the parser\n"


def test_a_remark_from_draft_to_accepted(room: Room) -> None:  # noqa: PLR0915 - a whole life
    """case:C088: kept while it is typed, told to others, sent with the decision, carried on."""
    agent = room.agent(submits(FIRST), {"after": "revise", **submits(SECOND)}, {"text": "Done."})
    review = room.review_of(agent)
    writer, other = room.page("reviewer"), room.page("second")
    for page in (writer, other):
        page.goto(f"/reviews/{review}?view=clean")

    block = writer.locator("#b-3")
    block.hover()
    block.get_by_role("link", name="Comment on line 3").click()
    writer.get_by_label("Remark", exact=True).fill("Use PostgreSQL")
    expect(writer.locator("[data-status]")).to_have_text("Draft saved")
    writer.reload()
    expect(writer.get_by_text("1 draft, not sent")).to_be_visible()
    expect(other.locator("[data-remark]")).to_have_count(0)
    writer.get_by_role("button", name="Publish 1 draft").click()

    remark = other.locator("[data-remark]")
    expect(remark).to_contain_text("Use PostgreSQL")
    expect(remark).to_contain_text("Use MySQL for the sessions")

    sheet = open_sheet(writer, "Request changes")
    expect(sheet).to_contain_text("1 open remark goes to the agent with this.")
    sheet.locator("[data-confirm]").click()
    revised = room.review_of(agent, version=2)
    assert "Use PostgreSQL" in room.result(agent, "ExitPlanMode")["text"]

    other.goto(f"/reviews/{revised}?view=clean")
    remark = other.locator("[data-remark]")
    expect(remark).to_contain_text("line 3")
    expect(remark).to_contain_text("from revision 1")
    expect(remark).to_contain_text("text changed here")
    remark.get_by_role("button", name="Accept").click()
    expect(other.get_by_text("1 resolved")).to_be_visible()


def test_keys_reach_remarks_and_decide_nothing(room: Room) -> None:
    """c comments on the block, G on the plan; what is on the screen counts as seen."""
    agent = room.agent(submits(FIRST))
    page = room.page("reviewer")
    page.goto(f"/reviews/{room.review_of(agent)}?view=clean")
    expect(page.locator("[data-unseen-count]").first).to_be_hidden()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("c")
    expect(page.get_by_label("Remark", exact=True)).to_be_focused()
    expect(page.locator("#remark-lines")).to_have_value("3-3")
    page.keyboard.press("Escape")
    page.locator("main").focus()
    page.keyboard.press("G")
    expect(page.locator("#remark-lines")).to_have_value("")
