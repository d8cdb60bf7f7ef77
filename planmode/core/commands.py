"""What an operator types: a message, or a command with a slash."""

import re
from dataclasses import dataclass
from typing import Final

from planmode.core.errors import CommandInvalidError
from planmode.core.permission import PermissionMode

COMMANDS: Final = ("/plan", "/plan TEXT", "/plan off", "/plan clear", "/mode NAME")
"""Each form of a command, as a refusal and a page list them."""

_COMMAND: Final = re.compile(r"/([A-Za-z][A-Za-z_-]*)(?:\s(.*))?\Z", re.DOTALL)
"""Whatever looks like one: `/Plan` is a slip, `/etc/hosts` and `/2` are text."""
_ESCAPED: Final = re.compile(r"//+[A-Za-z][A-Za-z_-]*(?:\s|\Z)")
_LONGEST_SHOWN: Final = 40
_SWITCHES: Final = ("on", "off", "clear")


@dataclass(frozen=True, slots=True)
class Say:
    """A message to the agent; ``text`` is ``""`` where only attachments speak."""

    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Enter plan mode, then send ``text`` when there is any."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class PlanOff:
    """Leave plan mode without a decision; nothing is sent to the agent."""


@dataclass(frozen=True, slots=True)
class PlanClear:
    """Empty the working plan; nothing is sent to the agent."""


@dataclass(frozen=True, slots=True)
class Mode:
    """Choose the permission mode ``name``; nothing is sent to the agent."""

    name: PermissionMode


Command = Say | Plan | PlanOff | PlanClear | Mode


def parse(text: str, *, attachments: int = 0) -> Command:
    """Return what ``text`` asks for, sent with so many ``attachments``.

    A message stays as it was typed, ``//word`` alone loses one slash. Attachments go with a
    message or with ``/plan``, before its text.

    Raises:
        CommandInvalidError: the command or its mode is unknown, or can't take attachments.
            Nothing has happened then, so the caller keeps text and attachments as a draft.
    """
    found = _COMMAND.match(text)
    if found is None:
        return Say(_said(text))
    command = _command(found[1], (found[2] or "").strip())
    if attachments and not isinstance(command, Plan):
        raise CommandInvalidError(
            f"{_short(text.strip())} sends nothing to the agent, so it takes no attachments; "
            "remove them, or send them first"
        )
    return command


def opening(text: str) -> Say | Plan:
    """Return what a session begins with whose prompt a person typed as ``text``.

    Raises:
        CommandInvalidError: it is a command for a session that has begun, or none at all.
    """
    command = parse(text)
    if isinstance(command, Say | Plan):
        return command
    raise CommandInvalidError(
        f"{_short(text.strip())} is for a session that has begun: type it on its page, or give it "
        "to manage.py say. To send it as text, put a blank or a second slash before it"
    )


def _command(word: str, argument: str) -> Command:
    match word:
        case "plan":
            return _plan(argument)
        case "mode":
            return Mode(_mode(argument))
        case _:
            raise CommandInvalidError(
                f"there is no command /{_short(word)}; there are {', '.join(COMMANDS)}. "
                "To send it as text, put a blank or a second slash before it"
            )


def _said(text: str) -> str:
    if _ESCAPED.match(text):
        return text[1:]
    return text if text.strip() else ""


def _plan(argument: str) -> Plan | PlanOff | PlanClear:
    """Only a word that stands alone is a switch: `off now` is said to the agent.

    `OFF` alone is a slip, as `/Plan` is: nobody wants a plan that is called so.
    """
    match argument:
        case "off":
            return PlanOff()
        case "clear":
            return PlanClear()
        case "on":
            return Plan()
        case _ if argument.lower() in _SWITCHES:
            small = f"/plan {argument.lower()}"
            raise CommandInvalidError(f"/plan {argument} is no command: write {small}")
        case _:
            return Plan(argument)


def _mode(argument: str) -> PermissionMode:
    try:
        return PermissionMode(argument.lower().replace("-", "_"))
    except ValueError:
        given = f"{_short(argument)!r} is no permission mode" if argument else "name a mode"
        raise CommandInvalidError(f"{given}: /mode takes {', '.join(PermissionMode)}") from None


def _short(text: str) -> str:
    return text[: _LONGEST_SHOWN - 1] + "…" if len(text) > _LONGEST_SHOWN else text
