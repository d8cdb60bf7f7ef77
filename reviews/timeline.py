"""A session's events as the lines of its timeline."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.signals import Logged
from reviews.core.cuts import Cuts

LONGEST_GIST: Final = 80
LONGEST_PATH: Final = 48
LONGEST_TEXT: Final = 4000
"""Characters of a text that the timeline shows; a line's own page shows all."""
_TELLING: Final = ("command", "pattern", "path", "text")
"""Arguments that say best what a call is about, the best first."""


class Line(StrEnum):
    """What a line is about; each has its part in the timeline's template."""

    STARTED = "started"
    MESSAGE = "message"
    TURN = "turn"
    REPLY = "reply"
    FAILURE = "failure"
    REMINDER = "reminder"
    CALL = "call"
    APPROVAL = "approval"
    APPROVAL_ANSWER = "approval_answer"
    QUESTION = "question"
    QUESTION_ANSWER = "question_answer"
    ENTERED = "entered"
    EXITED = "exited"
    CANCELLED = "cancelled"
    REVISION = "revision"
    SUBMISSION = "submission"
    DECISION = "decision"
    CLOSED = "closed"
    TODO = "todo"
    TURN_END = "turn_end"
    FORKED = "forked"
    UNDONE = "undone"
    COMPACTED = "compacted"
    PLAN_CHOSEN = "plan_chosen"
    PLAN_EDITED = "plan_edited"
    MODE_CHOSEN = "mode_chosen"
    MODE_CHANGED = "mode_changed"
    BREAKER = "breaker"


class Progress(StrEnum):
    """Where a tool call stands while it has no result, or why it will have none."""

    DUE = "due"
    RUNNING = "running"
    WAITING = "waiting"
    ENDED = "ended"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class CallLine:
    """A tool call with what became of it; ``gist`` is its most telling argument, cut.

    ``child`` is the session of the agent that the call started, or gave another task.
    """

    call: ToolCall
    gist: str
    progress: Progress = Progress.DUE
    result: ev.ToolFinished | None = None
    child: str = ""

    @property
    def refused(self) -> bool:
        """Whether the call was not allowed to run."""
        verdict = self.result.verdict if self.result else None
        return verdict in {ev.Verdict.DENIED, ev.Verdict.REFUSED}


@dataclass(frozen=True, slots=True)
class Item:
    """One line; ``key`` names it on the page, ``touched`` is the newest event that changed it.

    ``event`` is the event that the line tells of, for a call the one that it began with. ``by`` is
    the user id of who acted. ``begins`` says of a message that it can be undone: it began a turn.
    ``taken_back`` that a person has undone it.
    """

    key: str
    seq: int
    touched: int
    at: datetime
    line: Line
    event: ev.Event
    by: int | None = None
    call: CallLine | None = None
    begins: bool = False
    taken_back: bool = False


def timeline(events: Sequence[Logged], points: Sequence[Logged] = ()) -> tuple[Item, ...]:
    """Return the lines that ``events`` (a stretch of one log, in order) tell.

    A call and its result are one line. A result whose call lies before the stretch has a line of
    its own, with empty arguments. ``points`` are where the whole log's conversation was cut.
    """
    book = _Book([], {})
    for logged in events:
        book.take(logged)
    cuts = Cuts((point.seq, point.event) for point in points)
    return tuple(_settled(item, cuts) for item in book.items)


def _settled(item: Item, cuts: Cuts) -> Item:
    by = cuts.undone_by(item.seq)
    if by:
        return replace(item, taken_back=True, begins=False, touched=max(item.touched, by))
    return replace(item, begins=item.begins and item.seq > cuts.floor)


def users(items: Iterable[Item]) -> set[int]:
    """Return the ids of the people who act in ``items``."""
    return {item.by for item in items if item.by is not None}


_Changed = (
    ev.SessionForked
    | ev.ConversationUndone
    | ev.ContextCompacted
    | ev.PlanModeRequested
    | ev.PlanFileWritten
    | ev.PermissionModeRequested
    | ev.PermissionModeChanged
    | ev.AutoBreakerOpened
)
"""What people did to the session as a whole, and what came of it."""
_Plain = (
    _Changed
    | ev.SessionStarted
    | ev.MessagePosted
    | ev.TurnQueued
    | ev.ModelFailed
    | ev.ReminderInjected
    | ev.ApprovalRequested
    | ev.ApprovalResolved
    | ev.QuestionAsked
    | ev.QuestionAnswered
    | ev.PlanModeEntered
    | ev.PlanModeExited
    | ev.PlanModeCancelled
    | ev.PlanRevisionRecorded
    | ev.PlanSubmitted
    | ev.PlanResolved
    | ev.PlanReviewClosed
    | ev.TodoListWritten
    | ev.TurnEnded
)
"""Events that have a line of their own; the others belong to replies and calls."""


