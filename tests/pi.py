"""Sessions whose plan is a reply, as tests say it."""

from typing import Any, Final

from django.contrib.auth.models import User

from planmode.agent.contracts import ModelRequest
from planmode.agent.request import build_request
from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.view import UserMessage
from planmode.knobs import knobs
from planmode.store import eventlog
from planmode.store.confined import ConfinedFolder
from tests import desk
from tests.factories import Play, play

PLAN: Final = "I read the parser.\n\nPlan:\n\n1. Split parser.py in two.\n2. Test both halves.\n"
LONGER: Final = "Plan:\n\n1. Split parser.py in two.\n2. Test both.\n3. Say so in the docs.\n"
BOTH: Final = "Both are done. [DONE:1] [DONE:2]"
FIRST, SECOND = "Split parser.py in two.", "Test both halves."


def pi(owner: User, *replies: str | dict[str, Any], **fields: Any) -> Play:  # noqa: ANN401 - fields of NewSession
    """Start a session of preset pi whose model says or does ``replies``."""
    said = [{"text": reply} if isinstance(reply, str) else reply for reply in replies]
    return play(owner, said, preset="pi", **fields)


def approved(operator: User, reviewer: User, *replies: str | dict[str, Any]) -> Play:
    """Return a session whose plan was approved, before the agent knows it."""
    session = pi(operator, PLAN, *replies).work()
    desk.approve(session, reviewer)
    return session


def steps(*claimed: int) -> tuple[PlanStep, ...]:
    """Return the plan's steps, with those numbers claimed."""
    status = {True: PlanStepStatus.CLAIMED, False: PlanStepStatus.OPEN}
    return tuple(
        PlanStep(number, text, status[number in claimed])
        for number, text in enumerate((FIRST, SECOND), 1)
    )


def sent(session: Play) -> ModelRequest:
    """Return what the session's model would be sent now."""
    reach = Reach(ConfinedFolder(session.workspace), None, None)
    return build_request(session.id, session.state, reach, knobs("pi"))


def offered(session: Play) -> set[str]:
    """Return the names of the tools that the model would be told of now."""
    return {tool.name for tool in sent(session).tools}


def told(session: Play) -> list[str]:
    """Return what the model is told by the program, oldest first."""
    return [
        message.text
        for message in sent(session).messages
        if isinstance(message, UserMessage) and message.origin is ev.Origin.INJECTION
    ]


def reminders(session: Play, variant: ev.Variant) -> list[ev.ReminderInjected]:
    """Return the reminders of one kind, oldest first."""
    return [item for item in desk.every(session, ev.ReminderInjected) if item.variant is variant]


def write(session: Play, *events: ev.Event) -> None:
    """Let ``events`` happen, as verbs of people would write them."""
    with eventlog.writing(session.id) as log:
        log.add(*events)
