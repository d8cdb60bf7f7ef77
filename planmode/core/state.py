"""What is true now: the fold of a session's events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import reduce
from typing import Any, Final, assert_never, cast

from pydantic import TypeAdapter

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.outcomes import CONSEQUENCES, Outcome
from planmode.core.permission import PermissionMode


class CallStatus(StrEnum):
    """Where a tool call of the last reply stands."""

    DUE = "due"
    ALLOWED = "allowed"  # a person said yes; it is judged once more when it runs
    STARTED = "started"
    WAITING = "waiting"
    ANSWERED = "answered"  # the answer lies in the log; the tool's result is still to be written


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call without a result; ``card`` is what it waits for, ``answer`` the answer's seq.

    ``starts`` counts how often it was begun: more than once only after workers died with it.
    """

    call: ToolCall
    status: CallStatus = CallStatus.DUE
    card: str = ""
    answer: int = 0
    starts: int = 0


@dataclass(frozen=True, slots=True)
class PlanState:
    """Plan mode of the session's main agent.

    ``revision_count`` never goes back: a version number belongs to its bytes for ever.
    ``submitted`` is the sha256 of each plan's newest revision, unless its review ended without a
    decision; ``review`` the open card, ``ids`` the plan ids that the session has used.
    """

    active: bool = False
    plan_id: str | None = None
    previous_mode: PermissionMode | None = None
    revision_count: Mapping[str, int] = field(default_factory=dict)
    submitted: Mapping[str, str] = field(default_factory=dict)
    review: str | None = None
    last_outcome: Outcome | None = None
    approved: bool = False  # whether plan mode was last left with an approval
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What the model was last told about plan mode, and how much came after it.

    ``plan_id`` is ``None`` when the model believes that plan mode is off. Counts are assistant
    messages; ``asked`` says that a person (or a cron job) spoke since the last text.
    """

    plan_id: str | None = None
    since_full: int = 0
    since_any: int = 0
    asked: bool = False


@dataclass(frozen=True, slots=True)
class TurnView:
    """The turn under way, or the last one.

    ``attempts`` counts how often the current step was begun without an answer (workers died),
    ``replied`` and ``called`` say whether the current step has its reply, and whether that asked
    for tools; ``unseen`` counts messages that no model call has seen yet, ``failures`` the failed
    attempts of the current step.
    """

    number: int = 0
    open: bool = False
    steps: int = 0
    asking: bool = False
    attempts: int = 0
    replied: bool = False
    called: bool = False
    stopping: bool = False
    unseen: int = 0
    failures: int = 0
    calls: tuple[PendingCall, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionState:
    """Everything about a session that decisions rest on."""

    permission_mode: PermissionMode = PermissionMode.MANUAL
    preset: str = ""
    plan: PlanState = PlanState()
    told: Told = Told()
    turn: TurnView = TurnView()
    todo: tuple[ev.TodoItem, ...] = ()
    marks: Mapping[str, int] = field(default_factory=dict)
    input_tokens: int = 0
    output_tokens: int = 0


EMPTY: Final = SessionState()
_ADAPTER: Final = TypeAdapter(SessionState)


def dumped(state: SessionState) -> dict[str, Any]:
    """Return ``state`` as JSON values."""
    return cast("dict[str, Any]", _ADAPTER.dump_python(state, mode="json"))


def loaded(value: object) -> SessionState:
    """Return the state that ``dumped`` made ``value`` of."""
    return _ADAPTER.validate_python(value)


def fold(events: Iterable[ev.Event]) -> SessionState:
    """Return the state after ``events``, which are a whole log from its first event on."""
    numbered = enumerate(events, start=1)
    return reduce(lambda state, item: apply(state, item[1], seq=item[0]), numbered, EMPTY)


def apply(  # noqa: C901, PLR0911, PLR0912 - one arm for each group of events
    state: SessionState, event: ev.Event, *, seq: int
) -> SessionState:
    """Return the state after ``event``, which is the log's item number ``seq``."""
    match event:
        case ev.SessionStarted(permission_mode=mode, preset=preset):
            return replace(state, permission_mode=mode, preset=preset)
        case ev.TodoListWritten(items=items):
            return replace(state, todo=items)
        case (
            ev.PlanModeEntered()
            | ev.PlanModeExited()
            | ev.PlanModeCancelled()
            | ev.PlanRevisionRecorded()
            | ev.PlanFileWritten()
        ):
            return _plan_mode(state, event)
        case ev.PlanSubmitted() | ev.PlanResolved() | ev.PlanReviewClosed():
            return _review(state, event, seq)
        case ev.MessagePosted() | ev.ModelReplied() | ev.ReminderInjected():
            return _said(state, event)
        case ev.TurnQueued() | ev.StepStarted() | ev.ModelFailed() | ev.TurnEnded():
            return _turn(state, event)
        case (
            ev.ToolStarted()
            | ev.ToolFinished()
            | ev.ApprovalRequested()
            | ev.ApprovalResolved()
            | ev.QuestionAsked()
            | ev.QuestionAnswered()
        ):
            return _call(state, event, seq)
        case _:
            assert_never(event)


