"""The hub without a database: who hears what."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

import pytest
from django.db import OperationalError
from pytest_django import Settings

from planmode.access.may import Caller, Owned
from planmode.access.models import Role
from reviews import broadcast
from reviews.hub import Hub
from reviews.hub.listeners import BUFFER
from reviews.hub.rows import FEED, Asked, Hint, News, Page, Person, SessionLog, Topic, hears

ANN, BEN = Person(1, "ann's login", "x"), Person(2, "ben's login", "x")
HERE, THERE = Owned(1, 9), Owned(2, 9)
REVIEWER_HERE = frozenset({(1, Role.REVIEWER.value)})
REVIEWER_THERE = frozenset({(2, Role.REVIEWER.value)})
LOG = SessionLog(UUID(int=7), HERE)
NEVER = 60.0
SOON = 5.0


class Browser:
    """An outlet that keeps what it is sent; ``reads`` can be cleared to stop reading."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.code: int | None = None
        self.reads = asyncio.Event()
        self.reads.set()
        self._changed = asyncio.Event()

    async def push(self, text: str) -> None:
        await self.reads.wait()
        self.heard.append(text)
        self._changed.set()

    async def end(self, code: int) -> None:
        self.code = code
        self._changed.set()

    async def until(self, *heard: str) -> None:
        """Wait until exactly these messages were heard, or fail."""
        await self._wait(lambda: self.heard[-len(heard) :] == list(heard))
        assert self.heard == list(heard)

    async def ended(self) -> int:
        """Return the close code, once there is one."""
        await self._wait(lambda: self.code is not None)
        assert self.code is not None
        return self.code

    async def _wait(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON):
            while not done():
                self._changed.clear()
                await self._changed.wait()


class Gone(Browser):
    """A browser that left without a word."""

    async def push(self, text: str) -> None:  # noqa: ARG002 - the outlet's signature
        raise ConnectionResetError


@dataclass
class FakeRows:
    """A feed and a log in memory; ``pages`` can be cleared to hold everybody's catching up."""

    feed: list[Hint] = field(default_factory=list)
    seq: int = 0
    roles: dict[Person, frozenset[tuple[int | None, str]]] = field(
        default_factory=lambda: {ANN: REVIEWER_HERE, BEN: REVIEWER_HERE}
    )
    page_size: int = 100
    pages: asyncio.Event = field(default_factory=asyncio.Event)
    broken: list[Exception] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pages.set()

    def add(self, owned: Owned = HERE) -> str:
        """Add one hint to the feed; return its text."""
        self.feed.append(Hint(len(self.feed) + 1, f"hint {len(self.feed) + 1}", owned))
        return self.feed[-1].text

    def callers(self) -> Mapping[Person, Caller]:
        return {person: Caller(person.user_id, roles) for person, roles in self.roles.items()}

    async def page(self, person: Person, topic: Topic, after: int) -> Page | None:
        caller = self.callers().get(person)
        if caller is None:
            return None
        if topic is not FEED:
            hints = (Hint(self.seq, f"seq {self.seq}", HERE),) if self.seq > after else ()
            return Page(hints, self.seq, caller)
        found = [hint for hint in self.feed if hint.cursor > after and hears(caller, hint)]
        part, more = tuple(found[: self.page_size]), len(found) > self.page_size
        page = Page(part, part[-1].cursor if more else len(self.feed), caller, more=more)
        await self.pages.wait()
        return page

    async def news(self, asked: Asked) -> News:
        self.asked.append(asked)
        await asyncio.sleep(0)
        if self.broken:
            raise self.broken.pop()
        new = tuple(h for h in self.feed if asked.feed is not None and h.cursor > asked.feed)
        logs = {
            log: Hint(self.seq, f"seq {self.seq}", HERE)
            for log, heard in asked.logs.items()
            if self.seq > heard
        }
        return News(new, logs, self.callers() if new or logs or asked.check else None)


def heard(browser: Browser, text: str) -> bool:
    return text in browser.heard


@pytest.fixture
def rows() -> FakeRows:
    return FakeRows()


@pytest.fixture
def hub(rows: FakeRows, settings: Settings) -> Hub:
    """A hub that looks when it is told, or after an hour: nothing is heard by luck.

    The embedded shape's: with Redis the layer keeps tasks of its own in the loop.
    """
    settings.EMBEDDED = True
    return Hub(rows, poll_s=NEVER)


async def until(done: Callable[[], bool]) -> None:
    """Let the other tasks run until ``done``; fail when that takes long."""
    async with asyncio.timeout(SOON):
        while not done():  # noqa: ASYNC110 - the hub has no event for what a test waits for
            await asyncio.sleep(0)


async def joined(hub: Hub, person: Person = ANN, after: int = 0) -> Browser:
    """Return a browser that listens to the feed and is live."""
    browser = Browser()
    listener = hub.join(browser, person, FEED, after)
    await until(lambda: listener.live)
    return browser


async def test_a_look_from_any_thread_brings_what_was_committed(hub: Hub, rows: FakeRows) -> None:
    browser = await joined(hub)
    text = rows.add()
    worker = threading.Thread(target=broadcast.look)
    worker.start()
    worker.join()
    await browser.until(text)


async def test_without_a_look_rows_are_found_by_polling(rows: FakeRows) -> None:
    browser = await joined(Hub(rows, poll_s=0.01))
    await browser.until(rows.add())


