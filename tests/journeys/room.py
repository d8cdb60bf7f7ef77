"""What a journey needs: people, browsers, agents."""

import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Response, expect

from tests.processes import Installation, Login

PATIENCE_MS: Final = 20_000
EDIT: Final = {"path": "parser.py", "old_string": "value = 1", "new_string": "value = 2"}

expect.set_options(timeout=PATIENCE_MS)


def call(name: str, **args: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    """Return a tool call as scripts write it."""
    return {"name": name, "args": args}


def submits(plan: str, *options: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - of a reply
    """Return a reply that writes the plan file and submits it."""
    offered = {"options": [{"label": label} for label in options]} if options else {}
    calls = [call("Write", path="${plan_file}", content=plan), call("ExitPlanMode", **offered)]
    return {"tool_calls": calls, **fields}


def works(after: str = "approved") -> list[dict[str, Any]]:
    """Return the replies of an agent that edits a file of the workspace and finishes."""
    return [
        {"after": after, "text": "To work.", "tool_calls": [call("Edit", **EDIT)]},
        {"after": after, "text": "It is done."},
    ]


@dataclass(frozen=True, slots=True)
class Agent:
    """A session on a workspace with one file in it."""

    id: str
    workspace: Path

    @property
    def file(self) -> str:
        """What the file holds now."""
        return (self.workspace / "parser.py").read_text(encoding="utf-8")


@dataclass(slots=True)
class Room:
    """An installation with people in it."""

    server: Installation
    people: dict[str, Login]
    chromium: Browser
    _contexts: list[BrowserContext] = field(default_factory=list)
    _faults: list[str] = field(default_factory=list)
    _agents: list[Agent] = field(default_factory=list)

    def agent(self, *replies: dict[str, Any], **fields: Any) -> Agent:  # noqa: ANN401 - of a session
        """Start a session of the operator by HTTP; it plays ``replies``."""
        name = secrets.token_hex(4)
        workspace = self.server.data_dir / "workspaces" / name
        workspace.mkdir()
        (workspace / "parser.py").write_text("value = 1\n", encoding="utf-8")
        model = self.server.script(name, *replies)
        fields = {"permission_mode": "accept_edits", "workspace": str(workspace), **fields}
        session_id = self.server.start_session(self.people["operator"], model, **fields)
        agent = Agent(session_id, workspace)
        self._agents.append(agent)
        return agent

    def page(self, who: str) -> Page:
        """Return a page of a new browser in which ``who`` is logged in."""
        page = self.stranger()
        value = self.people[who].cookie
        page.context.add_cookies([{"name": "sessionid", "value": value, "url": self.server.url}])
        return page

    def stranger(self) -> Page:
        """Return a page of a new browser in which nobody is logged in."""
        context = self.chromium.new_context(base_url=self.server.url)
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._fault(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self._fault(str(error)))
        page.on("request", lambda asked: self._check_host(asked.url))
        page.on("response", lambda got: self._check_status(got))  # noqa: PLW0108 - it keeps its mark
        return page

    def _fault(self, text: str) -> None:
        # A refused decision is answered with 409 or 422: the browser says so, the page handles it.
        if "status of 409" not in text and "status of 422" not in text:
            self._faults.append(text)

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.server.url, "data:", "blob:")):
            self._faults.append(f"asked another host: {url}")

    def _check_status(self, response: Response) -> None:
        if response.status >= 500:
            self._faults.append(f"{response.status} for {response.url}")

    def leave(self, folder: Path) -> None:
        """Close the browsers and end what still waits; no browser may have met a fault."""
        for number, context in enumerate(self._contexts):
            for page in context.pages:
                page.screenshot(path=folder / f"page-{number}.png")
            context.close()
        self._contexts.clear()
        faults, self._faults = self._faults, []
        self._end_agents()
        assert not faults, faults

    def _end_agents(self) -> None:
        ids = [agent.id for agent in self._agents if not self.ended(agent)]
        self._agents.clear()
        if ids:
            self.server.shell(_CANCEL.format(ids=ids))

    # What the server knows

    def api(self, path: str) -> dict[str, Any]:
        """Return what the API answers to the operator's token."""
        return self.server.api("GET", f"/api/v1/{path}", self.people["operator"])

    def session(self, agent: Agent) -> dict[str, Any]:
        """Return the session as the API shows it."""
        return self.api(f"sessions/{agent.id}")

    def ended(self, agent: Agent) -> bool:
        """Return whether the agent's turn is over."""
        return self.session(agent)["turn"]["state"] not in {"queued", "running", "waiting"}

    def review_of(self, agent: Agent, *, version: int = 1) -> str:
        """Return the id of the agent's open review, once revision ``version`` waits."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while time.monotonic() < deadline:
            session = self.session(agent)
            waits = session["waiting_for"] or {}
            if waits.get("kind") == "review":
                review = self.api(f"reviews/{waits['id']}")
                if review["version"] == version:
                    return str(review["id"])
            assert session["turn"]["state"] != "failed", session
        raise AssertionError(f"no review of revision {version}: {self.session(agent)}")

    def events(self, agent: Agent) -> list[dict[str, Any]]:
        """Return the whole log (below 200 events)."""
        return list(self.api(f"sessions/{agent.id}/events")["results"])

    def result(self, agent: Agent, tool: str) -> dict[str, Any]:
        """Return the newest result of ``tool``."""
        finished = [e["data"] for e in self.events(agent) if e["name"] == "tool.finished"]
        newest: dict[str, Any] = [data for data in finished if data["name"] == tool][-1]
        return newest


_CANCEL: Final = """
from uuid import UUID
from planmode import services
from planmode.core.errors import NoTurnError
for session_id in {ids!r}:
    try:
        services.cancel_turn(UUID(session_id))
    except NoTurnError:
        pass
"""


def decide(page: Page, button: str, words: str = "", *, option: str = "") -> None:
    """Open the sheet of ``button``, fill it in and confirm."""
    sheet = open_sheet(page, button)
    if option:
        sheet.get_by_role("radio", name=option).check()
    if words:
        sheet.get_by_role("textbox").fill(words)
    sheet.locator("[data-confirm]").click()


def open_sheet(page: Page, button: str) -> Locator:
    """Open the sheet of ``button`` and return it."""
    page.locator("#decision").get_by_role("button", name=f"{button}…", exact=False).first.click()
    sheet = page.locator("dialog[open]")
    expect(sheet).to_be_visible()
    return sheet


def closed(page: Page, outcome: str) -> Locator:
    """Return the decision bar once it shows ``outcome``."""
    bar = page.locator(f'[data-region="decision"] [data-closed="{outcome}"]')
    expect(bar).to_be_visible()
    return bar
