"""The loop of a turn: ask, judge, run, append, until something ends it."""

import logging
import random
import time
from dataclasses import replace
from functools import partial
from typing import Final, assert_never

from django.conf import settings
from django.db import OperationalError

from planmode import turns
from planmode.agent import calls, replies
from planmode.agent.calls import Bench
from planmode.agent.contracts import ModelFailureError
from planmode.agent.ground import GroundError, ground_of
from planmode.agent.injection import at_turn_end, before_step
from planmode.agent.models import open_model
from planmode.agent.outside.tool import OutsideTool
from planmode.agent.outside.toolbox import toolbox
from planmode.agent.request import build_request
from planmode.agent.sandbox import Sandbox
from planmode.agent.stopping import STOPPING
from planmode.core import events as ev
from planmode.core.errors import ClaimLostError
from planmode.core.failures import Failure
from planmode.core.moves import (
    AskModel,
    Deliver,
    End,
    Judge,
    Move,
    Park,
    ReadReply,
    Recover,
    Remind,
    Skip,
    TurnLimits,
    next_move,
)
from planmode.core.presets import PlanModeConfig
from planmode.core.profiles import PROFILES
from planmode.core.state import SessionState
from planmode.knobs import knobs, section_of
from planmode.models import Claim, Session
from planmode.store import leases, planfiles

logger = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 4
FIRST_RETRY_MS: Final = 1000


def run(claim: Claim, *, until: float) -> None:
    """Work on the claimed turn until it ends, must wait, or ``until`` (monotonic seconds).

    Everything is in the log at each step's end, so whoever claims the turn next goes on from there.
    A claim that was lost ends the slice quietly: the successor does the work. A database that does
    not answer ends it, too: the lease runs out and the turn is taken again. Whatever else breaks
    ends the turn, visibly, rather than breaking worker after worker; so does a turn that three
    workers took without a trace.
    """
    try:
        if claim.idle > turns.MOST_IDLE_CLAIMS:
            turns.end_lost(claim)
        else:
            _slice(claim, until)
    except ClaimLostError:
        logger.info("turn %s is in other hands; this worker stops", claim.turn_id)
        turns.let_go(claim)
    except OperationalError:
        logger.warning("turn %s waits for the database", claim.turn_id, exc_info=True)
    except GroundError as error:
        logger.error("turn %s can't go on: %s", claim.turn_id, error)  # noqa: TRY400 - an admin's
        _end_broken(claim, Failure.RULES_INVALID)
    except Exception:
        logger.exception("turn %s broke", claim.turn_id)
        _end_broken(claim, Failure.INTERNAL_ERROR)
        raise


def _end_broken(claim: Claim, failure: Failure) -> None:
    try:
        turns.end_turn(claim, ev.TurnState.FAILED, reason=failure)
    except ClaimLostError:  # cancelled meanwhile
        turns.let_go(claim)


def _slice(claim: Claim, until: float) -> None:
    _restore_plan_file(claim)
    while True:
        bench = _bench(claim)
        move = next_move(bench.state, bench.config, TurnLimits())
        if not _act(bench, move):
            return
        if STOPPING.is_set() or time.monotonic() >= until:
            turns.hand_back(claim)
            return


def _bench(claim: Claim) -> Bench:
    session = Session.objects.select_related("project").get(pk=claim.session_id)
    config, sandbox = knobs(session.fold.preset), Sandbox.probe()
    return Bench(
        claim=claim,
        workspace=session.workspace,
        model=session.model,
        config=config,
        section=_section(config, session.project.plan_section),
        outside=_outside(claim, session.fold, config),
        ground=ground_of(session.project, session.fold, sandbox=sandbox.available),
        sandbox=sandbox,
        state=session.fold,
    )


def _outside(claim: Claim, state: SessionState, config: PlanModeConfig) -> tuple[OutsideTool, ...]:
    """Return the outside tools of the turn: none for children, which the guard would refuse."""
    if PROFILES[state.profile].tools is not None:
        return ()
    tools = toolbox().tools(claim.session_id, claim.turn_id)
    if config.tools == "read_only" and state.plan.active:
        return tuple(tool for tool in tools if tool.repeatable)  # those alone change nothing
    return tools


