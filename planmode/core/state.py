"""What is true now: the fold of a session's events."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, assert_never, cast

from pydantic import TypeAdapter

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.failures import Halt
from planmode.core.outcomes import CONSEQUENCES, Closure, Outcome
from planmode.core.permission import NO_REFUSALS, Breaker, PermissionMode
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.profiles import MAIN


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
    decision; ``review`` the open card, ``ids`` the plan ids that the session has used. ``folder``
    is where the plan file lies below the workspace (empty: in the session's folder). ``by_person``
    says that a person, not the agent, entered or left plan mode last; ``edited_by`` who wrote the
    plan file last, ``None`` for the agent. ``approved_revision`` is the revision that is being
    carried out, ``steps`` what is known of its steps.
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
    folder: str = ""
    by_person: bool = False
    edited_by: int | None = None
    edit_told: bool = True
    revision: str = ""
    approved_revision: str = ""
    steps: tuple[PlanStep, ...] = ()

    @property
    def under_review(self) -> int | None:
        """The number of the revision whose review is open."""
        return self.revision_count[self.plan_id] if self.review and self.plan_id else None

    @property
    def open_steps(self) -> tuple[PlanStep, ...]:
        """The steps that nobody says are done."""
        return tuple(step for step in self.steps if step.status is PlanStepStatus.OPEN)


@dataclass(frozen=True, slots=True)
class Told:
    """What the model was last told about plan mode, and how much came after it.

    ``plan_id`` is ``None`` when the model believes that plan mode is off. ``since_*`` count
    assistant messages, ``asked`` what people (or cron jobs) said since the last text, ``texts`` the
    texts since plan mode was entered. ``lost``: the last text is not in the conversation any more.
    ``described`` is whether the last request's system text told of plan mode, ``None`` before the
    first; ``approved_revision`` the plan that the model was told to carry out.
    """

    plan_id: str | None = None
    since_full: int = 0
    since_any: int = 0
    asked: int = 0
    texts: int = 0
    lost: bool = False
    described: bool | None = None
    approved_revision: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person chose that waits for the next step; ``None`` is no choice."""

    active: bool | None = None
    mode: PermissionMode | None = None
    by: int = 0

    @property
    def pending(self) -> bool:
        """Whether anything was chosen."""
        return self.active is not None or self.mode is not None


@dataclass(frozen=True, slots=True)
class TurnView:
    """The turn under way, or the last one.

    ``attempts`` counts how often the current step was begun without an answer (workers died),
    ``replied`` and ``called`` say whether the current step has its reply, and whether that asked
    for tools; ``unseen`` counts messages that no model call has seen yet, ``failures`` the failed
    attempts of the current step. ``offered``: the reply was looked at for a plan; ``reminders``
    counts reminders at the turn's end, ``let_be`` says that the person dismissed a plan in it.
    ``halt`` is why the turn is stopping, if no review said so. ``refusals`` counts refused calls
    by ``fingerprint``; ``repeats`` how often the same call came in a row.
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
    offered: bool = False
    reminders: int = 0
    let_be: bool = False
    halt: str = ""
    refusals: Mapping[str, int] = field(default_factory=dict)
    repeated: str = ""
    repeats: int = 0


@dataclass(frozen=True, slots=True)
class SessionState:
    """Everything about a session that decisions rest on.

    ``rules`` are the session's own permission rules, as they were written; ``parent`` is the
    session whose agent started this one, ``children`` those that this one started. ``comments``
    are those that the agent was given, and whether it has answered since.
    """

    permission_mode: PermissionMode = PermissionMode.MANUAL
    breaker: Breaker = NO_REFUSALS
    preset: str = ""
    rules: tuple[str, ...] = ()
    parent: str = ""
    profile: str = MAIN
    children: Mapping[str, str] = field(default_factory=dict)
    wanted: Wanted = Wanted()
    plan: PlanState = PlanState()
    told: Told = Told()
    turn: TurnView = TurnView()
    todo: tuple[ev.TodoItem, ...] = ()
    comments: Mapping[str, bool] = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    input_tokens: int = 0
    output_tokens: int = 0


EMPTY: Final = SessionState()
REPLY: Final = ToolCall("", "ExitPlanMode")
"""Stands for a reply that is a plan itself, as long as its review is open."""
_ADAPTER: Final = TypeAdapter(SessionState)


def dumped(state: SessionState) -> dict[str, Any]:
    """Return ``state`` as JSON values."""
    return cast("dict[str, Any]", _ADAPTER.dump_python(state, mode="json"))


def loaded(value: object) -> SessionState:
    """Return the state that ``dumped`` made ``value`` of."""
    return _ADAPTER.validate_python(value)


Past = Callable[[int], SessionState]
"""Gives the state after so many of the log's first events; undo asks it, and nothing else does."""


