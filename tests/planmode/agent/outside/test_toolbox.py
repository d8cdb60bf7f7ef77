"""Which outside tools a turn has, and what unwell servers cost it."""

import logging
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import uuid4

import pytest

from planmode.agent.outside.door import Answer, Door, OutsideError
from planmode.agent.outside.offers import Described, Offer
from planmode.agent.outside.servers import Server
from planmode.agent.outside.toolbox import (
    FRESH_S,
    MOST_TURNS,
    RETRY_S,
    Toolbox,
    open_door,
    toolbox,
)
from tests.outside import Site, described, offered, program


@dataclass(slots=True)
class FakeDoor:
    """Servers by name with the names of their tools; an error is what asking one gives."""

    tools: dict[str, list[Described] | OutsideError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def described(self, server: Server) -> tuple[Described, ...]:
        """Return the tools."""
        self.asked.append(server.name)
        found = self.tools[server.name]
        if isinstance(found, OutsideError):
            raise found
        return tuple(found)

    async def called(self, server: Server, offer: Offer, arguments: Mapping[str, Any]) -> Answer:
        """Nobody calls."""
        raise NotImplementedError


@dataclass(slots=True)
class Clock:
    """Seconds that pass when the test says so."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def door() -> FakeDoor:
    """Two servers that answer."""
    return FakeDoor({"docs": [described("search")], "db": [described("query"), described("drop")]})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def box(site: Site, door: FakeDoor, clock: Clock) -> Toolbox:
    """A process with a file of these two servers."""
    site.serve(docs={"command": "docs"}, db={"command": "db"})
    opened: Door = door
    return Toolbox(clock, lambda: opened)


TURNS = count(1)
SESSION = uuid4()


def names(box: Toolbox) -> list[str]:
    """Return the tools that a new turn has."""
    return [tool.name for tool in box.tools(SESSION, next(TURNS))]


ALL = ["mcp__db__drop", "mcp__db__query", "mcp__docs__search"]


def test_tools_come_by_name(box: Toolbox) -> None:
    assert names(box) == ALL


def test_without_a_file_nothing_is_opened(site: Site) -> None:
    def opened() -> Door:
        raise AssertionError

    assert Toolbox(door=opened).tools(SESSION, next(TURNS)) == ()


def test_a_turn_keeps_its_tools(box: Toolbox, door: FakeDoor, clock: Clock) -> None:
    turn = next(TURNS)
    before = box.tools(SESSION, turn)
    door.tools["docs"] = []
    clock.now += FRESH_S
    assert names(box) == ALL[:2]
    assert box.tools(SESSION, turn) is before


def test_turns_are_not_kept_for_ever(box: Toolbox, door: FakeDoor, clock: Clock) -> None:
    turn = next(TURNS)
    box.tools(SESSION, turn)
    for _ in range(MOST_TURNS):
        names(box)
    door.tools["docs"] = []
    clock.now += FRESH_S
    assert [tool.name for tool in box.tools(SESSION, turn)] == ALL[:2]


def test_a_list_is_asked_for_once_in_a_while(box: Toolbox, door: FakeDoor, clock: Clock) -> None:
    names(box)
    clock.now += FRESH_S - 1
    names(box)
    assert sorted(door.asked) == ["db", "docs"]
    clock.now += 1
    names(box)
    assert sorted(door.asked) == ["db", "db", "docs", "docs"]


def test_a_server_that_can_not_be_asked_has_no_tools_and_says_so_once(
    box: Toolbox, door: FakeDoor, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    door.tools["docs"] = OutsideError("it can't be reached")
    for _ in range(3):
        assert names(box) == ALL[:2]
        clock.now += RETRY_S
    assert caplog.messages == ["outside server docs has no tools now: it can't be reached"]
    door.tools["docs"] = [described("search")]
    assert names(box) == ALL


def test_a_server_whose_address_changes_is_asked_anew(
    box: Toolbox, door: FakeDoor, site: Site
) -> None:
    names(box)
    site.serve(docs={"command": "docs-2"}, db={"command": "db", "trusted": True})
    names(box)
    assert sorted(door.asked) == ["db", "docs", "docs"]


def test_a_server_that_is_taken_off_the_list_has_no_tools(box: Toolbox, site: Site) -> None:
    assert names(box) == ALL
    site.serve(docs={"command": "docs"})
    assert names(box) == ALL[2:]


def test_a_bad_file_means_no_tools_and_one_line(
    box: Toolbox, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site.file.write_text("{\n", "utf-8")
    assert names(box) == names(box) == []
    (message,) = caplog.messages
    assert "there are no outside tools: " in message
    assert "line 2" in message


def test_a_changed_tool_and_an_odd_one_are_in_the_log(
    box: Toolbox, door: FakeDoor, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """case:C014"""
    pins = {"search": {"schema_sha256": offered(description="Was this.").sha256}}
    site.serve(docs={"command": "docs", "trusted": True, "tools": pins})
    door.tools["docs"] = [described("search"), described("sea rch")]
    assert names(box) == ["mcp__docs__search"]
    assert caplog.messages == [
        "outside server docs: left out 'sea rch': its name has characters that no provider takes",
        "outside server docs: search is not what was pinned, so it does not count as read-only",
    ]


def test_a_real_server_that_hangs_costs_its_time_and_the_others_nothing(site: Site) -> None:
    site.offer("search")
    hanging = program("import signal; signal.pause()", timeout_s=2)
    site.serve(docs=site.stub(), odd=hanging)
    assert names(Toolbox(patience_s=60.0)) == ["mcp__docs__search"]


def test_a_process_has_one_toolbox() -> None:
    assert toolbox() is toolbox()


def printed(code: str) -> str:
    """Return what a new process prints that runs ``code``."""
    argv = [sys.executable, "-c", code]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout  # noqa: S603


WITHOUT = """
import sys, django
django.setup()
sys.modules["mcp"] = None
from planmode.agent.outside.door import OutsideError
from planmode.agent.outside.toolbox import open_door
try:
    open_door()
except OutsideError as error:
    print(error)
"""


def test_without_the_extra_it_is_said_how_to_get_it() -> None:
    assert printed(WITHOUT).startswith(
        "the extra mcp is not installed: pip install 'planmode[mcp]'"
    )


def test_without_the_extra_there_are_no_tools_and_one_line(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    def missing() -> Door:
        raise OutsideError("the extra mcp is missing")

    site.serve(docs={"command": "docs"})
    box = Toolbox(door=missing)
    assert names(box) == names(box) == []
    assert caplog.messages == ["there are no outside tools: the extra mcp is missing"]


STARTED = """
import sys, django
django.setup()
import planmode.agent.outside.toolbox, config.asgi
print(sorted({name.partition(".")[0] for name in sys.modules} & {"mcp", "mcp_types"}))
"""


def test_a_process_without_servers_never_loads_the_sdk() -> None:
    assert printed(STARTED).strip() == "[]"


def test_the_door_is_the_sdks() -> None:
    assert type(open_door()).__name__ == "SdkDoor"


def test_what_breaks_in_asking_a_server_costs_its_own_tools_alone(
    box: Toolbox, door: FakeDoor
) -> None:
    del door.tools["docs"]
    assert names(box) == ALL[:2]