_GIVEN_UP: Final = {
    Progress.DUE: Progress.CANCELLED,
    Progress.WAITING: Progress.CANCELLED,
    Progress.RUNNING: Progress.INTERRUPTED,  # nobody knows how far it came
}
"""What becomes of a call whose turn ends before it has a result."""


@dataclass(slots=True)
class _Book:
    """Lines as they are written; ``calls`` is where each call's line is, by the call's id."""

    items: list[Item]
    calls: dict[str, int]

    def take(self, logged: Logged) -> None:
        event = logged.event
        match event:
            case ev.ModelReplied():
                self.reply(logged, event)
            case ev.ToolStarted(call_id=call_id, name=name):
                self.call(logged, ToolCall(call_id, name), Progress.RUNNING)
            case ev.ToolFinished(call_id=call_id, name=name):
                self.call(logged, ToolCall(call_id, name), Progress.ENDED, event)
            case ev.ChildStarted():
                self.start_child(logged, event)
            case (
                ev.StepStarted()
                | ev.PlanStepsListed()
                | ev.ChildReported()
                | ev.CommentReplied()
                | ev.PlanFileWritten(by=None)
            ):
                pass  # the reply and the call that follow say it better, or the list of steps
            case _:
                self.note(logged)
                self.add(logged, _line_of(event), by=_actor(event))

    def note(self, logged: Logged) -> None:
        """Note on earlier lines what ``logged`` means for them."""
        self.waiting(logged)
        if isinstance(logged.event, ev.TurnEnded):
            self.give_up(logged)
        if isinstance(logged.event, ev.TurnQueued):
            self.begin(logged)

    def give_up(self, logged: Logged) -> None:
        """Note on the lines of calls without a result that the turn ended before they did."""
        for place in self.calls.values():
            item = self.items[place]
            left = _GIVEN_UP.get(item.call.progress) if item.call else None
            if item.call is not None and left is not None:
                shown = replace(item.call, progress=left)
                self.items[place] = replace(item, touched=logged.seq, call=shown)

    def begin(self, logged: Logged) -> None:
        """Note on the message right before a turn that the turn began with it."""
        item = self.items[-1] if self.items else None
        if (
            item is None
            or item.seq != logged.seq - 1
            or not isinstance(item.event, ev.MessagePosted)
        ):
            return
        if item.event.origin.counts:
            self.items[-1] = replace(item, touched=logged.seq, begins=True)

    def start_child(self, logged: Logged, event: ev.ChildStarted) -> None:
        """Note on a call's line which agent it started, and that it waits for that one."""
        self.call(logged, ToolCall(event.call_id, "Agent"), Progress.WAITING)
        place = self.calls[event.call_id]
        item = self.items[place]
        if item.call is not None:
            self.items[place] = replace(item, call=replace(item.call, child=event.child))

    def add(
        self,
        logged: Logged,
        line: Line,
        *,
        by: int | None = None,
        call: CallLine | None = None,
        key: str = "",
    ) -> None:
        seq = logged.seq
        self.items.append(
            Item(key or f"e{seq}", seq, seq, logged.at, line, logged.event, by=by, call=call)
        )

    def reply(self, logged: Logged, event: ev.ModelReplied) -> None:
        if event.text.strip() or not event.calls:
            self.add(logged, Line.REPLY)
        for number, call in enumerate(event.calls):
            self.calls[call.id] = len(self.items)
            shown = CallLine(call, gist(call.args))
            self.add(logged, Line.CALL, call=shown, key=f"e{logged.seq}-{number}")

    def waiting(self, logged: Logged) -> None:
        """Note on the call's line that it waits for a person."""
        match logged.event:
            case (
                ev.PlanSubmitted(call_id=call_id)
                | ev.ApprovalRequested(call_id=call_id)
                | ev.QuestionAsked(call_id=call_id)
            ) if call_id in self.calls:
                self.call(logged, ToolCall(call_id, ""), Progress.WAITING)
            case _:
                pass

    def call(
        self,
        logged: Logged,
        call: ToolCall,
        progress: Progress,
        result: ev.ToolFinished | None = None,
    ) -> None:
        place = self.calls.get(call.id)
        if place is None:
            self.calls[call.id] = len(self.items)
            self.add(logged, Line.CALL, call=CallLine(call, "", progress, result))
            return
        item = self.items[place]
        if item.call is not None:
            shown = replace(item.call, progress=progress, result=result)
            self.items[place] = replace(item, touched=logged.seq, call=shown)


