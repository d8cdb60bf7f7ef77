"""What a server says of its tools, and what of it is taken."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import rfc8785

from planmode.agent.outside.servers import Server

LONGEST_NAME: Final = 64
"""Characters of a tool's full name; no provider takes more."""
LARGEST_SCHEMA: Final = 32 * 1024
"""Bytes of one tool's schema as compact JSON, all of which every request carries."""
MOST_TOOLS: Final = 128
"""Tools of one server."""
DEEPEST: Final = 32

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Described:
    """A tool exactly as its server describes it."""

    name: str
    description: str | None
    schema: Mapping[str, Any]
    annotations: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that can be used; ``sha256`` is the fingerprint of its description.

    ``says_read_only`` is the server's own word, which counts for nothing by itself.
    """

    name: str
    description: str
    schema: Mapping[str, Any] = field(repr=False)
    says_read_only: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server offers, by name, and why the rest of its tools is left out."""

    offers: tuple[Offer, ...] = ()
    refused: tuple[str, ...] = ()


class Standing(StrEnum):
    """How a tool stands to the hash that the file holds for it."""

    PINNED = "pinned"
    CHANGED = "changed"
    UNPINNED = "unpinned"


def standing(server: Server, offer: Offer) -> Standing:
    """Return whether the tool is still the one that somebody has checked."""
    pin = server.pins.get(offer.name)
    if pin is None:
        return Standing.UNPINNED
    return Standing.PINNED if pin == offer.sha256 else Standing.CHANGED


def is_read_only(server: Server, offer: Offer) -> bool:
    """Return whether the tool counts as one that changes nothing.

    Three have to agree: the server says so, the installation trusts it, and the tool is the very
    one whose description was checked.
    """
    return server.trusted and offer.says_read_only and standing(server, offer) is Standing.PINNED


def full_name(server: str, tool: str) -> str:
    """Return the name by which the model knows the tool of that server."""
    return f"mcp__{server}__{tool}"


def fingerprint(described: Described) -> str:
    """Return the SHA-256 (lower-case hex) of what the server says of the tool.

    Of the canonical JSON (RFC 8785) of name, description, inputSchema and annotations; what is
    not there is null.

    Raises:
        ValueError: it holds what canonical JSON can't, such as a number beyond 2^53.
    """
    told = {
        "name": described.name,
        "description": described.description,
        "inputSchema": described.schema,
        "annotations": described.annotations,
    }
    try:
        return hashlib.sha256(rfc8785.dumps(told)).hexdigest()
    except RecursionError:
        raise ValueError("nests too deep") from None


def taken(server: str, described: Iterable[Described]) -> Listing:
    """Return which of the tools of ``server`` can be offered to a model, by name."""
    every = sorted(described, key=lambda tool: tool.name)
    often = Counter(tool.name for tool in every)
    offers: list[Offer] = []
    refused: list[str] = []
    for tool in every:
        why = "more than one has this name" if often[tool.name] > 1 else _fault(server, tool)
        if not why and len(offers) == MOST_TOOLS:
            why = f"the server has more than {MOST_TOOLS} tools"
        if why:
            refused.append(f"{tool.name[:LONGEST_NAME]!a}: {why}")
        else:
            offers.append(_offer(tool))
    return Listing(tuple(offers), tuple(refused))


def _offer(tool: Described) -> Offer:
    hint = (tool.annotations or {}).get("readOnlyHint")
    return Offer(
        tool.name,
        tool.description or "",
        tool.schema,
        says_read_only=hint is True,
        sha256=fingerprint(tool),
    )


def _fault(server: str, tool: Described) -> str:
    """Return why the tool is left out, or nothing."""
    if not _NAME.fullmatch(tool.name):
        return "its name has characters that no provider takes"
    if len(full_name(server, tool.name)) > LONGEST_NAME:
        return f"its full name is longer than {LONGEST_NAME} characters"
    if tool.schema.get("type") != "object":
        return "its arguments are no object"
    return _schema_fault(tool)


def _schema_fault(tool: Described) -> str:
    if _depth(tool.schema) > DEEPEST:
        return "its schema nests too deep"
    if len(json.dumps(tool.schema, separators=(",", ":"))) > LARGEST_SCHEMA:
        return f"its schema is larger than {LARGEST_SCHEMA} bytes"
    try:
        fingerprint(tool)
    except ValueError as error:
        return f"its description has no canonical form: {error}"
    return ""


def _depth(value: object) -> int:
    """Return how deep ``value`` nests, at most one more than may be."""
    level: list[object] = [value]
    depth = 0
    while level and depth <= DEEPEST:
        depth += 1
        level = [item for part in level for item in _inside(part)]
    return depth


def _inside(value: object) -> Iterable[object]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
        case _:
            return ()
