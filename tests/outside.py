"""Servers of outside tools for tests, and a file that lists them."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_django import Settings

from planmode.agent.contracts import ToolContext
from planmode.agent.outside.offers import Described, Offer, taken
from planmode.agent.outside.servers import Server, configured
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core.state import EMPTY
from planmode.store.confined import ConfinedFolder

STUB: Final = Path(__file__).parent / "stubs" / "mcp_server.py"
READ_ONLY: Final = {"readOnlyHint": True}
ANYTHING: Final = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Site:
    """A folder with the file of servers and the list of tools of the stub."""

    folder: Path
    settings: Settings

    @property
    def file(self) -> Path:
        return self.folder / "servers.json"

    @property
    def listed(self) -> Path:
        return self.folder / "tools.json"

    def offer(self, *names: str, **more: object) -> None:
        """Let the stub have tools of these names from now on, each with ``more``."""
        write_tools(self.listed, *names, **more)

    def serve(self, **servers: Mapping[str, Any]) -> tuple[Server, ...]:
        """Write the file; return what it lists."""
        self.file.write_text(json.dumps({"servers": servers}), "utf-8")
        self.settings.MCP_SERVERS_FILE = str(self.file)
        return configured()

    def stub(self, **more: object) -> dict[str, Any]:
        """Return the entry of the stub, which is started for each connection."""
        args = [str(STUB), "stdio", str(self.listed)]
        return {"command": sys.executable, "args": args, **more}


def write_tools(listed: Path, *names: str, **more: object) -> None:
    """Let the stub that reads ``listed`` have tools of these names, each with ``more``."""
    tools = [{"name": name, "inputSchema": ANYTHING, **more} for name in names]
    listed.write_text(json.dumps(tools), "utf-8")


def program(code: str, **more: object) -> dict[str, Any]:
    """Return the entry of a server that runs these lines of Python and knows no protocol."""
    return {"command": sys.executable, "args": ["-c", code], "timeout_s": 2, **more}


@dataclass(frozen=True, slots=True)
class Web:
    """The stub over HTTP: its address, its list of tools, and what it was sent."""

    url: str
    listed: Path
    headers: Path


@contextmanager
def http_stub(folder: Path) -> Iterator[Web]:
    """Run the stub over HTTP, with its files in ``folder``."""
    listed, headers = folder / "tools.json", folder / "headers"
    argv = [sys.executable, str(STUB), "http", str(listed), str(headers)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            yield Web(f"http://127.0.0.1:{port}/mcp", listed, headers)
        finally:
            process.kill()


def described(
    name: str = "search",
    *,
    description: str | None = "Finds.",
    schema: Mapping[str, Any] = ANYTHING,
    annotations: Mapping[str, Any] | None = READ_ONLY,
) -> Described:
    """Return what a server may say of a tool."""
    return Described(name, description, schema, annotations)


def offered(name: str = "search", **more: Any) -> Offer:  # noqa: ANN401 - those of ``described``
    """Return the tool that is taken of that."""
    (offer,) = taken("docs", [described(name, **more)]).offers
    return offer


def plain(name: str) -> Offer:
    """Return a tool of the stub that was given nothing but its name."""
    return offered(name, description=None, annotations=None)


def context(folder: Path, sandbox: Sandbox | None = None) -> ToolContext:
    """Return what a call is given; no outside tool needs a workspace."""
    reach = Reach(ConfinedFolder(folder / "gone"), None, None)
    return ToolContext(reach, EMPTY, sandbox or Sandbox())
