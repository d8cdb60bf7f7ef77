"""A file of servers in a folder of the test's own."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tests.outside import Site


@pytest.fixture
def site(tmp_path: Path, settings: Settings) -> Site:
    """No server yet."""
    settings.MCP_SERVERS_FILE = ""
    return Site(tmp_path, settings)
