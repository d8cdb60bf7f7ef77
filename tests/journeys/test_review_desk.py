"""Agents plan, people decide in browsers, agents go on."""

import secrets
from http.client import HTTPConnection
from pathlib import Path
from threading import Barrier, Thread
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.room import Agent, Room, call, closed, decide, open_sheet, submits, works

pytestmark = pytest.mark.journey


def test_a_card_appears_by_push(room: Room) -> None:
    """A log-in, an empty queue, a card without reload or poll, a plan rendered from Markdown."""
    page = room.stranger()
    asked: list[str] = []
    frames: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda _: frames.append(len(asked))),
    )
    page.goto("/")
    page.get_by_label("User name").fill("reviewer")
    page.get_by_label("Password").fill("reviewer-pass-word")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    expect(page.locator("live-feed[data-state=live]")).to_be_attached()
    page.evaluate("window.here = true")
    page.on("request", lambda request: asked.append(request.url))

    plan = "# Push this card\n\n- **Read** `parser.py`\n- Split it\n"
    room.agent(submits(plan, latency_ms=1200))
    row = page.get_by_role("link", name="Push this card")
    expect(row).to_be_visible()

    assert page.evaluate("window.here")
    assert frames, "no hint came over the socket"
    assert frames[0] == 0, f"the page asked before it was told: {asked}"
    row.click()
    shown = page.get_by_label("The plan, in the agent's own words")
    expect(shown.get_by_role("heading", name="Push this card")).to_be_visible()
    expect(shown.locator("strong")).to_have_text("Read")


def test_a_card_waits_above_a_list_that_is_read(room: Room) -> None:
    """Nothing moves under the reader's hands: the new card is named, and comes on demand."""
    room.review_of(room.agent(submits("# The first card\n")))
    page = room.page("reviewer")
    page.goto("/")
    expect(page.get_by_role("link", name="The first card")).to_be_visible()

    room.agent(submits("# The second card\n"))

    expect(page.locator("[data-arrivals]")).to_contain_text("The second card")
    expect(page.get_by_role("link", name="The second card")).to_have_count(0)
    page.keyboard.press(".")
    expect(page.get_by_role("link", name="The second card")).to_be_visible()


def test_approve_with_an_option(room: Room) -> None:
    """The chosen option reaches the agent, which edits a file and finishes; the pages follow."""
    agent = room.agent(submits("# Two ways\n\n1. Small\n2. Large\n", "Small", "Large"), *works())
    review = room.review_of(agent)
    page = room.page("reviewer")
    page.goto(f"/reviews/{review}")
    watching = room.page("operator")
    watching.goto(f"/sessions/{agent.id}")
    expect(watching.get_by_role("link", name="Waits for a review")).to_be_visible()

    decide(page, "Approve", "Keep it short.", option="Large")

    expect(closed(page, "approved")).to_contain_text("by reviewer, option “Large”")
    expect(page.locator(".delivery")).to_contain_text("given to the agent")
    finished(watching)
    expect(watching.get_by_text("It is done.")).to_be_visible()
    assert agent.file == "value = 2\n"
    told = room.result(agent, "ExitPlanMode")["text"]
    assert "Large" in told
    assert "Keep it short." in told
    assert_exit_links_to(watching, review, "Approved")


def assert_exit_links_to(page: Page, review: str, state: str) -> None:
    """The exit call's line links to its review, whatever became of it."""
    line = page.locator('[data-line="call"]', has=page.locator("[data-review-link]"))
    expect(line.locator(f'a[href="/reviews/{review}"]')).to_be_visible()
    expect(line.locator(".line-link")).to_contain_text(state)


def finished(page: Page, state: str = "Done") -> None:
    """Wait until the session page says, without a reload, that the turn ended so."""
    expect(page.locator('[data-region="standing"]')).to_contain_text(state)