def fold(events: Iterable[ev.Event]) -> SessionState:
    """Return the state after ``events``, which are a whole log from its first event on."""
    states = [EMPTY]  # all of them: to fold the past anew would double with each undo
    for seq, event in enumerate(events, start=1):
        states.append(apply(states[-1], event, seq=seq, past=states.__getitem__))
    return states[-1]


def no_past(length: int) -> SessionState:
    """Refuse to tell the state after ``length`` events: the caller keeps no log."""
    raise LookupError(f"the state after {length} events is not known here")


def apply(  # noqa: C901, PLR0911, PLR0912 - one arm for each group of events
    state: SessionState, event: ev.Event, *, seq: int, past: Past = no_past
) -> SessionState:
    """Return the state after ``event``, which is the log's item number ``seq``."""
    match event:
        case ev.SessionStarted() | ev.SessionForked() | ev.ChildStarted() | ev.ChildReported():
            return _session(state, event, seq)
        case ev.ConversationUndone(to=to):
            return _rewound(state, past(to - 1))
        case ev.ContextCompacted():
            told = replace(state.told, lost=True, approved_revision="")
            return replace(state, told=told)
        case (
            ev.PermissionModeRequested()
            | ev.PermissionModeChanged()
            | ev.AutoBreakerOpened()
            | ev.PlanModeRequested()
        ):
            return _modes(state, event)
        case ev.TodoListWritten(items=items):
            return replace(state, todo=items)
        case ev.CommentReplied(comment=comment):
            return replace(state, comments={**state.comments, comment: True})
        case ev.PlanStepsListed(steps=steps):
            turn = replace(state.turn, offered=True)
            return replace(state, plan=replace(state.plan, steps=steps), turn=turn)
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


def _session(
    state: SessionState,
    event: ev.SessionStarted | ev.SessionForked | ev.ChildStarted | ev.ChildReported,
    seq: int,
) -> SessionState:
    match event:
        case ev.SessionStarted():
            return replace(
                state,
                permission_mode=event.permission_mode,
                preset=event.preset,
                rules=event.rules,
                parent=event.parent,
                profile=event.profile,
            )
        case ev.SessionForked(plan_id=plan_id):
            return _forked(state, plan_id)
        case ev.ChildStarted(child=child, call_id=call_id, profile=profile):
            state = replace(state, children={**state.children, child: profile})
            return _set(state, call_id, status=CallStatus.WAITING, card=child)
        case ev.ChildReported(child=child):
            return _answered(state, child, seq)
        case _:
            assert_never(event)


def _forked(state: SessionState, plan_id: str | None) -> SessionState:
    """Go on as another session: nothing that waited in the source waits here."""
    plan = replace(state.plan, review=None, submitted={}, folder="")
    if plan.active and plan_id is not None:
        plan = replace(plan, plan_id=plan_id, ids=(*plan.ids, plan_id))
    turn = replace(state.turn, open=False, asking=False, calls=())
    return replace(state, plan=plan, turn=turn, wanted=Wanted(), children={})


def _rewound(now: SessionState, then: SessionState) -> SessionState:
    """Return ``then`` with what no undo takes back.

    Versions and plan ids are used up for ever, tokens and the model's bookmarks were spent, and
    how much the agent may do is no part of the conversation.
    """
    plan = replace(
        then.plan,
        previous_mode=(now.plan.previous_mode or now.permission_mode) if then.plan.active else None,
        revision_count=now.plan.revision_count,
        ids=now.plan.ids,
        review=None,
    )
    return replace(
        then,
        permission_mode=now.permission_mode,
        breaker=now.breaker,
        plan=plan,
        turn=TurnView(number=now.turn.number),
        wanted=Wanted(),
        children=now.children,
        marks=now.marks,
        input_tokens=now.input_tokens,
        output_tokens=now.output_tokens,
    )


