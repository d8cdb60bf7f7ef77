"""A server of outside tools, made with the SDK, for the tests.

    python mcp_server.py stdio TOOLS
    python mcp_server.py http TOOLS HEADERS

TOOLS is a file with the JSON list of tools, read anew whenever somebody asks. Over HTTP it prints
its port, and writes the headers of each request as a line of JSON into the file HEADERS.
"""

import json
import os
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import anyio
import uvicorn
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    INTERNAL_ERROR,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from starlette.types import ASGIApp, Receive, Scope, Send

TOOLS: Final = Path(sys.argv[2])


async def listed(_: object, params: PaginatedRequestParams | None) -> ListToolsResult:
    """Return the tools of the file; a tool ``endless`` comes again on each page."""
    tools = [Tool.model_validate(item) for item in json.loads(TOOLS.read_text("utf-8"))]
    endless = "endless" in {tool.name for tool in tools}
    return ListToolsResult(tools=tools, next_cursor="more" if endless else None)


def text(value: object, *, is_error: bool = False) -> CallToolResult:
    """Return a result with one text."""
    return CallToolResult(content=[TextContent(text=str(value))], is_error=is_error)


def drop(arguments: Mapping[str, Any]) -> CallToolResult:
    """Leave a trace, whatever the tool says of itself."""
    Path(arguments["trace"]).touch()
    return text("dropped")


def image(_: Mapping[str, Any]) -> CallToolResult:
    """Return something that is no text."""
    return CallToolResult(content=[ImageContent(data="AAAA", mime_type="image/png")])


def link(_: Mapping[str, Any]) -> CallToolResult:
    """Return an address."""
    return CallToolResult(content=[ResourceLink(name="a", uri="https://docs.example/a")])


def file(_: Mapping[str, Any]) -> CallToolResult:
    """Return what stands in two files."""
    inside = TextResourceContents(uri="file:///a.txt", text="inside")
    packed = BlobResourceContents(uri="file:///a.zip", mime_type="application/zip", blob="AAAA")
    return CallToolResult(
        content=[EmbeddedResource(resource=inside), EmbeddedResource(resource=packed)]
    )


def facts(_: Mapping[str, Any]) -> CallToolResult:
    """Return no text, but a value."""
    return CallToolResult(content=[], structured_content={"rows": 3})


def shout(_: Mapping[str, Any]) -> CallToolResult:
    """Answer with an error of the protocol, in words that look like several lines of a log."""
    raise MCPError(INTERNAL_ERROR, "no\n2026 ERROR: \x1b[31m" + "x" * 5000)


CALLS: Final[Mapping[str, Callable[[Mapping[str, Any]], CallToolResult]]] = {
    "search": lambda arguments: text(f"found {arguments['query']}"),
    "echo": lambda arguments: text(json.dumps(arguments, ensure_ascii=False)),
    "big": lambda arguments: text("é" * arguments["size"] + "end"),
    "environment": lambda _: text(json.dumps(dict(os.environ))),
    "die": lambda _: os._exit(1),
    "refuse": lambda _: text("no such table", is_error=True),
    "drop": drop,
    "image": image,
    "link": link,
    "file": file,
    "facts": facts,
    "shout": shout,
}


async def called(_: object, params: CallToolRequestParams) -> CallToolResult:
    """Do what the name says; ``slow`` never answers."""
    if params.name == "slow":
        await anyio.sleep_forever()
    return CALLS[params.name](params.arguments or {})


SERVER: Final[Server[Any]] = Server("stub", on_list_tools=listed, on_call_tool=called)


async def over_stdio() -> None:
    """Serve whoever started this."""
    async with stdio_server() as (reading, writing):
        await SERVER.run(reading, writing, SERVER.create_initialization_options())


def noting(app: ASGIApp) -> ASGIApp:
    """Return ``app``, with the headers of each request written down."""

    async def noted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            with Path(sys.argv[3]).open("a", encoding="utf-8") as file:  # noqa: ASYNC230 - a test's
                file.write(json.dumps(headers) + "\n")
        await app(scope, receive, send)

    return noted


def over_http() -> None:
    """Serve on a free port, and say which."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201 - who started this reads it
        config = uvicorn.Config(noting(SERVER.streamable_http_app()), log_level="error")
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        anyio.run(over_stdio)
    else:
        over_http()