_PlanMode = (
    ev.PlanModeEntered
    | ev.PlanModeExited
    | ev.PlanModeCancelled
    | ev.PlanRevisionRecorded
    | ev.PlanFileWritten
)


def _plan_mode(state: SessionState, event: _PlanMode) -> SessionState:
    plan = state.plan
    match event:
        case ev.PlanModeEntered(plan_id=plan_id, previous_mode=previous):
            kept = plan.previous_mode if plan.active else previous
            ids = plan.ids if plan_id in plan.ids else (*plan.ids, plan_id)
            plan = replace(plan, active=True, plan_id=plan_id, previous_mode=kept, ids=ids)
        case ev.PlanModeExited(restored_mode=mode) | ev.PlanModeCancelled(restored_mode=mode):
            approved = (
                isinstance(event, ev.PlanModeExited) and CONSEQUENCES[Outcome(event.cause)].approved
            )
            plan = replace(plan, active=False, plan_id=None, previous_mode=None, approved=approved)
            state = replace(state, permission_mode=mode)
        case ev.PlanRevisionRecorded(plan_id=plan_id, version=version, sha256=sha256):
            plan = replace(
                plan,
                revision_count={**plan.revision_count, plan_id: version},
                submitted={**plan.submitted, plan_id: sha256},
            )
        case ev.PlanFileWritten():
            pass
        case _:
            assert_never(event)
    return replace(state, plan=plan)


def _review(
    state: SessionState, event: ev.PlanSubmitted | ev.PlanResolved | ev.PlanReviewClosed, seq: int
) -> SessionState:
    plan = state.plan
    match event:
        case ev.PlanSubmitted(review=review, call_id=call_id):
            plan = replace(plan, review=review)
            state = _set(state, call_id, status=CallStatus.WAITING, card=review)
        case ev.PlanResolved(review=review, outcome=outcome):
            plan = replace(plan, review=None, last_outcome=outcome)
            state = _answered(state, review, seq)
        case ev.PlanReviewClosed():
            # Nobody decided on these bytes, so they may be submitted once more.
            undecided = {key: sha for key, sha in plan.submitted.items() if key != plan.plan_id}
            plan = replace(plan, review=None, submitted=undecided)
        case _:
            assert_never(event)
    return replace(state, plan=plan)


def _said(
    state: SessionState, event: ev.MessagePosted | ev.ModelReplied | ev.ReminderInjected
) -> SessionState:
    told, turn = state.told, state.turn
    match event:
        case ev.MessagePosted(origin=origin):
            asked = told.asked or origin is not ev.Origin.INJECTION
            return replace(
                state,
                told=replace(told, asked=asked),
                turn=replace(turn, unseen=turn.unseen + 1),
            )
        case ev.ReminderInjected(kind=kind, plan_id=plan_id):
            return replace(state, told=_after_reminder(told, kind, plan_id))
        case ev.ModelReplied(text=text, calls=calls):
            spoke = 1 if text.strip() or calls else 0
            turn = replace(
                turn,
                asking=False,
                replied=True,
                called=bool(calls),
                failures=0,
                calls=tuple(PendingCall(call) for call in calls),
            )
            return replace(
                state,
                told=replace(
                    told,
                    since_full=told.since_full + spoke,
                    since_any=told.since_any + spoke,
                ),
                turn=turn,
                marks={**state.marks, event.mark: state.marks.get(event.mark, 0) + 1}
                if event.mark
                else state.marks,
                input_tokens=state.input_tokens + event.input_tokens,
                output_tokens=state.output_tokens + event.output_tokens,
            )
        case _:
            assert_never(event)