def test_an_option_must_be_named(room: Room) -> None:
    """An approval without one of the offered options changes nothing and keeps what was typed."""
    agent = room.agent(submits("# Choose\n", "Small", "Large"), *works())
    page = room.page("reviewer")
    page.goto(f"/reviews/{room.review_of(agent)}")
    sheet = open_sheet(page, "Approve")
    sheet.get_by_role("textbox").fill("a note that stays")
    page.evaluate("document.querySelectorAll('[required]').forEach(f => f.required = false)")
    sheet.locator("[data-confirm]").click()

    problems = page.locator("[data-problems]:visible")
    expect(problems.first).to_contain_text("Choose the option")
    expect(page.get_by_role("textbox").first).to_have_value("a note that stays")
    assert room.session(agent)["planning"]


def test_revise_then_approve(room: Room) -> None:
    """Feedback goes to the agent word for word; revision 2 shows what changed; it is approved."""
    agent = room.agent(
        submits("# Parser\n\n1. Split it\n"),
        submits("# Parser\n\n1. Split it\n2. Test it\n", after="revise"),
        *works(),
    )
    first = room.review_of(agent)
    page = room.page("reviewer")
    page.goto(f"/reviews/{first}")

    decide(page, "Request changes", "Say how you <test> it.")

    closed(page, "revise")
    second = room.review_of(agent, version=2)
    expect(page.locator("[data-newer]")).to_contain_text("Revision 2")
    page.get_by_role("link", name="See what changed").click()
    page.wait_for_url(f"**/reviews/{second}?view=changes")
    expect(page.locator("ins.come").first).to_contain_text("Test it")
    told = room.result(agent, "ExitPlanMode")["text"]
    assert "Say how you <test> it." in told

    decide(page, "Approve")

    closed(page, "approved")
    page.get_by_role("link", name="Watch the session").click()
    finished(page)
    assert agent.file == "value = 2\n"
    assert [r["version"] for r in room.api(f"sessions/{agent.id}/revisions")["results"]] == [2, 1]


@pytest.mark.parametrize(
    ("button", "outcome", "planning", "state", "is_error"),
    [
        pytest.param("Reject", "rejected", True, "stopped", True, id="kimi:V5.8"),
        pytest.param(
            "Reject and exit", "rejected_and_exited", False, "stopped", True, id="kimi:V5.5"
        ),
        pytest.param("Dismiss", "dismissed", True, "done", False, id="kimi:V5.4"),
    ],
)
def test_the_other_outcomes(  # noqa: PLR0913 - a row of the table of outcomes
    room: Room, button: str, outcome: str, state: str, *, planning: bool, is_error: bool
) -> None:
    """Each leaves plan mode, turn and file as the table of outcomes says."""
    agent = room.agent(
        submits(f"# To be {outcome}\n"), {"after": "dismissed", "text": "I wait."}, *works()
    )
    page = room.page("reviewer")
    page.goto(f"/reviews/{room.review_of(agent)}")

    decide(page, button, "Not now.")

    closed(page, outcome)
    page.get_by_role("link", name="Watch the session").click()
    finished(page, state.capitalize())
    result = room.result(agent, "ExitPlanMode")
    assert result["is_error"] is is_error
    assert "Not now." in result["text"]
    assert room.session(agent)["planning"] is planning
    assert agent.file == "value = 1\n"


def test_the_other_reviewer_sees_who_decided(room: Room) -> None:
    """The second person is told at once, can't send any more, and keeps what they typed."""
    agent = room.agent(submits("# For two\n"), *works())
    review = room.review_of(agent)
    winner, other = room.page("reviewer"), room.page("second")
    winner.goto(f"/reviews/{review}")
    other.goto(f"/reviews/{review}")
    sheet = open_sheet(other, "Request changes")
    sheet.get_by_role("textbox").fill("But why?")

    decide(winner, "Approve")

    expect(closed(other, "approved")).to_contain_text("by reviewer")
    expect(sheet.locator("[data-problems]")).to_contain_text("by reviewer")
    expect(sheet.locator("[data-confirm]")).to_be_disabled()
    expect(sheet.get_by_role("textbox")).to_have_value("But why?")


