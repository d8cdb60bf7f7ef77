"""What changed, in a browser: views, comparisons, keys."""

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.journeys.room import Room, closed, decide, submits

pytestmark = pytest.mark.journey

NARROW: Final[ViewportSize] = {"width": 360, "height": 740}
WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
SPILLS: Final = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
HELD: Final = (
    "document.querySelector('[data-change]:focus, [data-change]:focus-within')?.textContent"
)
VECTORS: Final = Path(__file__).parents[1] / "vectors" / "xss_markdown.txt"
OLD: Final = """# Move the login

## Goal

Rotate the keys hourly, and tell nobody.

## Risks

The cache may be stale for a while.

## Steps

1. Read parser.py
2. Change it
"""
NEW: Final = """# Move the login

## Goal

Rotate the keys daily, and tell nobody.

## Steps

1. Read parser.py
2. Change it
3. Test it

## Risks

The cache may be stale for a while.
"""


def pairs() -> list[tuple[str, str]]:
    """Return the payloads that are two revisions."""
    blocks = VECTORS.read_text("utf-8").split("\n-----\n")
    found = [block for block in blocks if " class=diff_pair " in block.split("\n")[0]]
    return [_pair(block) for block in found]


def _pair(block: str) -> tuple[str, str]:
    head, text = block.split("\n", 1)
    if "escapes=u4" in head:
        text = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), text)
    old, new = text.split("\n=====\n")
    return old, new


def revised(room: Room, old: str, new: str) -> tuple[Page, str]:
    """Return a reviewer's page, and the review of the second revision."""
    agent = room.agent(submits(old), submits(new, after="revise"))
    page = room.page("reviewer")
    page.goto(f"/reviews/{room.review_of(agent)}")
    decide(page, "Request changes", "Otherwise.")
    closed(page, "revise")
    return room.page("reviewer"), f"/reviews/{room.review_of(agent, version=2)}"


def test_changes_by_keyboard(room: Room) -> None:
    """n and p go from change to change, v from view to view, d to the choice of a revision."""
    page, review = revised(room, OLD, NEW)
    page.goto(review)
    expect(page.locator("del.gone").first).to_contain_text("hourly")
    page.keyboard.press("n")
    assert "daily" in str(page.evaluate(HELD))
    page.keyboard.press("n")
    second = page.evaluate(HELD)
    assert "daily" not in str(second)
    page.keyboard.press("p")
    assert "daily" in str(page.evaluate(HELD))
    page.keyboard.press("d")
    expect(page.get_by_label("Compare with")).to_be_focused()
    page.goto(review)
    for view in ("clean", "split", "source", "changes"):
        page.keyboard.press("v")
        page.wait_for_url(f"**{review}?view={view}")


def test_a_moved_section_links_its_other_end(room: Room) -> None:
    page, review = revised(room, OLD, NEW)
    page.goto(review)
    page.get_by_role("link", name="It was at line 7").click()
    left = page.locator("#left-1")
    expect(left).to_have_attribute("open", "")
    expect(left).to_contain_text("The cache may be stale")
    page.get_by_role("link", name="Now at line 13").click()
    expect(page.locator("#here-1")).to_be_in_viewport()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_changes_fit_on_any_screen(room: Room, tmp_path: Path, theme: str) -> None:
    """Two columns where there is room for them, one below the other on a phone; nothing spills."""
    page, review = revised(room, OLD, NEW)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        for view in ("changes", "split"):
            page.goto(f"{review}?view={view}")
            assert not page.evaluate(SPILLS)
            page.screenshot(path=tmp_path / f"{view}-{size['width']}-{theme}.png", full_page=True)
    row = page.locator(".pair").filter(has_text="hourly")
    removed, added = (row.locator(side).bounding_box() for side in (".old", ".new"))
    assert removed is not None
    assert added is not None
    assert added["y"] > removed["y"]
    page.set_viewport_size(WIDE)
    assert row.locator(".old").bounding_box()["y"] == row.locator(".new").bounding_box()["y"]  # type: ignore[index]


def test_changes_without_a_script(room: Room) -> None:
    page, review = revised(room, OLD, NEW)
    context = room.chromium.new_context(
        base_url=room.server.url,
        java_script_enabled=False,
        storage_state=page.context.storage_state(),
    )
    plain = context.new_page()
    plain.goto(review)
    expect(plain.locator("ins.come").first).to_contain_text("daily")
    plain.get_by_role("button", name="Compare").click()
    expect(plain.locator(".diff-head")).to_contain_text("Revision 1 → 2")
    context.close()


def test_pairs_of_hostile_revisions_are_inert(room: Room) -> None:
    """security:S21 X119 X120 X121 X122, drawn with their words marked, and line by line."""
    old, new = ("\n\n".join(side) for side in zip(*pairs(), strict=True))
    page, review = revised(room, old, new)
    page.add_init_script("window.hits = []; window.__pwn = (n) => window.hits.push(n);")
    for view in ("changes", "split", "clean", "source"):
        page.goto(f"{review}?view={view}")
        assert page.evaluate("window.hits") == []
        plan = page.locator(".plan")
        assert plan.locator("script, img, svg[onload], iframe, [onerror], [onload]").count() == 0
        assert plan.locator("a[href^=javascript]").count() == 0