def _line_of(event: _Plain) -> Line:  # noqa: C901, PLR0911, PLR0912 - one arm for each event
    match event:
        case ev.SessionStarted():
            return Line.STARTED
        case ev.MessagePosted():
            return Line.MESSAGE
        case ev.TurnQueued():
            return Line.TURN
        case ev.ModelFailed():
            return Line.FAILURE
        case ev.ReminderInjected():
            return Line.REMINDER
        case ev.ApprovalRequested():
            return Line.APPROVAL
        case ev.ApprovalResolved():
            return Line.APPROVAL_ANSWER
        case ev.QuestionAsked():
            return Line.QUESTION
        case ev.QuestionAnswered():
            return Line.QUESTION_ANSWER
        case ev.PlanModeEntered():
            return Line.ENTERED
        case ev.PlanModeExited():
            return Line.EXITED
        case ev.PlanModeCancelled():
            return Line.CANCELLED
        case ev.PlanRevisionRecorded():
            return Line.REVISION
        case ev.PlanSubmitted():
            return Line.SUBMISSION
        case ev.PlanResolved():
            return Line.DECISION
        case ev.PlanReviewClosed():
            return Line.CLOSED
        case ev.TodoListWritten():
            return Line.TODO
        case ev.TurnEnded():
            return Line.TURN_END
        case _:
            return _line_of_change(event)


def _line_of_change(event: _Changed) -> Line:  # noqa: C901, PLR0911, PLR0912 - as above
    match event:
        case ev.SessionForked():
            return Line.FORKED
        case ev.ConversationUndone():
            return Line.UNDONE
        case ev.ContextCompacted():
            return Line.COMPACTED
        case ev.PlanModeRequested():
            return Line.PLAN_CHOSEN
        case ev.PlanFileWritten():
            return Line.PLAN_EDITED
        case ev.PermissionModeRequested():
            return Line.MODE_CHOSEN
        case ev.PermissionModeChanged():
            return Line.MODE_CHANGED
        case ev.AutoBreakerOpened():
            return Line.BREAKER
        case _:
            assert_never(event)


def _actor(event: _Plain) -> int | None:  # noqa: PLR0911 - one arm for each form
    match event:
        case ev.MessagePosted(author=author):
            return author
        case ev.SessionStarted(owner=owner):
            return owner
        case ev.PlanResolved(by=by) | ev.ApprovalResolved(by=by) | ev.QuestionAnswered(by=by):
            return by
        case ev.PlanModeEntered(by=by) | ev.PlanModeCancelled(by=by) | ev.PlanFileWritten(by=by):
            return by
        case ev.SessionForked(by=by) | ev.ConversationUndone(by=by) | ev.PlanModeRequested(by=by):
            return by
        case ev.PermissionModeRequested(by=by) | ev.PermissionModeChanged(by=by):
            return by
        case _:
            return None


def gist(args: str) -> str:
    """Return the most telling argument of a call as one line, at most 80 characters."""
    values = _parsed(args)
    if not isinstance(values, dict):
        return ""
    name = next((name for name in _TELLING if values.get(name)), "")
    line = " ".join(str(values.get(name, "")).split())
    if name == "path" and len(line) > LONGEST_PATH:
        line = f"…/{line.rpartition('/')[2]}"  # a path says most at its end
    return f"{line[: LONGEST_GIST - 1]}…" if len(line) > LONGEST_GIST else line


def pretty(args: str) -> str:
    """Return a call's arguments for reading: indented when they are JSON, else as they came.

    Long ones are not laid out: an indent at each of many levels would make them longer by far.
    """
    values = _parsed(args) if len(args) <= LONGEST_TEXT else None
    return args if values is None else json.dumps(values, indent=2, ensure_ascii=False)


def _parsed(args: str) -> object:
    """Return what the model's JSON says, ``None`` when it is none (or too deep to be read)."""
    try:
        return json.loads(args)
    except (ValueError, RecursionError):
        return None
