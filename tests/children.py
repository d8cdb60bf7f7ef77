"""Plays in which an agent starts others."""

from typing import Any, Final, TypeAlias

import yaml
from django.conf import settings
from django.contrib.auth.models import User

from planmode.core import events as ev
from planmode.store import eventlog
from tests.factories import STOPS_EARLY, Play, call, play

Reply: TypeAlias = dict[str, Any]

EXPLORES: Final[Reply] = call("Agent", profile="explore", task="Where is value set?")
PLANS: Final[Reply] = call("Agent", profile="plan", task="How should the parser be split?")
TASKS: Final = {"explore": EXPLORES, "plan": PLANS}
FOUND: Final[Reply] = {"text": "It is set in parser.py, line 1."}


def spawns(owner: User, child: list[Reply], **fields: Any) -> Play:  # noqa: ANN401 - of the session
    """Return a session, planning as a rule, whose agent has just given an explorer its task."""
    replies: list[Reply] = [{"tool_calls": [EXPLORES]}, STOPS_EARLY]
    return play(owner, replies, {"explore": child}, **fields).work()


def give(session: Play, reply: Reply) -> None:
    """Let ``reply`` be the next one of the session's model, which has given one."""
    name = eventlog.last(session.id, ev.SessionStarted).model.removeprefix("scripted:")
    script = settings.SCRIPTS_DIR / name
    written = yaml.safe_load(script.read_text("utf-8"))
    written["replies"].insert(1, reply)
    script.write_text(yaml.safe_dump(written), "utf-8")


def again(session: Play, profile: str = "explore") -> Reply:
    """Return a reply that gives a second task to the child of ``session``."""
    more = call("Agent", profile=profile, task="And who reads it?", agent=str(session.child.id))
    return {"tool_calls": [more]}