def test_two_reviewers_at_once(room: Room) -> None:
    """One wins, the other sees who; the agent is told once."""
    agent = room.agent(submits("# At once\n"), *works())
    review = room.review_of(agent)
    page = room.page("reviewer")
    page.goto(f"/reviews/{review}")
    barrier, statuses = Barrier(2), []

    def click(who: str) -> None:
        barrier.wait()
        statuses.append(post_decision(room, who, review))

    people = [Thread(target=click, args=(who,)) for who in ("reviewer", "second")]
    for person in people:
        person.start()
    for person in people:
        person.join()

    assert sorted(statuses) == [302, 409]
    bar = closed(page, "approved")
    decided = room.api(f"reviews/{review}")["decision"]["by"]
    expect(bar).to_contain_text(f"by {decided}")
    resolved = [event for event in room.events(agent) if event["name"] == "plan.resolved"]
    assert len(resolved) == 1


def post_decision(room: Room, who: str, review: str) -> int:
    """Post the approval form as the browser of ``who`` would; return the status."""
    csrf = secrets.token_hex(16)
    sha256 = room.api(f"reviews/{review}")["sha256"]
    form = {
        "csrfmiddlewaretoken": csrf,
        "decision": "approve",
        "sha256": sha256,
        "start": "yes",
    }
    address = urlsplit(room.server.url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"csrftoken={csrf}; sessionid={room.people[who].cookie}",
    }
    connection.request("POST", f"/reviews/{review}/decision", urlencode(form), headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_plan_file_changes_after_submission(room: Room) -> None:
    """The decision stays bound to the revision that was shown."""
    agent = room.agent(submits("# As shown\n"), *works())
    review = room.review_of(agent)
    plan_file = written_path(room, agent)
    page = room.page("reviewer")
    page.goto(f"/reviews/{review}")
    plan_file.write_text("# Something else\n", encoding="utf-8")
    page.reload()
    expect(page.get_by_role("heading", name="As shown").first).to_be_visible()

    decide(page, "Approve")

    closed(page, "approved")
    page.get_by_role("link", name="Watch the session").click()
    finished(page)
    told = room.result(agent, "ExitPlanMode")["text"]
    assert "# As shown" in told
    assert "Something else" not in told


def written_path(room: Room, agent: Agent) -> Path:
    """Return where the agent's plan file lies on the server's disk."""
    plan_id = room.session(agent)["plan_id"]
    folder = room.server.data_dir / "sessions" / agent.id / "agents" / "main" / "plans"
    return folder / f"{plan_id}.md"


def test_a_question_and_a_tool_approval(room: Room) -> None:
    """Both are cards in the queue; both answers let the same turn go on."""
    agent = room.agent(
        {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which parser?"}])]},
        {"tool_calls": [call("Write", path="new.py", content="x = 1\n")]},
        {"text": "Thanks."},
        plan=False,
        permission_mode="manual",
    )
    page = room.page("reviewer")
    page.goto("/")
    page.get_by_role("link", name="Which parser?").click()
    page.get_by_role("textbox").first.fill("The small one.")
    page.get_by_role("button", name="Answer").click()
    page.goto("/")
    page.get_by_role("link", name="new.py").click()
    page.get_by_role("button", name="Allow").click()

    page.goto(f"/sessions/{agent.id}")
    finished(page)
    assert (agent.workspace / "new.py").read_text(encoding="utf-8") == "x = 1\n"
    assert "The small one." in room.result(agent, "AskUserQuestion")["text"]


def test_a_message_and_an_interrupt(room: Room) -> None:
    """The operator writes to the agent from the session page, and stops it there."""
    agent = room.agent({"text": "First."}, {"text": "Second."}, submits("# Third\n"), plan=False)
    page = room.page("operator")
    page.goto(f"/sessions/{agent.id}")
    finished(page)
    page.get_by_label("Message to the agent").fill("And now?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Second.")).to_be_visible()
    expect(page.get_by_text("And now?").first).to_be_visible()


def test_a_cancelled_turn_withdraws_its_card(room: Room) -> None:
    """Who has the card open is told; nothing was decided, and plan mode stays on."""
    agent = room.agent(submits("# To be withdrawn\n"))
    review = room.review_of(agent)
    page, owner = room.page("reviewer"), room.page("operator")
    page.goto(f"/reviews/{review}")
    owner.goto(f"/sessions/{agent.id}")

    owner.get_by_role("button", name="Interrupt").click()

    finished(owner, "Cancelled")
    closed(page, "withdrawn")
    assert room.session(agent)["planning"]