def _section(config: PlanModeConfig, own: str) -> str:
    """Return the deployment's instructions; a file that can't be read gives none."""
    if config.workflow != "section":
        return ""
    try:
        return section_of(own)
    except (OSError, UnicodeDecodeError):
        logger.exception("PLAN_SECTION_FILE can't be read")
        return ""


def _restore_plan_file(claim: Claim) -> None:
    plan = Session.objects.get(pk=claim.session_id).fold.plan
    if plan.plan_id is not None:
        check = partial(turns.check_held, claim)
        planfiles.restore(claim.session_id, plan.plan_id, check, below=plan.folder)


def _act(bench: Bench, move: Move) -> bool:  # noqa: C901, PLR0912 - one arm for each move
    """Do ``move``; return whether this worker goes on."""
    match move:
        case AskModel(number=number):
            if bench.state.wanted.pending:
                turns.take_choices(bench.claim)
                return True
            return _step(bench, number)
        case Judge(pending=pending):
            calls.judge_and_run(bench, pending)
        case Recover(pending=pending):
            calls.recover(bench, pending)
        case Deliver(pending=pending):
            calls.deliver(bench, pending)
        case Skip(pending=pending):
            calls.skip(bench, pending)
        case Park():
            turns.wait_again(bench.claim)
            return False
        case ReadReply():
            replies.read(bench)
        case Remind(kind=kind):
            turns.append(bench.claim, at_turn_end(kind, bench.state, bench.config))
        case End(state=state, reason=reason):
            return not turns.end_turn(bench.claim, state, reason=reason)
        case _:
            assert_never(move)
    return turns.holds(bench.claim)  # a call that waits for a person let go of the turn


def _step(bench: Bench, number: int) -> bool:
    """Ask the model once; return whether this worker goes on.

    Where instructions alone constrain an agent, it plans with them or not at all.
    """
    if bench.config.workflow == "section" and bench.state.plan.active and not bench.section:
        turns.end_turn(bench.claim, ev.TurnState.FAILED, reason=Failure.NO_SECTION)
        return False
    reminders = before_step(bench.state, bench.config, bench.reach, bench.ground)
    turns.append(bench.claim, *reminders, ev.StepStarted(number))
    began = time.monotonic()
    try:
        with leases.kept(bench.claim):
            request = build_request(
                bench.claim.session_id, bench.state, bench.reach, bench.config, bench.section
            )
            outside = tuple(tool.spec() for tool in bench.outside)
            request = replace(request, tools=(*request.tools, *outside))
            reply = open_model(bench.model).ask(request)
    except ModelFailureError as error:
        return _failed(bench, error)
    replied = ev.ModelReplied(
        reply.text,
        reply.calls,
        reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        latency_ms=round((time.monotonic() - began) * 1000),
        mark=reply.mark,
    )
    turns.append(bench.claim, replied, *replies.claimed(reply.text, bench.state, bench.config))
    return True


def _failed(bench: Bench, error: ModelFailureError) -> bool:
    """Try again later, or end the turn, visibly; the attempts are counted in the log."""
    attempt = bench.state.turn.failures + 1
    if error.worth_retrying and attempt < MOST_ATTEMPTS:
        wait = FIRST_RETRY_MS * 2 ** (attempt - 1)
        wait += random.randrange(wait // 2)  # noqa: S311 - jitter, no secret
        turns.retry_later(bench.claim, ev.ModelFailed(error.kind, str(error), wait))
    else:
        failed = ev.ModelFailed(error.kind, str(error), None)
        turns.end_turn(bench.claim, ev.TurnState.FAILED, failed, reason=error.kind)
    return False


def slice_end() -> float:
    """Return when a slice that begins now is used up (monotonic seconds)."""
    return time.monotonic() + float(settings.SLICE_S)
