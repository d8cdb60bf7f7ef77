"""What happens in whole sessions, as the tests of behaviour say it."""

from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import User

from planmode import services
from planmode.agent.request import build_request
from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core.presets import resolve
from planmode.core.view import ToolMessage, UserMessage
from planmode.store import eventlog
from planmode.store.confined import ConfinedFolder
from tests import desk
from tests.factories import Play, call

WRITES: Final = {"tool_calls": [call("Write", path="other.py", content="x = 1\n")]}
EDITS: Final = {
    "tool_calls": [call("Edit", path="parser.py", old_string="value = 1", new_string="value = 2")]
}
ASKS: Final = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]}
LISTS: Final = {"tool_calls": [call("TodoList", items=[])]}


def done(times: int = 20) -> dict[str, Any]:
    """Return a reply without calls; a planning turn takes two, since it is reminded once."""
    return {"text": "Done.", "repeat": times}


def say(session: Play, by: User, text: str = "go on") -> Play:
    """Say something and let the agent work on it."""
    services.post_message(session.id, text, author=by)
    return session.work()


def enter(session: Play, by: User) -> None:
    """Turn plan mode on by hand."""
    services.choose_plan_mode(session.id, active=True, by=by)


def leave(session: Play, by: User) -> None:
    """Turn plan mode off by hand, without a decision."""
    services.choose_plan_mode(session.id, active=False, by=by)


def compact(session: Play) -> None:
    """Let a summary stand for all that was said, in the middle of a turn, too."""
    with eventlog.writing(session.id) as log:
        log.add(ev.ContextCompacted("So far: some work."))


def told(session: Play) -> list[str]:
    """Return which texts of plan mode the agent was given, the oldest first."""
    reminders = desk.every(session, ev.ReminderInjected)
    return [str(event.kind) for event in reminders if event.variant is ev.Variant.PLAN_MODE]


def heard(session: Play) -> str:
    """Return all that the next request says to the model, without its own words."""
    folder = ConfinedFolder(session.workspace)
    state = session.state
    request = build_request(session.id, state, Reach(folder, None, None), resolve(state.preset))
    texts = [item.text for item in request.messages if isinstance(item, UserMessage | ToolMessage)]
    return "\n".join(texts)


def files(folder: Path) -> dict[str, bytes]:
    """Return all files below ``folder`` with their bytes."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
