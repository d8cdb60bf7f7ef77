"""mcp_servers: what servers offer, and what of it counts as read-only."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from planmode.agent.outside.servers import configured
from tests.outside import READ_ONLY, Site, Web, http_stub, program, write_tools


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The stub over HTTP, started once."""
    with http_stub(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture
def site(tmp_path: Path, settings: Settings, web: Web) -> Site:
    """A server ``docs`` that is trusted, with two tools."""
    site = Site(tmp_path, settings)
    write_tools(web.listed, "search", "drop", annotations=READ_ONLY)
    site.serve(docs={"url": web.url, "trusted": True})
    return site


def mcp_servers(*args: str) -> str:
    """Return what the command wrote to standard output."""
    out = io.StringIO()
    call_command("mcp_servers", *args, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def shown(*args: str) -> tuple[str, str]:
    """Return what the command wrote, and why it failed."""
    out = io.StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("mcp_servers", *args, stdout=out)
    assert failed.value.returncode == 1
    return out.getvalue(), str(failed.value)


def test_without_servers_it_says_so(settings: Settings) -> None:
    settings.MCP_SERVERS_FILE = ""
    assert mcp_servers().startswith("No servers: ")


def test_each_tool_is_shown_with_how_it_stands(site: Site) -> None:
    assert mcp_servers().splitlines() == [
        "docs: trusted, by an address",
        "  mcp__docs__drop    says read-only  unpinned  may change something",
        "  mcp__docs__search  says read-only  unpinned  may change something",
    ]


def test_a_pin_is_printed_to_be_pasted(site: Site) -> None:
    before = site.file.read_bytes()
    tools = json.loads(mcp_servers("--pin", "docs"))["tools"]
    assert sorted(tools) == ["drop", "search"]
    assert site.file.read_bytes() == before


def test_a_pin_that_is_written_counts_until_the_tool_changes(site: Site, web: Web) -> None:
    """case:C014"""
    mcp_servers("--pin", "docs", "--write")
    assert sorted(configured()[0].pins) == ["drop", "search"]
    assert mcp_servers().count("pinned    counts as read-only") == 2
    write_tools(web.listed, "search", annotations=READ_ONLY, description="Finds, and more.")
    out, reason = shown()
    assert "mcp__docs__search  says read-only  changed   may change something" in out
    assert "pinned, but not offered: drop" in out
    assert "not what was pinned" in reason


def test_a_tool_that_is_left_out_is_shown_with_the_reason(site: Site, web: Web) -> None:
    write_tools(web.listed, "sea rch", "put")
    assert mcp_servers().splitlines()[1:] == [
        "  mcp__docs__put  says nothing    unpinned  may change something",
        "  left out 'sea rch': its name has characters that no provider takes",
    ]


def test_a_server_that_can_not_be_asked_is_shown(site: Site) -> None:
    site.serve(odd=program("pass"))
    out, reason = shown()
    assert out.splitlines()[1] == "  no tools: the server ended, or closed the connection"
    assert "can't be asked" in reason
    assert "odd: the server ended" in shown("--pin", "odd")[1]


@pytest.mark.parametrize("text", ["{", '{"servers": {}}'])
def test_bad_usage_has_status_2(site: Site, text: str) -> None:
    site.file.write_text(text, "utf-8")
    with pytest.raises(CommandError) as failed:
        mcp_servers("--pin", "docs")
    assert failed.value.returncode == 2


def test_nothing_is_written_without_a_pin(site: Site) -> None:
    before = site.file.read_bytes()
    with pytest.raises(CommandError, match="--write needs --pin SERVER") as refused:
        mcp_servers("--write")
    assert refused.value.returncode == 2
    assert site.file.read_bytes() == before


def test_without_a_file_there_is_nothing_to_pin(settings: Settings) -> None:
    settings.MCP_SERVERS_FILE = ""
    with pytest.raises(CommandError, match="MCP_SERVERS_FILE names no file") as refused:
        mcp_servers("--pin", "docs")
    assert refused.value.returncode == 2
