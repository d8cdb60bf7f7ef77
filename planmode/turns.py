"""What a worker does with the turn that it holds."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import OperationalError
from django.db.models.functions import Now
from uuid6 import uuid7

from planmode import families, modes
from planmode.core import events as ev
from planmode.core.errors import (
    AlreadyPlanningError,
    ClaimLostError,
    NotPlanningError,
    PlanInvalidError,
    PlanUnchangedError,
)
from planmode.core.failures import Failure
from planmode.core.guard import Allow, Ask, CallFacts, Deny, Ground, Judgement, Refusal, judge
from planmode.core.options import PlanOption
from planmode.core.outcomes import CONSEQUENCES, Closure, Outcome
from planmode.core.permission import BREAKER_IS_OPEN, BreakerLimits, PermissionMode
from planmode.core.plansteps import PlanStep
from planmode.core.presets import PlanModeConfig
from planmode.core.state import CallStatus, PendingCall, SessionState, under_way
from planmode.core.titles import plan_title, reply_title
from planmode.families import Family
from planmode.models import Claim, Turn
from planmode.store import eventlog, planfiles, revisions
from planmode.store.eventlog import Log
from planmode.wakeups import wake

logger = logging.getLogger(__name__)

MOST_IDLE_CLAIMS: Final = 3
"""Workers that may take a turn, one after the other, without a single event."""
LOG_TRIES: Final = 3
"""So many claims try to end a lost turn by its log before the row alone has to say it."""


def enter_plan_mode(
    claim: Claim, told: Callable[[ev.PlanModeEntered], ev.ToolFinished], *, plan_id: str = ""
) -> None:
    """Enter plan mode, together with what the call that asked for it is ``told``.

    Raises:
        PlanInvalidError: ``plan_id`` is no plan id.
        AlreadyPlanningError: plan mode is on.
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        if log.state.plan.active:
            raise AlreadyPlanningError(f"plan {log.state.plan.plan_id} is open")
        entered = modes.entering(log, plan_id=plan_id)
        log.add(entered, told(entered))


def take_choices(claim: Claim) -> None:
    """Let what people chose during the turn count from the step that begins now.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        modes.take_up(log)


def refuse_call(claim: Claim, refused: ev.ToolFinished) -> None:
    """Write the result of a call that the guard refused; it may open the breaker of ``auto``.

    Outside of plan mode the session is in ``manual`` from then on; inside, that is what comes
    after it, and says why.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    limits = BreakerLimits(settings.AUTO_BREAKER_IN_ROW, settings.AUTO_BREAKER_TOTAL)
    with eventlog.writing(claim.session_id, claim=claim) as log:
        log.add(refused)
        breaker, mode = log.state.breaker, log.state.permission_mode
        if mode is not PermissionMode.AUTO or breaker.open or not limits.reached(breaker):
            return
        log.add(ev.AutoBreakerOpened(breaker.in_row, breaker.total))
        if not log.state.plan.active:
            manual = PermissionMode.MANUAL
            log.add(ev.PermissionModeChanged(manual, mode, note=BREAKER_IS_OPEN))


@dataclass(frozen=True, slots=True)
class Submission:
    """A plan as the agent submits it; ``auto`` approves it without a person.

    ``call_id`` is empty where a reply is the plan itself, of which the ``steps`` are known then.
    """

    call_id: str
    content: bytes
    options: tuple[PlanOption, ...] = ()
    auto: bool = False
    steps: tuple[PlanStep, ...] = ()


