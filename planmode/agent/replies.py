"""A reply that is a plan, and what later ones claim about it."""

import logging

from planmode import turns
from planmode.agent import results
from planmode.agent.calls import Bench
from planmode.core import events as ev
from planmode.core.errors import ClaimLostError, DomainError
from planmode.core.failures import Halt
from planmode.core.plansteps import claims, find_steps
from planmode.core.presets import PlanModeConfig
from planmode.core.state import REPLY, SessionState
from planmode.store import eventlog
from prompts.rendering import reminder

logger = logging.getLogger(__name__)


def read(bench: Bench) -> None:
    """Look for a plan in the reply that ended the turn; submit it, or note that there is none.

    An earlier reply's steps never stand in for those of this one. What a person chose meanwhile
    comes first: where they switched plan mode off, nobody waits for a plan.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    if bench.state.wanted.pending:
        turns.take_choices(bench.claim)
        return
    reply = eventlog.last(bench.claim.session_id, ev.ModelReplied).text
    steps = find_steps(reply)
    if not steps:
        turns.append(bench.claim, ev.PlanStepsListed(()))
        return
    try:
        turns.submit_plan(bench.claim, turns.Submission("", reply.encode(), steps=steps))
    except ClaimLostError:
        raise
    except DomainError as error:
        _not_submitted(bench, error)


def _not_submitted(bench: Bench, error: DomainError) -> None:
    """Tell the agent what is wrong with its plan; the second time a person has to look."""
    logger.info("no review in session %s: %s", bench.claim.session_id, error.code)
    nothing = ev.PlanStepsListed(())
    if bench.state.turn.reminders:
        turns.end_turn(bench.claim, ev.TurnState.STOPPED, nothing, reason=Halt.UNSUBMITTED)
        return
    source = bench.config.source
    result = results.not_submitted(REPLY, error, bench.state, plan_file="", source=source)
    told = ev.ReminderInjected(
        ev.Variant.TURN_END,
        ev.ReminderKind.UNSUBMITTED,
        reminder(result.text),
        bench.state.plan.plan_id,
    )
    turns.append(bench.claim, nothing, told)


def claimed(
    reply: str, state: SessionState, config: PlanModeConfig
) -> tuple[ev.PlanStepsListed, ...]:
    """Return what ``reply`` changes about the steps of the plan that is being carried out."""
    if config.completion != "claimed" or state.plan.active:
        return ()
    steps = claims(reply, state.plan.steps)
    return (ev.PlanStepsListed(steps),) if steps != state.plan.steps else ()
