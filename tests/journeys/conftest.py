"""Real servers in both shapes, and a real Chromium in front of them."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.journeys.room import Room
from tests.processes import EmbeddedServer, Installation, TeamServer
from tests.requirements import need

SHAPES: Final[dict[str, type[Installation]]] = {"embedded": EmbeddedServer, "team": TeamServer}
_OF_PAGES: Final = frozenset({"test_changes", "test_commands", "test_looks", "test_people"})
"""Files of journeys that no broker and no database can change."""
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The system's Chromium (``CHROMIUM`` or found in PATH).

    Not for the whole run: while Playwright is there, its event loop runs in this thread.
    """
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    need("Chromium", path is not None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"],
        )
        yield browser
        browser.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run journeys in both shapes, those about what a page looks like and does in one."""
    if "room" in metafunc.fixturenames:
        alone = metafunc.module.__name__.rpartition(".")[2] in _OF_PAGES
        shapes = ["embedded"] if alone else list(SHAPES)
        metafunc.parametrize("room", shapes, indirect=True, scope="module")


@pytest.fixture(scope="module")
def room(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, chromium: Browser
) -> Iterator[Room]:
    """One installation with its people, for all journeys of a file."""
    with SHAPES[request.param](tmp_path_factory.mktemp("data")) as server:
        yield Room(server, server.people(), chromium)


@pytest.fixture(autouse=True)
def tidy(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Each journey starts with nothing waiting, and ends without a fault in any browser."""
    if "room" not in request.fixturenames:
        yield
        return
    there: Room = request.getfixturevalue("room")
    yield
    there.leave(tmp_path)
