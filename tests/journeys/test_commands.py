"""An operator steers an agent from its page."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.room import Agent, Room, call

pytestmark = pytest.mark.journey

DRAFTS = call("Write", path="${plan_file}", content="# The draft\n\n1. Read it\n")


def asks(*before: dict[str, Any]) -> dict[str, Any]:
    """Return a reply that makes the calls ``before``, and then waits for an answer."""
    question = call("AskUserQuestion", questions=[{"text": "Which way?"}])
    return {"tool_calls": [*before, question]}


def opened(room: Room, agent: Agent) -> Page:
    """Return the operator's page of the session."""
    page = room.page("operator")
    page.goto(f"/sessions/{agent.id}")
    return page


def send(page: Page, words: str) -> None:
    """Type ``words`` into the composer and send them."""
    page.get_by_label("Message to the agent").fill(words)
    page.get_by_role("button", name="Send").click()


def told(page: Page, words: str) -> None:
    """Wait until the page says what became of a command."""
    expect(page.get_by_role("status")).to_contain_text(words)


def standing(page: Page, words: str) -> None:
    """Wait until the line under the title says so, without a reload."""
    expect(page.locator('[data-region="standing"]')).to_contain_text(words)


def test_a_choice_waits_for_the_step_and_the_draft_is_edited(room: Room) -> None:
    """dsh:D-06: `/plan` in a turn is pending, then on; the draft is seen and edited meanwhile."""
    agent = room.agent(asks(), asks(DRAFTS), plan=False)
    page = opened(room, agent)
    expect(page.get_by_role("link", name="Waits for an answer")).to_be_visible()

    send(page, "/plan")

    told(page, "Plan mode begins at the agent's next step.")
    standing(page, "Planning from the next step")
    watching = opened(room, agent)
    standing(watching, "Executing")
    page.get_by_role("link", name="Waits for an answer").click()
    page.get_by_role("textbox").fill("This way")
    page.get_by_role("button", name="Answer").click()
    standing(watching, "Planning")
    beside = watching.locator('[data-region="beside"]')
    expect(beside).to_contain_text("Draft, not submitted")
    expect(beside.get_by_role("heading", name="The draft")).to_be_visible()

    watching.get_by_role("link", name="Edit the plan").click()
    watching.get_by_label("The plan, as Markdown").fill("# Mine\n\n1. Read it twice\n")
    watching.get_by_role("button", name="Save").click()

    told(watching, "The plan is saved.")
    expect(beside).to_contain_text("Last edited by operator")
    expect(beside.get_by_role("heading", name="Mine")).to_be_visible()


def test_a_choice_that_waits_is_taken_back_by_its_button(room: Room) -> None:
    """dsh:D-06: the opposite of a choice cancels it."""
    page = opened(room, room.agent(asks()))
    page.get_by_role("button", name="Leave plan mode").click()
    standing(page, "Leaves plan mode at the next step")
    page.get_by_role("button", name="Cancel the choice of plan mode").click()
    told(page, "Plan mode stays on.")
    expect(page.get_by_text("Leaves plan mode at the next step")).to_have_count(0)


def test_a_message_is_undone_and_the_session_forked(room: Room) -> None:
    """What was taken back stays visible, its words can be sent otherwise, and a fork leads back."""
    agent = room.agent({"text": "First."}, {"text": "Second."}, plan=False)
    page = opened(room, agent)
    standing(page, "Done")
    send(page, "And now?")
    expect(page.get_by_text("Second.")).to_be_visible()
    standing(page, "Done")

    page.get_by_role("link", name="Undo to here, or fork").last.click()
    page.get_by_role("button", name="Undo to here").click()

    told(page, "Taken back.")
    expect(page.get_by_label("Message to the agent")).to_have_value("And now?")
    expect(page.locator(".line-taken-back", has_text="And now?")).to_be_visible()

    page.get_by_text("Permission mode, fork").click()
    page.get_by_role("button", name="Fork this session").click()

    told(page, "This is the new session.")
    expect(page).not_to_have_url(re.compile(agent.id))
    page.locator('[data-region="facts"]').get_by_role("link", name="another session").click()
    expect(page).to_have_url(re.compile(agent.id))


def test_a_failed_turn_goes_on_when_it_is_tried_again(room: Room) -> None:
    """The queue shows what failed; the page tries again, and follows without a reload."""
    reads = {"tool_calls": [call("Read", path="parser.py")]}
    agent = room.agent(reads, plan=False, prompt="Read the parser")
    page = room.page("operator")
    page.goto("/")
    row = page.get_by_role("link", name="Read the parser")
    expect(row).to_be_visible()
    expect(page.get_by_role("heading", name="Stopped, needs you")).to_be_visible()
    row.click()
    standing(page, "the script has no reply left")

    room.server.script(agent.workspace.name, reads, {"text": "It is read."})
    page.get_by_role("button", name="Retry").click()

    expect(page.get_by_text("It is read.")).to_be_visible()
    standing(page, "Done")


def test_a_refused_command_keeps_what_was_typed(room: Room) -> None:
    """Nothing happens, the reason is said, and the text is still there."""
    page = opened(room, room.agent({"text": "First."}, plan=False))
    send(page, "/mode root")
    expect(page.get_by_role("alert").first).to_contain_text("no permission mode")
    expect(page.get_by_label("Message to the agent")).to_have_value("/mode root")