def submit_plan(claim: Claim, submission: Submission) -> None:
    """Keep the bytes as the plan's next revision and open its review; the turn waits.

    An automatic approval resolves the review at once, marked as not reviewed by a person.

    Raises:
        NotPlanningError: plan mode is off.
        PlanTooLargeError: the plan is over 1 MiB.
        PlanInvalidError: the plan is blank, no UTF-8 text, or not what the log tells of its file.
        PlanUnchangedError: these bytes were submitted and decided before.
        StoredDataError: the bytes could not be kept, so there is no review.
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        plan = log.state.plan
        if not plan.active or plan.plan_id is None:
            raise NotPlanningError("enter plan mode before you submit a plan")
        kept = planfiles.kept(claim.session_id, plan.plan_id)
        if kept is not None and kept != submission.content:
            raise PlanInvalidError("the plan file holds other bytes than the log tells")
        if plan.submitted.get(plan.plan_id) == revisions.sha256(submission.content):
            version = plan.revision_count[plan.plan_id]
            raise PlanUnchangedError(f"revision {version} holds the same bytes")
        review = _open_review(log, plan.plan_id, submission)
        if submission.auto:
            resolve_review(log, ev.PlanResolved(review, Outcome.AUTO_APPROVED))
        else:
            _release(claim, ev.TurnState.WAITING)


def _open_review(log: Log, plan_id: str, submission: Submission) -> str:
    version = log.state.plan.revision_count.get(plan_id, 0) + 1
    title = _title(log, submission)
    row = revisions.record(log, plan_id, version, submission.content, title=title)
    if log.state.plan.review:
        log.add(ev.PlanReviewClosed(log.state.plan.review, Closure.SUPERSEDED))
    review = str(uuid7())
    if submission.steps:
        log.add(ev.PlanStepsListed(submission.steps))
    log.add(
        ev.PlanRevisionRecorded(plan_id, version, row.key, row.sha256, row.size),
        ev.PlanSubmitted(
            review=review,
            call_id=submission.call_id,
            revision=str(row.pk),
            plan_id=plan_id,
            version=version,
            sha256=row.sha256,
            title=row.title,
            options=submission.options,
            edited_by=log.state.plan.edited_by,
        ),
    )
    return review


def _title(log: Log, submission: Submission) -> str:
    text = revisions.checked_text(submission.content)
    return plan_title(text) if submission.call_id else reply_title(text, log.session.title)


def begin_call(
    claim: Claim, pending: PendingCall, facts: CallFacts, config: PlanModeConfig, ground: Ground
) -> Judgement:
    """Judge a call on the newest state; when it may run, write ``tool.started`` with that answer.

    A person's yes lifts the question, never a refusal: a mode that changed meanwhile counts.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        judgement = _judged(facts, log.state, config, ground)
        if isinstance(judgement, Ask) and pending.status is CallStatus.ALLOWED:
            judgement = Allow(sandboxed=judgement.sandboxed)
        if isinstance(judgement, Allow):
            log.add(ev.ToolStarted(pending.call.id, pending.call.name))
    return judgement


def _judged(
    facts: CallFacts, state: SessionState, config: PlanModeConfig, ground: Ground
) -> Judgement:
    """Ask the guard; one that fails says no, so that nothing runs unjudged."""
    try:
        return judge(facts, state, config, ground)
    except Exception:
        logger.exception("the guard failed on %s", facts.name)
        return Deny(Refusal.GUARD_FAILED)


def append(claim: Claim, *events: ev.Event) -> None:
    """Add ``events`` to the log of the turn that the worker holds.

    Raises:
        ClaimLostError: another worker holds it.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        log.add(*events)


def finish_call(
    claim: Claim, finished: ev.ToolFinished, *before: ev.Event, plan_bytes: bytes | None = None
) -> None:
    """Write a call's one result, with the events that belong to it and the plan file's bytes.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        if plan_bytes is not None and log.state.plan.plan_id:
            planfiles.keep(claim.session_id, log.state.plan.plan_id, plan_bytes)
        log.add(*before, finished)


def park(claim: Claim, asks: ev.QuestionAsked | ev.ApprovalRequested) -> None:
    """Let the turn wait for a person: no worker is held.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        log.add(asks)
        _release(claim, ev.TurnState.WAITING)


def holds(claim: Claim) -> bool:
    """Return whether the turn is still the worker's."""
    return Turn.objects.held(claim).exists()


def check_held(claim: Claim) -> None:
    """Refuse what the worker is about to do outside the database, unless the turn is still its own.

    Raises:
        ClaimLostError: another worker holds the turn, or nobody.
    """
    if not holds(claim):
        raise ClaimLostError(f"turn {claim.turn_id} is in other hands")


def let_go(claim: Claim) -> None:
    """Say that nothing of a cancelled turn runs any more: the session's next turn may begin."""
    cancelled = Turn.objects.filter(
        pk=claim.turn_id, fence=claim.fence, state=ev.TurnState.CANCELLED
    )
    if cancelled.update(lease_until=None):
        for turn in Turn.objects.filter(session_id=claim.session_id).due():
            wake(turn.pk)


def hand_back(claim: Claim) -> None:
    """Give the turn back to the queue: the slice is used up, or the worker stops."""
    _release(claim, ev.TurnState.QUEUED)
    wake(claim.turn_id)


def wait_again(claim: Claim) -> None:
    """Let the turn wait on: it was taken although nobody has answered yet."""
    _release(claim, ev.TurnState.WAITING)


