"""The file that lists the servers of outside tools, read strictly."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit

from django.conf import settings
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    ValidationError,
    model_validator,
)

LARGEST_FILE: Final = 1024 * 1024
"""Bytes of the file; more is no list of servers."""
NEAR_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "::1"})

_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$")]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Header = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]+$")]
_Text = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]*$")]
_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ServersInvalidError(Exception):
    """The file can't be used: one line for each fault, which names the line or the key."""


class VariableMissingError(Exception):
    """A value comes from a variable of the environment that is not set."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that is given to a server: ``text``, or what the variable ``variable`` holds."""

    text: str = field(default="", repr=False)
    variable: str = ""

    def resolved(self) -> str:
        """Return the text.

        Raises:
            VariableMissingError: the variable is not set.
        """
        if not self.variable:
            return self.text
        try:
            return os.environ[self.variable]
        except KeyError:
            raise VariableMissingError(f"{self.variable} is not set") from None


@dataclass(frozen=True, slots=True)
class Program:
    """A server that is started for each connection, and spoken to by its standard streams."""

    argv: tuple[str, ...]
    env: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Address:
    """A server that runs somewhere, and is reached by streamable HTTP."""

    url: str = field(repr=False)  # some carry a key
    headers: Mapping[str, Value] = field(default_factory=dict)

    @property
    def exposed(self) -> bool:
        """Whether others on the way can read and change what is said."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in NEAR_HOSTS


@dataclass(frozen=True, slots=True)
class Server:
    """One server of the file; ``timeout_s`` bounds a whole call.

    ``pins`` holds the hash of each tool whose word *read-only* somebody has checked.
    """

    name: str
    way: Program | Address
    trusted: bool = False
    timeout_s: int = 60
    pins: Mapping[str, str] = field(default_factory=dict)

    def missing(self) -> tuple[str, ...]:
        """Return the variables of the environment that it needs and that are not set."""
        given = self.way.env if isinstance(self.way, Program) else self.way.headers
        wanted = {value.variable for value in given.values() if value.variable}
        return tuple(sorted(wanted - set(os.environ)))


def _value(raw: object) -> Value:
    if isinstance(raw, str) and "\0" not in raw:
        return Value(text=raw)
    variable = raw.get("from_env") if isinstance(raw, dict) and len(raw) == 1 else None
    if isinstance(variable, str) and variable:
        return Value(variable=variable)
    raise ValueError('must be a text, or {"from_env": NAME}')


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Pin(_Part):
    schema_sha256: _Sha256


class _Entry(_Part):
    command: _Text | None = None
    args: list[Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]] = []
    env: dict[_Variable, Annotated[Value, PlainValidator(_value)]] = {}
    url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]")] | None = None
    headers: dict[_Header, Annotated[Value, PlainValidator(_value)]] = {}
    trusted: bool = False
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 60
    tools: dict[str, _Pin] = {}

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) is (self.url is None):
            raise ValueError("needs either command or url")
        if self.command is None and (self.args or self.env):
            raise ValueError("args and env go with command, not with url")
        if self.url is None and self.headers:
            raise ValueError("headers go with url, not with command")
        return self

    def server(self, name: str) -> Server:
        way: Program | Address
        if self.command is not None:
            way = Program((self.command, *self.args), self.env)
        else:
            way = Address(self.url or "", self.headers)
        pins = {tool: pin.schema_sha256 for tool, pin in self.tools.items()}
        return Server(name, way, self.trusted, self.timeout_s, pins)


class _File(_Part):
    servers: dict[_Name, _Entry]


def configured() -> tuple[Server, ...]:
    """Return the servers of the file that the setting MCP_SERVERS_FILE names, by name; or none.

    Raises:
        ServersInvalidError: the file can't be used; none of its servers is.
    """
    path = settings.MCP_SERVERS_FILE
    return read_servers(Path(path)) if path else ()


def read_servers(path: Path) -> tuple[Server, ...]:
    """Return the servers that ``path`` lists, by name.

    Raises:
        ServersInvalidError: it can't be read, is no strict JSON, or holds what is not known here.
    """
    try:
        entries = _File.model_validate(read_json(path)).servers
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise _invalid(path, (_fault(item["loc"], item["msg"]) for item in found)) from None
    return tuple(entry.server(name) for name, entry in sorted(entries.items()))


def read_json(path: Path) -> dict[str, Any]:
    """Return the file's object as it stands.

    Raises:
        ServersInvalidError: it can't be read, or is no strict JSON object.
    """
    try:
        value = json.loads(_text(path), object_pairs_hook=_once, parse_constant=_no_number)
    except OSError as error:
        raise _invalid(path, [f"can't be read: {error.strerror}"]) from None
    except json.JSONDecodeError as error:
        raise _invalid(path, [f"line {error.lineno}: {error.msg}"]) from None
    except (ValueError, RecursionError) as error:
        raise _invalid(path, [str(error)]) from None
    if not isinstance(value, dict):
        raise _invalid(path, ["must be a JSON object"])
    return value


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(f"is larger than {LARGEST_FILE} bytes")
    return content.decode("utf-8")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ValueError(f"the key {key!r} occurs twice in one object")
        value[key] = item
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _fault(location: tuple[int | str, ...], message: str) -> str:
    reason = message.removeprefix("Value error, ")
    return f"/{'/'.join(map(str, location))}: {reason}"


def _invalid(path: Path, faults: Iterable[str]) -> ServersInvalidError:
    return ServersInvalidError("\n".join(f"{path}: {' '.join(fault.split())}" for fault in faults))
