"""The file of servers: read strictly, and faults named by line or key."""

import json
from pathlib import Path
from typing import Any

import pytest

from planmode.agent.outside.servers import (
    LARGEST_FILE,
    Address,
    Program,
    Server,
    ServersInvalidError,
    Value,
    VariableMissingError,
    configured,
    read_servers,
)
from tests.outside import Site

SHA = "0" * 64


def refusal(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    with pytest.raises(ServersInvalidError) as refused:
        read_servers(path)
    return str(refused.value)


def test_no_file_means_no_servers(site: Site) -> None:
    assert configured() == ()


def test_servers_come_by_name_with_all_that_is_said_of_them(site: Site) -> None:
    docs = {
        "url": "https://docs.example/mcp",
        "headers": {"Authorization": {"from_env": "DOCS_TOKEN"}},
        "trusted": True,
        "timeout_s": 5,
        "tools": {"search": {"schema_sha256": SHA}},
    }
    db = {"command": "db-server", "args": ["--read"], "env": {"LEVEL": "low"}}
    assert site.serve(docs=docs, db=db) == (
        Server("db", Program(("db-server", "--read"), {"LEVEL": Value("low")})),
        Server(
            "docs",
            Address("https://docs.example/mcp", {"Authorization": Value(variable="DOCS_TOKEN")}),
            trusted=True,
            timeout_s=5,
            pins={"search": SHA},
        ),
    )


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        pytest.param({}, "/servers/docs: needs either command or url", id="no way"),
        pytest.param({"command": "a", "url": "https://a"}, "/servers/docs: needs either", id="two"),
        pytest.param({"url": "https://a", "args": []}, None, id="empty arguments"),
        pytest.param({"url": "https://a", "args": ["x"]}, "args and env go with", id="args"),
        pytest.param({"url": "https://a", "env": {"A": "x"}}, "args and env go with", id="env"),
        pytest.param({"command": "a", "headers": {"A": "x"}}, "headers go with url", id="headers"),
        pytest.param({"command": ""}, "/servers/docs/command", id="empty command"),
        pytest.param({"command": "a\0b"}, "/servers/docs/command", id="NUL"),
        pytest.param({"command": "a", "args": [1]}, "/servers/docs/args/0", id="number"),
        pytest.param({"command": "a", "env": {"A=B": "x"}}, "/servers/docs/env/A=B", id="name"),
        pytest.param({"command": "a", "env": {"A": 1}}, "/env/A: must be a text, or", id="value"),
        pytest.param({"command": "a", "env": {"A": {"from": "B"}}}, "/env/A: must be", id="from"),
        pytest.param({"command": "a", "env": {"A": {"from_env": ""}}}, "/env/A: must", id="empty"),
        pytest.param({"url": "ftp://a"}, "/servers/docs/url", id="other scheme"),
        pytest.param({"url": "https:///x"}, "/servers/docs/url", id="no host"),
        pytest.param({"url": "https://a", "headers": {"A:": "x"}}, "/headers/A:", id="header"),
        pytest.param({"command": "a", "timeout_s": 0}, "/servers/docs/timeout_s", id="no time"),
        pytest.param({"command": "a", "timeout_s": 601}, "/servers/docs/timeout_s", id="long"),
        pytest.param({"command": "a", "timeout_s": "5"}, "/servers/docs/timeout_s", id="text"),
        pytest.param({"command": "a", "trusted": 1}, "/servers/docs/trusted", id="one is no true"),
        pytest.param({"command": "a", "trust": True}, "/servers/docs/trust:", id="unknown key"),
        pytest.param(
            {"command": "a", "tools": {"x": {"schema_sha256": "F" * 64}}},
            "/servers/docs/tools/x/schema_sha256",
            id="no hash",
        ),
    ],
)
def test_a_fault_is_named_by_its_key(site: Site, entry: dict[str, Any], fault: str | None) -> None:
    text = json.dumps({"servers": {"docs": entry}})
    if fault is None:
        site.file.write_text(text, "utf-8")
        assert [server.name for server in read_servers(site.file)] == ["docs"]
        return
    assert fault in refusal(site.file, text)


@pytest.mark.parametrize(
    "name", ["", "Docs", "a_b", "a b", "ä", "-a", "a-", "a/b", "a" * 31, "a\n"]
)
def test_names_of_servers_are_plain(site: Site, name: str) -> None:
    """A name becomes part of each tool's; two underscores end it there."""
    assert "/servers/" in refusal(site.file, json.dumps({"servers": {name: {"command": "a"}}}))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param('{\n"servers":\n}', "line 3: ", id="cut off"),
        pytest.param("[]", "must be a JSON object", id="list"),
        pytest.param("{}", "/servers: Field required", id="nothing"),
        pytest.param('{"servers": {"a": 1, "a": 2}}', "the key 'a' occurs twice", id="twice"),
        pytest.param('{"servers": NaN}', "NaN is no JSON number", id="NaN"),
        pytest.param("[" * 100_000, "recursion", id="endless nesting"),
        pytest.param(" " * (LARGEST_FILE + 1), "is larger than", id="large"),
    ],
)
def test_only_strict_json(site: Site, text: str, fault: str) -> None:
    """security:S30"""
    message = refusal(site.file, text)
    assert message.startswith(f"{site.file}: ")
    assert fault in message


def test_bytes_that_are_no_text_are_refused(site: Site) -> None:
    site.file.write_bytes(b'{"servers": "\xff"}')
    with pytest.raises(ServersInvalidError, match="utf-8"):
        read_servers(site.file)


def test_a_file_that_is_not_there_is_named(site: Site) -> None:
    site.settings.MCP_SERVERS_FILE = str(site.file)
    with pytest.raises(ServersInvalidError, match=r"servers\.json: can't be read: No such file"):
        configured()


def test_values_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    entry = {"command": "a", "env": {"A": {"from_env": "OUTSIDE_A"}, "B": "b"}}
    (server,) = site.serve(docs=entry)
    assert isinstance(server.way, Program)
    assert server.way.env["B"].resolved() == "b"
    assert server.missing() == ("OUTSIDE_A",)
    with pytest.raises(VariableMissingError, match="OUTSIDE_A is not set"):
        server.way.env["A"].resolved()
    monkeypatch.setenv("OUTSIDE_A", "secret")
    assert server.way.env["A"].resolved() == "secret"
    assert server.missing() == ()


def test_a_key_in_the_file_shows_in_no_message(site: Site) -> None:
    (server,) = site.serve(docs={"url": "https://a/?key=k1", "headers": {"X-Key": "k2"}})
    assert "k1" not in repr(server)
    assert "k2" not in repr(server)
    bad = {"url": "https://a", "headers": {"X-Key": ["k3"]}, "trusted": "k4"}
    assert "k3" not in (text := refusal(site.file, json.dumps({"servers": {"docs": bad}})))
    assert "k4" not in text


@pytest.mark.parametrize(
    ("url", "exposed"),
    [
        ("https://docs.example/mcp", False),
        ("http://docs.example/mcp", True),
        ("http://127.0.0.1:8000/mcp", False),
        ("http://[::1]/mcp", False),
        ("http://localhost/mcp", False),
        ("http://localhost.example/mcp", True),
    ],
)
def test_who_can_listen_in(url: str, exposed: bool) -> None:  # noqa: FBT001 - a table
    assert Address(url).exposed is exposed