async def test_all_sockets_are_served_by_one_question(hub: Hub, rows: FakeRows) -> None:
    browsers = [await joined(hub, person) for person in (ANN, BEN) for _ in range(150)]
    before = len(rows.asked)
    text = rows.add()
    broadcast.look()
    for browser in browsers:
        await browser.until(text)
    assert len(rows.asked) == before + 1
    assert rows.asked[-1].people == {ANN, BEN}


async def test_nobody_hears_of_projects_that_are_not_theirs(hub: Hub, rows: FakeRows) -> None:
    rows.roles[BEN] = REVIEWER_THERE
    ann, ben = await joined(hub, ANN), await joined(hub, BEN)
    here, there = rows.add(HERE), rows.add(THERE)
    broadcast.look()
    await ann.until(here)
    await ben.until(there)


async def test_who_comes_back_gets_what_was_missed_and_then_what_is_new(
    hub: Hub, rows: FakeRows
) -> None:
    rows.page_size = 2
    texts = [rows.add() for _ in range(5)]
    browser = await joined(hub, after=1)
    texts.append(rows.add())
    broadcast.look()
    await browser.until(*texts[1:])


async def test_what_comes_while_one_catches_up_is_heard_once(hub: Hub, rows: FakeRows) -> None:
    other = await joined(hub)
    texts = [rows.add()]
    rows.pages.clear()
    browser = Browser()
    hub.join(browser, BEN, FEED, 0)  # has read its page, up to hint 1, and is held there
    await asyncio.sleep(0)
    texts.append(rows.add())
    broadcast.look()
    await other.until(*texts)
    assert browser.heard == []
    rows.pages.set()
    await browser.until(*texts)


async def test_a_browser_that_does_not_read_is_told_to_come_again(hub: Hub, rows: FakeRows) -> None:
    slow, quick = await joined(hub, ANN), await joined(hub, BEN)
    slow.reads.clear()
    for _ in range(BUFFER + 2):  # one is on its way, the buffer is full, one is too much
        text = rows.add()
        broadcast.look()
        await until(partial(heard, quick, text))
    slow.reads.set()
    assert await slow.ended() == 1013
    assert len(slow.heard) == 1
    assert len(quick.heard) == BUFFER + 2


async def test_one_that_has_left_disturbs_nobody(hub: Hub, rows: FakeRows) -> None:
    gone, browser = Gone(), await joined(hub)
    listener = hub.join(gone, BEN, FEED, 0)
    await until(lambda: listener.live)
    text = rows.add()
    broadcast.look()
    await browser.until(text)
    assert await gone.ended() == 1013


@pytest.mark.parametrize(
    ("roles", "code"),
    [
        pytest.param(None, 4401, id="logged out, or not active any more"),
        pytest.param(frozenset(), 4403, id="no member any more"),
        pytest.param(frozenset({(1, Role.MANAGER.value)}), 4403, id="another role"),
    ],
)
async def test_who_lost_access_hears_no_more(
    hub: Hub, rows: FakeRows, roles: frozenset[tuple[int | None, str]] | None, code: int
) -> None:
    ann, ben = await joined(hub, ANN), await joined(hub, BEN)
    if roles is None:
        del rows.roles[ANN]
    else:
        rows.roles[ANN] = roles
    text = rows.add()
    broadcast.look()
    assert await ann.ended() == code
    assert ann.heard == []
    await ben.until(text)


async def test_rights_are_read_again_even_if_nothing_is_new(rows: FakeRows) -> None:
    browser = await joined(Hub(rows, poll_s=0.01, check_s=0.05))
    del rows.roles[ANN]
    assert await browser.ended() == 4401


async def test_who_may_not_listen_is_sent_away_at_once(hub: Hub, rows: FakeRows) -> None:
    del rows.roles[ANN]
    browser = Browser()
    hub.join(browser, ANN, FEED, 0)
    assert await browser.ended() == 4403


async def test_a_log_tells_its_length_once_and_whenever_it_grows(hub: Hub, rows: FakeRows) -> None:
    rows.seq = 3
    behind, level = Browser(), Browser()
    hub.join(behind, ANN, LOG, 1)
    listener = hub.join(level, BEN, LOG, 3)
    await behind.until("seq 3")
    await until(lambda: listener.live)
    rows.seq = 6
    broadcast.look()
    await behind.until("seq 3", "seq 6")
    await level.until("seq 6")


async def test_a_database_that_fails_once_is_asked_again(hub: Hub, rows: FakeRows) -> None:
    browser = await joined(hub)
    rows.broken.append(OperationalError("gone for a moment"))
    text = rows.add()
    broadcast.look()
    await until(lambda: not rows.broken)
    broadcast.look()
    await browser.until(text)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_when_the_reader_breaks_browsers_are_told_to_come_again(
    hub: Hub, rows: FakeRows
) -> None:
    browser = await joined(hub)
    rows.broken.append(ZeroDivisionError())
    broadcast.look()
    assert await browser.ended() == 1011
    again = await joined(hub)
    text = rows.add()
    broadcast.look()
    await again.until(text)


async def test_nothing_is_read_while_nobody_listens(hub: Hub, rows: FakeRows) -> None:
    browser = Browser()
    listener = hub.join(browser, ANN, FEED, 0)
    await until(lambda: listener.live)
    hub.leave(listener)
    me = asyncio.current_task()
    await until(lambda: asyncio.all_tasks() == {me})
    before = len(rows.asked)
    rows.add()
    broadcast.look()
    await asyncio.sleep(0)
    assert len(rows.asked) == before
    assert (await joined(hub)).code is None