_WHOLE_TEXTS: Final = frozenset(
    {
        ev.ReminderKind.FULL,
        ev.ReminderKind.REENTRY,
        ev.ReminderKind.INLINE_FULL,
        ev.ReminderKind.INLINE_REENTRY,
    }
)


def _after_reminder(told: Told, kind: ev.ReminderKind, plan_id: str | None) -> Told:
    if kind is ev.ReminderKind.EXIT:
        return Told()
    since_full = 0 if kind in _WHOLE_TEXTS else told.since_full
    return Told(plan_id=plan_id, since_full=since_full)


def _turn(
    state: SessionState, event: ev.TurnQueued | ev.StepStarted | ev.ModelFailed | ev.TurnEnded
) -> SessionState:
    turn = state.turn
    match event:
        case ev.TurnQueued(number=number):
            turn = TurnView(number=number, open=True, unseen=turn.unseen)
        case ev.StepStarted(number=number):
            attempts = turn.attempts + 1 if turn.asking else 1
            turn = replace(
                turn, steps=number, asking=True, attempts=attempts, replied=False, unseen=0
            )
        case ev.ModelFailed():
            turn = replace(turn, asking=False, failures=turn.failures + 1)
        case ev.TurnEnded():
            turn = replace(turn, open=False, asking=False, calls=())
        case _:
            assert_never(event)
    return replace(state, turn=turn)


_Call = (
    ev.ToolStarted
    | ev.ToolFinished
    | ev.ApprovalRequested
    | ev.ApprovalResolved
    | ev.QuestionAsked
    | ev.QuestionAnswered
)


def _call(  # noqa: C901, PLR0911, PLR0912 - one arm for each event
    state: SessionState, event: _Call, seq: int
) -> SessionState:
    match event:
        case ev.ToolStarted(call_id=call_id):
            return _set(state, call_id, status=CallStatus.STARTED)
        case ev.ToolFinished(call_id=call_id, stops_turn=stops):
            turn = state.turn
            left = tuple(pending for pending in turn.calls if pending.call.id != call_id)
            return replace(state, turn=replace(turn, calls=left, stopping=turn.stopping or stops))
        case ev.ApprovalRequested(approval=card, call_id=call_id):
            return _set(state, call_id, status=CallStatus.WAITING, card=card)
        case ev.QuestionAsked(question=card, call_id=call_id):
            return _set(state, call_id, status=CallStatus.WAITING, card=card)
        case ev.ApprovalResolved(approval=card, allow=True):
            pending = waiting_for(state, card)
            if pending is None:
                return state
            return _set(state, pending.call.id, status=CallStatus.ALLOWED, card=card)
        case ev.ApprovalResolved(approval=card) | ev.QuestionAnswered(question=card):
            return _answered(state, card, seq)
        case _:
            assert_never(event)


def waiting_for(state: SessionState, card: str) -> PendingCall | None:
    """Return the call that waits for ``card`` (a review, question or approval)."""
    return next(
        (
            pending
            for pending in state.turn.calls
            if pending.status is CallStatus.WAITING and pending.card == card
        ),
        None,
    )


def under_way(state: SessionState) -> bool:
    """Return whether a tool may be running at this moment."""
    return any(pending.status is CallStatus.STARTED for pending in state.turn.calls)


def _answered(state: SessionState, card: str, seq: int) -> SessionState:
    pending = waiting_for(state, card)
    if pending is None:
        return state
    return _set(state, pending.call.id, status=CallStatus.ANSWERED, card=card, answer=seq)


def _set(
    state: SessionState, call_id: str, *, status: CallStatus, card: str = "", answer: int = 0
) -> SessionState:
    calls = tuple(
        replace(
            pending,
            status=status,
            card=card,
            answer=answer,
            starts=pending.starts + (status is CallStatus.STARTED),
        )
        if pending.call.id == call_id
        else pending
        for pending in state.turn.calls
    )
    return replace(state, turn=replace(state.turn, calls=calls))
