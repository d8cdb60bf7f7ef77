"""Follows a session's first turn by reading its log."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from planmode import queries
from planmode.core import events as ev
from planmode.core.failures import Halt, in_words
from planmode.core.outcomes import Outcome
from planmode.core.state import EMPTY, SessionState, apply
from planmode.core.waiting import Awaited, Waiting, waiting
from planmode.signals import Logged
from reviews.management.narration import argument, narrated, one_line, printable, tokens
from reviews.management.screens import Screen

POLL_S: Final = 0.25
ALIVE_WITHIN: Final = timedelta(seconds=6)
"""A worker that was seen within this time counts as being there (it beats every 2 s)."""

NEEDS_SOMEBODY: Final = 6
_STATUS_OF_STOP: Final[Mapping[str, int]] = {
    Outcome.REJECTED: 3,
    Outcome.REJECTED_AND_EXITED: 4,
    **dict.fromkeys(Halt, NEEDS_SOMEBODY),
}
_FAILED: Final = 5
_PAGES: Final[Mapping[Awaited, str]] = {
    Awaited.REVIEW: "reviews",
    Awaited.QUESTION: "questions",
    Awaited.APPROVAL: "approvals",
    Awaited.AGENT: "sessions",
}


@dataclass(frozen=True, slots=True)
class Watch:
    """How to look at a session.

    ``address`` is the pages' URL without a slash at its end, for as long as no server tells its
    own; after ``patience_s`` seconds without a worker the hint comes. ``clock`` counts seconds,
    ``wait`` lets some pass.
    """

    address: str
    patience_s: float = 5.0
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep

    def page(self, path: str) -> str:
        """Return the URL of the page at ``path`` on the server that is at work now."""
        return f"{queries.serving_address(ALIVE_WITHIN) or self.address}{path}"


def exit_status(ended: ev.TurnEnded) -> int:
    """Return what the command ends with.

    0 done, 3 and 4 rejected, 5 failed or cancelled, 6 stopped with its work unfinished.
    """
    match ended.state:
        case ev.TurnState.FAILED | ev.TurnState.CANCELLED:
            return _FAILED
        case ev.TurnState.STOPPED:
            return _STATUS_OF_STOP.get(ended.reason, 0)
        case _:
            return 0


class Follower:
    """Tells on a screen what the session's first turn does, until it ends."""

    def __init__(self, session_id: UUID, screen: Screen, watch: Watch) -> None:
        """Follow from the log's first event on."""
        self._id = session_id
        self._screen = screen
        self._watch = watch
        self._began = watch.clock()
        self._state = EMPTY
        self._seq = 0
        self._now = "waits for a worker"
        self._waits_for = ""
        self._unseen_since: float | None = None
        self._hinted = False

    def follow(self) -> ev.TurnEnded:
        """Return how the turn ended, once it did; Ctrl-C passes through."""
        try:
            while True:
                for logged in self._news():
                    if ended := self._take(logged):
                        self._sum_up(ended)
                        return ended
                self._tell_wait()
                self._look_for_server()
                self._screen.show(self._status())
                self._watch.wait(POLL_S)
        finally:
            self._screen.close()

    def _news(self) -> list[Logged]:
        return queries.events(self._id, after=self._seq)

    def _take(self, logged: Logged) -> ev.TurnEnded | None:
        event, before = logged.event, self._state
        for line in narrated(event, before, _name):
            self._say(line)
        self._state = apply(before, event, seq=logged.seq)
        self._seq = logged.seq
        self._now = _activity(event, self._state) or self._now
        return event if isinstance(event, ev.TurnEnded) else None

    def _tell_wait(self) -> None:
        """Say once for each card what the turn waits for, and where to answer."""
        found = waiting(self._state)
        if found is not None and found.card != self._waits_for:
            self._now = _what_for(found, self._state)
            where = self._watch.page(f"/{_PAGES[found.awaited]}/{found.card}")
            self._say(f"{self._now}: {where}")
        self._waits_for = found.card if found else ""

    def _look_for_server(self) -> None:
        now = self._watch.clock()
        if queries.workers_seen(ALIVE_WITHIN):
            self._unseen_since, self._hinted = None, False
        elif self._unseen_since is None:
            self._unseen_since = now
        elif not self._hinted and now - self._unseen_since >= self._watch.patience_s:
            self._hinted = True
            self._say("no server is at work; run: manage.py serve")

    def _sum_up(self, ended: ev.TurnEnded) -> None:
        why = ": ".join(part for part in (in_words(ended.reason), one_line(ended.detail)) if part)
        told = f" ({why})" if why else ""
        state = self._state
        self._say(f"{ended.state}{told} after {_steps(state.turn.steps)}, {tokens(state)}")

    def _status(self) -> str:
        step = f"step {self._state.turn.steps}"
        return " · ".join((step, self._now, tokens(self._state), self._elapsed()))

    def _say(self, line: str) -> None:
        self._screen.say(f"[{self._elapsed()}] {line}")

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(self._watch.clock() - self._began), 60)
        return f"{minutes}:{seconds:02}"


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _activity(event: ev.Event, state: SessionState) -> str:
    """Return what goes on from ``event`` on; empty when that does not change it."""
    match event:
        case ev.StepStarted():
            return "asks the model"
        case ev.ToolStarted(call_id=call_id, name=name):
            return f"{printable(name)} {argument(state, call_id)}".rstrip()
        case ev.ModelFailed(retry_in_ms=int()):
            return "waits to ask the model again"
        case ev.ToolFinished() | ev.PlanResolved() | ev.ApprovalResolved() | ev.QuestionAnswered():
            return "goes on"
        case _:
            return ""


def _what_for(found: Waiting, state: SessionState) -> str:
    match found.awaited:
        case Awaited.REVIEW:
            version = state.plan.revision_count.get(state.plan.plan_id or "", 0)
            return f"waits for a decision on revision {version}"
        case Awaited.AGENT:
            return "waits for the agent that it started"
        case Awaited.QUESTION:
            return "waits for an answer"
        case Awaited.APPROVAL:
            return f"waits for a person to allow {printable(found.pending.call.name)}"


def _name(user_id: int | None) -> str:
    """Return who that is; nobody is the program itself."""
    if user_id is None:
        return "the program"
    name = User.objects.filter(pk=user_id).values_list("username", flat=True).first()
    return printable(name or f"user {user_id}")
