"""Journeys of those who look after projects, and of their own settings."""

from playwright.sync_api import Page, ViewportSize, expect

from tests.journeys.room import Room, submits

EVERYWHERE = """
from django.contrib.auth.models import User
from planmode.access.models import Membership
boss = User.objects.get(username="manager")
Membership.objects.get_or_create(user=boss, project=None, role="admin")
"""
NARROW: ViewportSize = {"width": 360, "height": 740}
SPILLS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
PAGES = (
    *("/settings/you", "/settings/keys", "/settings/absence", "/settings/projects"),
    *("/settings/projects/new", "/settings/projects/default/allows"),
    *("/settings/projects/default/members", "/settings/projects/default/policy"),
)


def types(page: Page, label: str, text: str) -> None:
    """Walk to the field called ``label`` by Tab, and type."""
    field = page.get_by_label(label, exact=True)
    for _step in range(80):
        page.keyboard.press("Tab")
        if field.evaluate("(one) => one === document.activeElement"):
            page.keyboard.press("Control+a")
            page.keyboard.type(text)
            return
    raise AssertionError(f"Tab does not reach {label}")


def test_an_admin_makes_a_project_by_keyboard(room: Room) -> None:
    """A project, a member, a policy: typed, sent with Ctrl and Enter, told in words."""
    room.server.shell(EVERYWHERE)
    name = "shop"
    page = room.page("manager")
    page.goto("/settings/projects/new")
    types(page, "Name", name)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("The project is there")
    types(page, "User name", "nobody-here")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert").first).to_be_focused()
    types(page, "User name", "reviewer")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".member").filter(has_text="reviewer")).to_be_visible()
    page.get_by_role("link", name="Review policy").press("Enter")
    types(page, "Approvals of the same option", "2")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Policy 1 holds")
    expect(page.get_by_text("2 approvals of the same option.").first).to_be_visible()


def test_a_key_is_changed_and_used(room: Room) -> None:
    """WCAG 2.1.4: the new key opens the sheet, the old one does nothing, the help says so."""
    page = room.page("reviewer")
    page.goto("/settings/keys")
    types(page, "Approve…", "c")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert").first).to_contain_text("This key is taken")
    types(page, "Approve…", "y")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Your keys are saved")
    page.goto(f"/reviews/{room.review_of(room.agent(submits('# A plan with a key')))}")
    page.keyboard.press("?")
    row = page.locator("#keys [data-shortcut=approve]")
    expect(row).to_contain_text("y")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.keyboard.press("y")
    expect(page.locator("#sheet-approve")).to_be_visible()
    page.goto("/settings/keys")
    page.get_by_role("button", name="All as usual").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your keys are saved")


def test_two_keys_one_after_the_other_lead_to_a_page(room: Room) -> None:
    page = room.page("reviewer")
    page.goto("/settings/you")
    page.keyboard.press("g")
    page.keyboard.press("q")
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()


def test_a_hidden_page_tells_what_waits_and_no_more(room: Room) -> None:
    """The browser's notification, opted in: no word of the plan, once."""
    page = room.page("reviewer")
    page.context.grant_permissions(["notifications"])
    page.add_init_script(
        "window.told = [];"
        "window.Notification = class extends EventTarget {"
        " static permission = 'granted';"
        " constructor(text) { super(); window.told.push(text); } };"
        "Object.defineProperty(document, 'hidden', { get: () => window.away === true });"
    )
    page.goto("/settings/you")
    page.get_by_label("Notifications of the browser").check()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("Your settings are saved")
    page.goto("/")
    expect(page.locator("live-feed[data-state=live]")).to_be_attached()
    page.evaluate("window.away = true; document.dispatchEvent(new Event('visibilitychange'))")
    room.review_of(room.agent(submits("# A plan that nobody shall read aloud")))
    page.wait_for_function("window.told.length > 0")
    assert page.evaluate("window.told") == ["A plan waits for review."]


def test_no_page_of_settings_spills_on_a_telephone(room: Room) -> None:
    room.server.shell(EVERYWHERE)
    page = room.page("manager")
    page.set_viewport_size(NARROW)
    for path in PAGES:
        page.goto(path)
        assert not page.evaluate(SPILLS), path


def test_settings_work_without_javascript(room: Room) -> None:
    context = room.chromium.new_context(base_url=room.server.url, java_script_enabled=False)
    cookie = room.people["operator"].cookie
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": room.server.url}])
    page = context.new_page()
    page.goto("/settings/you")
    page.get_by_label("Time zone").fill("Nowhere")
    page.get_by_role("button", name="Save").click()
    assert page.get_by_text("There is no such time zone.").first.is_visible()
    page.get_by_label("Time zone").fill("Asia/Shanghai")
    page.get_by_role("button", name="Save").click()
    assert page.get_by_text("Your settings are saved.").is_visible()
    context.close()
