"""What only a browser can tell of the pages' looks."""

from typing import Final

from playwright.sync_api import Page, ViewportSize, expect

from tests.journeys.room import Room, submits

PLAN: Final = (
    "# Looks\n\n[no target](javascript:x) and [a target](https://example.org/)\n\n"
    "| Responsibility | Acknowledgement | Telemetry | Documentation |\n"
    "| --- | --- | --- | --- |\n"
    "| unquestionably | interchangeable | one | two |\n"
)
NARROW: Final[ViewportSize] = {"width": 360, "height": 740}
WIDE: Final[ViewportSize] = {"width": 1280, "height": 800}

SHADOW: Final = "link => getComputedStyle(link).boxShadow"
COLOURS: Final = "prose => [...prose.querySelectorAll('p a')].map(a => getComputedStyle(a).color)"
SCROLLS: Final = "table => table.scrollWidth > table.clientWidth"
OPEN: Final = "document.querySelectorAll('main details').forEach(d => d.open = true)"
SPILLS: Final = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
SLIPPED: Final = """() => [...document.querySelectorAll(".line-head, .line summary")].filter(
  head => {
  const time = head.querySelector("time").getBoundingClientRect();
  const place = head.getBoundingClientRect();
  const icon = head.querySelector(":scope > .icon")?.getBoundingClientRect();
  if (icon && icon.top > place.top + 8) return true;
  return time.top > place.top + 8 || time.right > place.right + 1;
}).map(head => head.textContent)"""


def planning(room: Room) -> tuple[Page, str, str]:
    agent = room.agent(submits(PLAN))
    return room.page("reviewer"), f"/sessions/{agent.id}", f"/reviews/{room.review_of(agent)}"


def test_the_skip_link_throws_its_shadow_only_when_it_is_there(room: Room) -> None:
    page = room.page("reviewer")
    page.goto("/")
    skip = page.locator(".skip")
    assert skip.evaluate(SHADOW) == "none"
    page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    assert skip.evaluate(SHADOW) != "none"


def test_text_without_a_target_does_not_look_like_a_link(room: Room) -> None:
    page, _, review = planning(room)
    page.goto(review)
    prose = page.locator(".plan .prose")
    colour = prose.evaluate("prose => getComputedStyle(prose).color")
    none, target = prose.evaluate(COLOURS)
    assert none == colour
    assert target != colour


def test_a_wide_table_scrolls_by_itself_and_keeps_its_words(room: Room) -> None:
    page, session, _ = planning(room)
    page.set_viewport_size(NARROW)
    page.goto(session)
    assert page.locator(".beside table").evaluate(SCROLLS)
    assert not page.evaluate(SPILLS)


def test_times_stay_on_the_first_line(room: Room) -> None:
    page, session, _ = planning(room)
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        page.goto(session)
        expect(page.get_by_text("Revision 1 submitted for review")).to_be_visible()
        assert page.evaluate(SLIPPED) == []


def test_a_question_mark_shows_the_keys(room: Room) -> None:
    page = room.page("reviewer")
    page.goto("/")
    keys = page.get_by_text("next tab, open remark or revision")
    expect(keys).to_be_hidden()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_no_page_of_an_operator_spills_on_a_telephone(room: Room) -> None:
    """The queue with a stopped session, a session with a choice that waits, and the forms."""
    room.agent(plan=False, prompt="Stop early")
    agent = room.agent(submits(PLAN))
    room.review_of(agent)
    session = f"/sessions/{agent.id}"
    message = next(e["seq"] for e in room.events(agent) if e["name"] == "message.posted")
    page = room.page("operator")
    page.set_viewport_size(NARROW)
    page.goto(session)
    page.get_by_role("button", name="Leave plan mode").click()
    expect(page.get_by_role("status")).to_be_visible()
    for path in ("/", session, f"{session}/plan", f"{session}/back/{message}", "/sessions/new"):
        page.goto(path)
        page.evaluate(OPEN)
        assert not page.evaluate(SPILLS), path
