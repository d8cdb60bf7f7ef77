"""Shows the servers of outside tools: manage.py mcp_servers."""

import json
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser

from planmode.agent.outside import pins, toolbox
from planmode.agent.outside.door import OutsideError
from planmode.agent.outside.loop import loop
from planmode.agent.outside.offers import (
    Listing,
    Offer,
    Standing,
    full_name,
    is_read_only,
    standing,
)
from planmode.agent.outside.servers import Program, Server, ServersInvalidError, configured

_BAD_USAGE = 2


class Command(BaseCommand):
    """``manage.py mcp_servers``: asks each server of MCP_SERVERS_FILE what it offers now."""

    help = (
        "Show the servers of outside tools, what they offer, and which of it counts as read-only. "
        "Ends with status 1 when a server can't be asked, or a tool is not what was pinned."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument(
            "--pin",
            metavar="SERVER",
            help="print the hashes of its read-only tools as they are now, for the file",
        )
        parser.add_argument("--write", action="store_true", help="put them into the file, too")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002 - Django's signature
        """Show the servers, or pin the tools of one."""
        _check_usage(options["pin"], write=options["write"])
        try:
            servers = {server.name: server for server in configured()}
            door = toolbox.open_door(errors=None)
        except (ServersInvalidError, OutsideError) as error:
            raise CommandError(str(error), returncode=_BAD_USAGE) from None
        asked = {
            name: loop().start(toolbox.asked(server, door))
            for name, server in servers.items()
            if options["pin"] in {None, name}
        }
        if options["pin"] is not None:
            self._pin(options["pin"], asked, write=options["write"])
        else:
            self._show(servers, asked)

    def _pin(self, name: str, asked: dict[str, Future[Listing]], *, write: bool) -> None:
        if name not in asked:
            raise CommandError(f"the file has no server {name!r}", returncode=_BAD_USAGE)
        try:
            tools = pins.pins(asked[name].result().offers)
            if write:
                pins.write(Path(settings.MCP_SERVERS_FILE), name, tools)
        except (OutsideError, ServersInvalidError) as error:
            raise CommandError(f"{name}: {error}") from None
        self.stdout.write(json.dumps({"tools": tools}, indent=2))
        if write:
            self.stderr.write(f"Pinned {len(tools)} tools of {name} in the file.")

    def _show(self, servers: dict[str, Server], asked: dict[str, Future[Listing]]) -> None:
        if not servers:
            self.stdout.write("No servers: MCP_SERVERS_FILE names no file, or an empty list.")
        sound = True
        for name, server in servers.items():
            self.stdout.write(_headline(server))
            try:
                listing = asked[name].result()
            except OutsideError as error:
                self.stdout.write(f"  no tools: {error}")
                sound = False
                continue
            for line in _lines(server, listing):
                self.stdout.write(f"  {line}")
            sound = sound and not any(_changed(server, offer) for offer in listing.offers)
        if not sound:
            raise CommandError("A server can't be asked, or a tool is not what was pinned.")


def _check_usage(pin: str | None, *, write: bool) -> None:
    if write and pin is None:
        raise CommandError("--write needs --pin SERVER", returncode=_BAD_USAGE)
    if pin is not None and not settings.MCP_SERVERS_FILE:
        raise CommandError("nothing to pin: MCP_SERVERS_FILE names no file", returncode=_BAD_USAGE)


def _headline(server: Server) -> str:
    way = server.way
    # An address may hold a key; arguments may, too.
    reached = way.argv[0] if isinstance(way, Program) else "an address"
    return f"{server.name}: {'trusted' if server.trusted else 'not trusted'}, by {reached}"


def _lines(server: Server, listing: Listing) -> Iterator[str]:
    names = [full_name(server.name, offer.name) for offer in listing.offers]
    width = max(map(len, names), default=0)
    for name, offer in zip(names, listing.offers, strict=True):
        hint = "says read-only" if offer.says_read_only else "says nothing"
        counts = "counts as read-only" if is_read_only(server, offer) else "may change something"
        yield f"{name:<{width}}  {hint:<14}  {standing(server, offer):<8}  {counts}"
    for reason in listing.refused:
        yield f"left out {reason}"
    for name in sorted(set(server.pins) - {offer.name for offer in listing.offers}):
        yield f"pinned, but not offered: {name}"


def _changed(server: Server, offer: Offer) -> bool:
    return standing(server, offer) is Standing.CHANGED