def retry_later(claim: Claim, failed: ev.ModelFailed) -> None:
    """Note a failed model call; the turn is due again after ``retry_in_ms``.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(claim.session_id, claim=claim) as log:
        log.add(failed)
        delay = timedelta(milliseconds=failed.retry_in_ms or 0)
        held = Turn.objects.held(claim)
        held.update(state=ev.TurnState.QUEUED, due_at=Now() + delay, lease_until=None)


def end_turn(claim: Claim, state: ev.TurnState, *events: ev.Event, reason: str = "") -> bool:
    """End the turn; return false, and change nothing, when a message came in the last moment.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    with families.opened(claim.session_id, claim=claim) as family:
        log = family.log
        if state is ev.TurnState.DONE and log.state.turn.unseen:
            return False
        log.add(*events)
        detail = next((e.detail for e in events if isinstance(e, ev.ModelFailed)), "")
        turn = Turn.objects.get(pk=claim.turn_id)
        close_turn(family, turn, ev.TurnEnded(turn.number, state, reason, detail))
        if state is ev.TurnState.STOPPED and log.state.turn.unseen:
            queue_turn(log)  # what was said while the turn waited gets its answer now
    return True


def end_lost(claim: Claim) -> None:
    """End a turn that took worker after worker with it, each before it could write an event.

    The row alone says so where the log can't be opened, or where opening it was what they died of.
    A database that does not answer now is asked again when the lease has run out.

    Raises:
        ClaimLostError: another worker holds the turn.
        OperationalError: the database does not answer.
    """
    if claim.idle <= MOST_IDLE_CLAIMS + LOG_TRIES:
        try:
            end_turn(claim, ev.TurnState.FAILED, reason=Failure.WORKER_LOST)
        except (ClaimLostError, OperationalError):
            raise
        except Exception:
            logger.exception("the log of turn %s can't be opened", claim.turn_id)
        else:
            return
    try:
        _end_by_row(claim)
    except (ClaimLostError, OperationalError):
        raise
    except Exception:
        logger.exception("nobody can be told of turn %s", claim.turn_id)
        _fail_row(claim)


def _end_by_row(claim: Claim) -> None:
    """End the turn by its row; where an agent waits for it, that is told."""
    with families.parent_opened(claim.session_id) as parent:
        if _fail_row(claim) and parent is not None:
            child, failed = str(claim.session_id), ev.TurnState.FAILED
            families.tell(parent, ev.ChildReported(child, "", failed, Failure.WORKER_LOST))


def _fail_row(claim: Claim) -> bool:
    held = Turn.objects.held(claim)
    failed, why = ev.TurnState.FAILED, Failure.WORKER_LOST
    return bool(held.update(state=failed, reason=why, ended_at=Now(), lease_until=None))


def _release(claim: Claim, state: ev.TurnState) -> None:
    held = Turn.objects.held(claim)
    if not held.update(state=state, due_at=Now(), lease_until=None):
        raise ClaimLostError(f"turn {claim.turn_id} is in other hands")


# What the verbs of people do to turns, too.


def queue_turn(log: Log) -> None:
    """Make the session's next turn due."""
    number = log.state.turn.number + 1
    turn = Turn.objects.create(session=log.session, number=number)
    log.add(ev.TurnQueued(number))
    wake(turn.pk)


def close_turn(family: Family, turn: Turn, ended: ev.TurnEnded) -> None:
    """End ``turn``, whoever holds it: nothing more can be written with its claim.

    The lease stays only where another than its worker ends a turn whose tool runs. The agent that
    started this one hears of it.
    """
    log = family.log
    turn.state, turn.reason, turn.detail = ended.state, ended.reason, ended.detail
    turn.ended_at = log.now
    if ended.state is not ev.TurnState.CANCELLED or not under_way(log.state):
        turn.lease_until = None
    turn.save(update_fields=["state", "reason", "detail", "ended_at", "lease_until"])
    log.add(ended)
    modes.take_up(log)  # no step comes any more that they could wait for
    families.report(family, ended)


def resolve_review(log: Log, resolved: ev.PlanResolved) -> None:
    """Resolve the open review; plan mode ends here and now where the outcome says so."""
    plan = log.state.plan
    log.add(resolved)
    if CONSEQUENCES[resolved.outcome].exits_plan_mode and plan.active and plan.plan_id:
        mode, note = modes.mode_after_planning(log)
        log.add(ev.PlanModeExited(plan.plan_id, mode, cause=resolved.outcome.value, note=note))
