"""Hashes of checked tools, put into the file."""

import json
import stat

import pytest

from planmode.agent.outside.pins import pins, write
from planmode.agent.outside.servers import ServersInvalidError, read_servers
from tests.outside import Site, offered


def test_only_tools_that_call_themselves_read_only_are_pinned() -> None:
    silent = offered("put", annotations=None)
    assert pins([offered(), silent]) == {"search": {"schema_sha256": offered().sha256}}


def test_the_file_keeps_all_else_and_its_rights(site: Site) -> None:
    site.serve(docs={"command": "docs", "env": {"A": "ü"}}, db={"command": "db", "timeout_s": 5})
    site.file.chmod(0o640)
    write(site.file, "docs", pins([offered()]))
    docs = read_servers(site.file)[1]
    assert docs.pins == {"search": offered().sha256}
    assert '"A": "ü"' in site.file.read_text("utf-8")
    assert json.loads(site.file.read_text("utf-8"))["servers"]["db"] == {
        "command": "db",
        "timeout_s": 5,
    }
    assert stat.S_IMODE(site.file.stat().st_mode) == 0o640
    assert [path.name for path in site.folder.glob(".*json*")] == []


def test_a_link_to_the_file_stays_one(site: Site) -> None:
    site.serve(docs={"command": "docs"})
    link = site.folder / "link.json"
    link.symlink_to(site.file)
    write(link, "docs", {})
    assert link.is_symlink()


def test_a_server_that_is_not_there_is_not_made(site: Site) -> None:
    site.serve(docs={"command": "docs"})
    with pytest.raises(ServersInvalidError, match="has no server 'db'"):
        write(site.file, "db", {})