def _modes(
    state: SessionState,
    event: ev.PermissionModeRequested
    | ev.PermissionModeChanged
    | ev.AutoBreakerOpened
    | ev.PlanModeRequested,
) -> SessionState:
    match event:
        case ev.PermissionModeRequested(mode=mode, by=by):
            return replace(state, wanted=replace(state.wanted, mode=mode, by=by))
        case ev.PermissionModeChanged():
            return _mode_changed(state, event)
        case ev.AutoBreakerOpened():
            return replace(state, breaker=replace(state.breaker, open=True))
        case ev.PlanModeRequested(active=active, by=by):
            return replace(state, wanted=replace(state.wanted, active=active, by=by))
        case _:
            assert_never(event)


def _mode_changed(state: SessionState, event: ev.PermissionModeChanged) -> SessionState:
    """A person's choice while planning is also what comes back after it.

    Whoever chooses ``auto`` once more has seen why it was off.
    """
    plan, chosen = state.plan, event.by is not None
    if plan.active and chosen:
        plan = replace(plan, previous_mode=event.mode)
    return replace(
        state,
        permission_mode=event.mode,
        breaker=Breaker() if chosen else state.breaker,
        plan=plan,
        wanted=replace(state.wanted, mode=None),
    )


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
        case ev.PlanModeEntered():
            return _entered(state, event)
        case ev.PlanModeExited() | ev.PlanModeCancelled():
            return _left(state, event)
        case ev.PlanRevisionRecorded(plan_id=plan_id, version=version, sha256=sha256):
            plan = replace(
                plan,
                revision_count={**plan.revision_count, plan_id: version},
                submitted={**plan.submitted, plan_id: sha256},
            )
        case ev.PlanFileWritten(by=by):
            plan = replace(plan, edited_by=by, edit_told=by is None)
        case _:
            assert_never(event)
    return replace(state, plan=plan)


def _entered(state: SessionState, event: ev.PlanModeEntered) -> SessionState:
    plan = state.plan
    ids = plan.ids if event.plan_id in plan.ids else (*plan.ids, event.plan_id)
    plan = replace(
        plan,
        active=True,
        plan_id=event.plan_id,
        previous_mode=plan.previous_mode if plan.active else event.previous_mode,
        ids=ids,
        folder=event.folder,
        by_person=event.by is not None,
        edited_by=None,
        edit_told=True,
        approved_revision="",
        steps=(),
    )
    return replace(state, plan=plan, wanted=replace(state.wanted, active=None))


def _left(state: SessionState, event: ev.PlanModeExited | ev.PlanModeCancelled) -> SessionState:
    approved = isinstance(event, ev.PlanModeExited) and CONSEQUENCES[Outcome(event.cause)].approved
    plan = replace(
        state.plan,
        active=False,
        plan_id=None,
        previous_mode=None,
        approved=approved,
        by_person=isinstance(event, ev.PlanModeCancelled),
        approved_revision=state.plan.revision if approved else "",
        steps=state.plan.steps if approved else (),
    )
    wanted = replace(state.wanted, active=None)
    return replace(state, plan=plan, permission_mode=event.restored_mode, wanted=wanted)


def _review(
    state: SessionState, event: ev.PlanSubmitted | ev.PlanResolved | ev.PlanReviewClosed, seq: int
) -> SessionState:
    plan = state.plan
    match event:
        case ev.PlanSubmitted(review=review, call_id=call_id):
            plan = replace(plan, review=review, revision=event.revision)
            state = _set(state, call_id, status=CallStatus.WAITING, card=review)
            if not call_id:
                waits = PendingCall(REPLY, CallStatus.WAITING, review)
                state = replace(state, turn=replace(state.turn, calls=(waits,)))
        case ev.PlanResolved(review=review, outcome=outcome):
            plan = replace(plan, review=None, last_outcome=outcome)
            turn = replace(state.turn, let_be=outcome is Outcome.DISMISSED, reminders=0)
            given = {sent.comment: False for sent in event.comments}
            state = replace(state, turn=turn, comments={**state.comments, **given})
            state = _answered(state, review, seq)
        case ev.PlanReviewClosed(review=review, how=how):
            # Nobody decided on these bytes, so they may be submitted once more.
            undecided = {key: sha for key, sha in plan.submitted.items() if key != plan.plan_id}
            plan = replace(plan, review=None, submitted=undecided)
            if how is Closure.EXPIRED:  # the others come with what ends the wait
                turn = replace(state.turn, halt=Halt.REVIEW_EXPIRED)
                state = _answered(replace(state, turn=turn), review, seq)
        case _:
            assert_never(event)
    return replace(state, plan=plan)


