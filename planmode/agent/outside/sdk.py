"""The one place that speaks the protocol, through the official SDK."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CONNECTION_CLOSED,
    AudioContent,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    Implementation,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)

from planmode.agent.outside import http, stdio
from planmode.agent.outside.door import Answer, OutsideError, ToolChangedError
from planmode.agent.outside.offers import Described, Offer, fingerprint
from planmode.agent.outside.servers import Address, Program, Server, Value, VariableMissingError

PASSED: Final = ("PATH", "HOME", "LANG")
"""Variables of this process that a started server sees, besides those of the file."""
MOST_PAGES: Final = 20
MOST_DESCRIBED: Final = 1000
_LONGEST_REASON: Final = 500
_TELLING: Final = (OutsideError, VariableMissingError, TimeoutError, httpx2.HTTPError, MCPError)
"""Of the errors of one connection, the first of these is the reason for the others."""
_SELF: Final = Implementation(name="planmode", version="0.1.0")


class SdkDoor:
    """Makes a new connection for each thing that is asked.

    So no server stays in the state that an earlier agent left it in, and one that has died, hangs
    or floods is gone with the call that met it. ``errors`` is where the standard error of started
    servers goes, as for Popen.
    """

    def __init__(self, errors: int | None = subprocess.DEVNULL) -> None:
        self._errors = errors

    async def described(self, server: Server) -> tuple[Described, ...]:
        """Return the tools of ``server`` as it describes them.

        Raises:
            OutsideError: it can't be reached, breaks the protocol, or takes longer than its time.
        """
        async with self._bounded(server) as client:
            return await _described(client)

    async def called(self, server: Server, offer: Offer, arguments: Mapping[str, Any]) -> Answer:
        """Return what the tool answers, if it still is the one that was offered.

        Raises:
            ToolChangedError: it is not; it was not called.
            OutsideError: as above; the tool may have done a part of its work.
        """
        async with self._bounded(server) as client:
            _check(offer, await _described(client))
            return await _called(client, offer.name, arguments)

    @asynccontextmanager
    async def _bounded(self, server: Server) -> AsyncIterator[Client]:
        """Give a connection that lasts no longer than the server's time.

        Raises:
            OutsideError: whatever went wrong, in words.
        """
        try:
            with anyio.fail_after(server.timeout_s):
                async with self._connected(server) as client:
                    yield client
        except Exception as error:  # noqa: BLE001 - an odd server breaks the SDK in any way
            raise _told(error, server) from None

    @asynccontextmanager
    async def _connected(self, server: Server) -> AsyncIterator[Client]:
        async with AsyncExitStack() as stack:
            transport = await self._transport(server, stack)
            yield await stack.enter_async_context(Client(transport, cache=None, client_info=_SELF))

    async def _transport(self, server: Server, stack: AsyncExitStack) -> Transport:
        match server.way:
            case Program(argv=argv, env=env):
                passed = {name: os.environ[name] for name in PASSED if name in os.environ}
                return stdio.started(stdio.Start(argv, passed | _resolved(env), self._errors))
            case Address(url=url, headers=headers):
                client = http.client(_resolved(headers), server.timeout_s)
                await stack.enter_async_context(client)
                return streamable_http_client(
                    url, http_client=client, max_sse_event_size=stdio.LARGEST_MESSAGE
                )


def _resolved(values: Mapping[str, Value]) -> dict[str, str]:
    return {name: value.resolved() for name, value in values.items()}


async def _described(client: Client) -> tuple[Described, ...]:
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if len(tools) > MOST_DESCRIBED:
            break
        if cursor is None:
            return tuple(_as_described(tool) for tool in tools)
    raise OutsideError(f"its list of tools has no end after {len(tools)}")


def _as_described(tool: Tool) -> Described:
    notes = tool.annotations
    return Described(
        tool.name,
        tool.description,
        tool.input_schema,
        None if notes is None else notes.model_dump(mode="json", by_alias=True, exclude_none=True),
    )


def _check(offer: Offer, described: Iterable[Described]) -> None:
    """Raise when the server has another tool by now, under the name that was judged."""
    now = [tool for tool in described if tool.name == offer.name]
    try:
        same = [fingerprint(tool) for tool in now] == [offer.sha256]
    except ValueError:
        same = False
    if not same:
        raise ToolChangedError("its server describes it differently now, or has it no more")


async def _called(client: Client, name: str, arguments: Mapping[str, Any]) -> Answer:
    """Call without the SDK's check of the answer.

    That one runs patterns of the server's choosing, which could keep this process busy for ever.
    """
    params = CallToolRequestParams(name=name, arguments=dict(arguments))
    result = await client.session.send_request(CallToolRequest(params=params), CallToolResult)
    return Answer("\n".join(_parts(result)), is_error=result.is_error)


def _parts(result: CallToolResult) -> Iterator[str]:
    if not result.content and result.structured_content is not None:
        yield result.model_dump_json(include={"structured_content"}, by_alias=True)
    for block in result.content:
        yield _text(block)


def _text(block: ContentBlock) -> str:
    match block:
        case TextContent(text=text):
            return text
        case ImageContent(mime_type=kind) | AudioContent(mime_type=kind):
            return f"({kind}: not shown)"
        case ResourceLink(uri=uri):
            return f"(link: {uri})"
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case EmbeddedResource(resource=resource):
            return f"({resource.mime_type or 'bytes'} of {resource.uri}: not shown)"


def _told(error: BaseException, server: Server) -> OutsideError:
    """Return ``error`` as one of ours; of a group the one that says most."""
    leaves = list(_leaves(error))
    for kind in _TELLING:
        for leaf in leaves:
            if isinstance(leaf, kind):
                return _worded(leaf, server)
    return OutsideError(f"it broke the protocol ({type(leaves[0]).__name__})")


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _worded(error: BaseException, server: Server) -> OutsideError:
    match error:
        case OutsideError():
            return error
        case VariableMissingError():
            text = f"{error}, which the file of servers names"
        case MCPError(code=code) if code == CONNECTION_CLOSED:
            text = "the server ended, or closed the connection"
        case MCPError(message=message):
            text = f"the server says: {_one_line(message)}"
        case TimeoutError() | httpx2.TimeoutException():
            text = f"it did not answer within {server.timeout_s} s"
        case _:
            text = f"it can't be reached ({type(error).__name__})"
    return OutsideError(text)


def _one_line(text: str) -> str:
    """Return the beginning of a server's words as a line of a log may hold them."""
    printable = "".join(char if char.isprintable() else " " for char in text[:_LONGEST_REASON])
    return " ".join(printable.split())
