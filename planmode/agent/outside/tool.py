"""One tool of an outside server, in the form of our own."""

import json
import re
from collections.abc import Mapping
from concurrent.futures import Future, wait
from threading import Event
from time import monotonic
from typing import Any, Final

from pydantic import ConfigDict

from planmode.agent.contracts import Arguments, ToolContext, ToolResult, ToolSpec, summarized
from planmode.agent.outside.door import Answer, Door, OutsideError, ToolChangedError
from planmode.agent.outside.loop import loop
from planmode.agent.outside.offers import Offer, full_name, is_read_only
from planmode.agent.outside.servers import Server, ServersInvalidError, configured
from planmode.core.guard import CallFacts
from planmode.core.wire import clean
from prompts.rendering import escaped, framed, render
from prompts.unseen import UNSEEN

MOST_OUTPUT: Final = 64 * 1024
"""Bytes of an answer that the model is shown."""
MOST_DESCRIPTION: Final = 4000
"""Characters of a description that the model is shown."""
GRACE_S: Final = 10.0
"""Seconds beyond a server's time after which even its connection is given up."""
_POLL_S: Final = 0.1
_UNSEEN: Final = re.compile(f"[{UNSEEN}]")
_TOLD: Final = ("description", "title")


class OutsideArguments(Arguments):
    """Whatever the server takes: it checks that itself.

    Here its schema's patterns could keep this process busy for ever.
    """

    model_config = ConfigDict(extra="allow")


class OutsideTool:
    """A tool that runs elsewhere; no sandbox holds it.

    Whether it changes something is asked of the file of servers at each call, whether it still is
    what it was at each connection.
    """

    arguments = OutsideArguments

    def __init__(self, server: Server, offer: Offer, door: Door) -> None:
        """Keep what it is; ``server`` as it was when it was asked for its tools."""
        self.name = full_name(server.name, offer.name)
        self.repeatable = is_read_only(server, offer)
        self._server = server.name
        self._offer = offer
        self._door = door

    def spec(self) -> ToolSpec:
        """Return how the model is told of it: the words of the server, marked as such."""
        told = _UNSEEN.sub("", clean(self._offer.description))[:MOST_DESCRIPTION]
        description = framed(told or "(nothing)", self._source)
        text = render("tools/outside", server=self._server, description=description)
        return ToolSpec(self.name, text, _safe(self._offer.schema))

    def facts(self, args: OutsideArguments, context: ToolContext) -> CallFacts:  # noqa: ARG002
        """Return whether it counts as read-only, by the file as it is now."""
        server = self._found()
        return CallFacts(
            self.name, read_only=server is not None and is_read_only(server, self._offer)
        )

    def summary(self, args: OutsideArguments) -> str:
        """Return what is called where, with what."""
        given = json.dumps(args.model_extra or {}, ensure_ascii=False)
        seen = _UNSEEN.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", given)
        line = f"Call {self._offer.name} of the outside server {self._server} with {seen}"
        return summarized(" ".join(line.split()), size=len(given))

    def run(self, args: OutsideArguments, context: ToolContext) -> ToolResult:
        """Pass the call on; whatever the server does, this ends in its time."""
        server = self._found()
        if server is None:
            return ToolResult(render("results/outside_gone", tool=self.name), is_error=True)
        try:
            answer = self._answer(server, args.model_extra or {}, context.sandbox.abandoned)
        except ToolChangedError:
            return ToolResult(render("results/outside_changed", tool=self.name), is_error=True)
        except OutsideError as error:
            problem = clean(str(error))
            text = render("results/tool_failed", tool=self.name, problem=problem)
            return ToolResult(text, is_error=True)
        return ToolResult(_shortened(answer.text), answer.is_error, source=self._source)

    @property
    def _source(self) -> str:
        return f"outside server {self._server}"

    def _found(self) -> Server | None:
        """Return the server as the file has it now; a file that can't be used has none."""
        try:
            servers = configured()
        except ServersInvalidError:
            return None
        return next((server for server in servers if server.name == self._server), None)

    def _answer(self, server: Server, arguments: Mapping[str, Any], abandoned: Event) -> Answer:
        running = loop().start(self._door.called(server, self._offer, arguments))
        return _awaited(running, monotonic() + server.timeout_s + GRACE_S, abandoned)


def _awaited(running: Future[Answer], deadline: float, abandoned: Event) -> Answer:
    """Return what is answered until ``deadline`` (monotonic seconds).

    Raises:
        OutsideError: nothing is, or nobody wants to hear it any more.
    """
    while monotonic() < deadline and not abandoned.is_set():
        if wait([running], _POLL_S).done:
            return running.result()
    running.cancel()
    raise OutsideError("it was given up")


def _shortened(text: str) -> str:
    """Return the beginning and the end of ``text``, 64 KiB together at most."""
    content = text.encode("utf-8", "replace")
    if len(content) <= MOST_OUTPUT:
        return clean(text)
    note = f"\n[… {len(content) - MOST_OUTPUT} bytes left out …]\n"
    half = (MOST_OUTPUT - 2 * len(note.encode())) // 2
    head, tail = content[:half].decode("utf-8", "ignore"), content[-half:].decode("utf-8", "ignore")
    return clean(f"{head}{note}{tail}")


def _safe(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with nothing in its words that reads like one of our frames."""
    return {key: _safe_part(key, value) for key, value in schema.items()}


def _safe_part(key: str, value: object) -> object:
    match value:
        case str():
            return escaped(_UNSEEN.sub("", clean(value))) if key in _TOLD else value
        case dict():
            return _safe(value)
        case list():
            return [_safe_part("", item) for item in value]
        case _:
            return value