def _said(
    state: SessionState, event: ev.MessagePosted | ev.ModelReplied | ev.ReminderInjected
) -> SessionState:
    told, turn = state.told, state.turn
    match event:
        case ev.MessagePosted(origin=origin):
            asked = told.asked + origin.counts
            return replace(
                state,
                told=replace(told, asked=asked),
                turn=replace(turn, unseen=turn.unseen + 1),
            )
        case ev.ReminderInjected():
            return _reminded(state, event)
        case ev.ModelReplied(text=text, calls=calls):
            spoke = 1 if text.strip() or calls else 0
            turn = replace(
                turn,
                asking=False,
                replied=True,
                called=bool(calls),
                failures=0,
                calls=tuple(PendingCall(call) for call in calls),
                offered=False,
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


def _reminded(state: SessionState, event: ev.ReminderInjected) -> SessionState:
    told, turn, plan = state.told, state.turn, state.plan
    match event.variant:
        case ev.Variant.PLAN_MODE:
            told = _after_reminder(told, event.kind, event.plan_id)
        case ev.Variant.PLAN_REVIEW:
            left = tuple(pending for pending in turn.calls if pending.call.id)
            stopping = turn.stopping or event.stops_turn
            # One that stops the turn asks for no answer: the next turn's first call sees it.
            unseen = turn.unseen + (not event.stops_turn)
            turn = replace(turn, calls=left, stopping=stopping, unseen=unseen)
            told = replace(told, approved_revision=plan.approved_revision)
        case ev.Variant.TURN_END:
            turn = replace(turn, reminders=turn.reminders + 1, unseen=turn.unseen + 1)
        case ev.Variant.PLAN_EXECUTION:
            told = replace(told, approved_revision=plan.approved_revision)
        case ev.Variant.PLAN_EDITED:
            plan = replace(plan, edit_told=True)
        case _:
            assert_never(event.variant)
    return replace(state, told=told, turn=turn, plan=plan)


def _after_reminder(told: Told, kind: ev.ReminderKind, plan_id: str | None) -> Told:
    if kind is ev.ReminderKind.EXIT:
        return Told(described=told.described, approved_revision=told.approved_revision)
    since_full = 0 if kind in _WHOLE_TEXTS else told.since_full
    texts = told.texts + 1 if told.plan_id == plan_id else 1
    return replace(
        told, plan_id=plan_id, since_full=since_full, since_any=0, asked=0, texts=texts, lost=False
    )


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
            state = replace(state, told=replace(state.told, described=state.plan.active))
        case ev.ModelFailed():
            turn = replace(turn, asking=False, failures=turn.failures + 1)
        case ev.TurnEnded(state=ended):
            turn = replace(turn, open=False, asking=False, calls=())
            if ended is ev.TurnState.DONE and not state.plan.open_steps:
                state = replace(state, plan=replace(state.plan, approved_revision=""))
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
        case ev.ToolFinished():
            return _finished(state, event)
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


def _finished(state: SessionState, event: ev.ToolFinished) -> SessionState:
    done = next((item.call for item in state.turn.calls if item.call.id == event.call_id), None)
    left = tuple(item for item in state.turn.calls if item.call.id != event.call_id)
    turn = replace(state.turn, calls=left, stopping=state.turn.stopping or event.stops_turn)
    turn = replace(turn, halt=event.halt or turn.halt)
    if done is not None:
        turn = _counted(turn, fingerprint(done), event.verdict)
    told = state.told
    if event.name == "ExitPlanMode" and not state.plan.active:
        told = replace(told, approved_revision=state.plan.approved_revision)
    breaker = state.breaker
    if state.permission_mode is PermissionMode.AUTO:
        match event.verdict:
            case ev.Verdict.DENIED:
                breaker = breaker.refused()
            case ev.Verdict.RAN:
                breaker = breaker.ran()
            case _:
                pass
    return replace(state, turn=turn, told=told, breaker=breaker)


def _counted(turn: TurnView, print_: str, verdict: ev.Verdict) -> TurnView:
    repeats = turn.repeats + 1 if turn.repeated == print_ else 1
    refusals = turn.refusals
    if verdict in {ev.Verdict.DENIED, ev.Verdict.REFUSED}:  # by the guard, or by a person
        refusals = {**refusals, print_: refusals.get(print_, 0) + 1}
    return replace(turn, repeated=print_, repeats=repeats, refusals=refusals)


def fingerprint(call: ToolCall) -> str:
    """Return what is the same for two calls that ask for the same."""
    return hashlib.sha256(f"{call.name}\n{call.args}".encode()).hexdigest()[:16]


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
