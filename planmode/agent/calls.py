"""One tool call: judged when it runs, answered exactly once."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, assert_never
from uuid import UUID

from uuid6 import uuid7

from planmode import children, turns
from planmode.agent import results
from planmode.agent.catalog import ArgumentsInvalidError, parse, tools_of
from planmode.agent.contracts import (
    Asks,
    Enters,
    Spawns,
    Submits,
    Tool,
    ToolContext,
    ToolOutcome,
    ToolResult,
)
from planmode.agent.outside.tool import OutsideTool
from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.children import Task
from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.errors import (
    ClaimLostError,
    DomainError,
    PlanInvalidError,
    StoredDataError,
    TurnOpenError,
)
from planmode.core.guard import Allow, Ask, Deny, Ground, Judgement, Refusal, Review, offered
from planmode.core.moves import TurnLimits
from planmode.core.presets import PlanModeConfig
from planmode.core.state import CallStatus, PendingCall, SessionState, fingerprint
from planmode.core.titles import opens_with_title
from planmode.models import Claim
from planmode.store import eventlog, leases, planfiles
from planmode.store.confined import ConfinedFolder, PathRefusedError
from prompts.rendering import reminder

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a slice works with: the claim, the ground rules, and the state as it now is.

    ``section`` is what the deployment tells agents while they plan, where it does; ``outside`` are
    the tools of its servers that this turn has.
    """

    claim: Claim
    workspace: str
    model: str
    config: PlanModeConfig
    ground: Ground
    sandbox: Sandbox
    state: SessionState
    section: str = ""
    outside: tuple[OutsideTool, ...] = ()

    @property
    def tools(self) -> Mapping[str, Tool[Any]]:
        """Every tool that there is for the agent, by name."""
        return tools_of(self.config, self.outside)

    @property
    def check(self) -> Callable[[], None]:
        """What must pass right before a file changes: the turn is still this worker's."""
        return partial(turns.check_held, self.claim)

    @property
    def reach(self) -> Reach:
        """The files that tools may touch, with the plan file of the present state."""
        plan = self.state.plan
        has_file = plan.plan_id and self.config.plan_folder != "none"
        return Reach(
            workspace=ConfinedFolder(Path(self.workspace), check=self.check),
            plans=_plans(self.claim.session_id, self.check),
            plan_file=planfiles.relative(plan.plan_id or "", plan.folder) if has_file else None,
            in_workspace=bool(plan.folder),
        )


def _plans(session_id: UUID, check: Callable[[], None]) -> ConfinedFolder | None:
    """Return the session's folder; without it the reminders' inline texts tell the agent."""
    try:
        return planfiles.folder(session_id, check)
    except PathRefusedError as error:
        logger.warning("session %s has no plan folder: %s", session_id, error)
        return None


def judge_and_run(bench: Bench, pending: PendingCall) -> None:
    """Judge the call on the state as it is now; run it, refuse it, or let a person decide.

    Raises:
        ClaimLostError: another worker holds the turn.
    """
    call = pending.call
    tool = bench.tools.get(call.name)
    if tool is None:
        known = (name for name in bench.tools if offered(name, bench.state, bench.config))
        turns.append(bench.claim, results.unknown(call, ", ".join(known)))
        return
    try:
        args = parse(tool, call.args)
    except ArgumentsInvalidError as error:
        turns.append(bench.claim, results.invalid(call, str(error)))
        return
    _Run(bench, pending, tool, args).go()


@dataclass(frozen=True, slots=True)
class _Run:
    """One call on its way through the guard and the tool."""

    bench: Bench
    pending: PendingCall
    tool: Tool[Any]
    args: Any

    @property
    def call(self) -> ToolCall:
        return self.pending.call

    def context(self, *, sandboxed: bool = False) -> ToolContext:
        bench = self.bench
        return ToolContext(
            bench.reach,
            bench.state,
            bench.sandbox,
            sandboxed=sandboxed,
            claim=bench.claim,
            call_id=self.call.id,
            rules=bench.ground.rules,
        )

    def go(self) -> None:
        """Judge and act."""
        judgement = self._judged()
        match judgement:
            case Allow(sandboxed=sandboxed):
                self._run(sandboxed=sandboxed)
            case Deny(why=why):
                self._refuse(why)
            case Ask():
                self._ask()
            case Review(auto=auto):
                self._submit(auto=auto)
            case _:
                assert_never(judgement)

    def _judged(self) -> Judgement:
        """Ask the guard in the transaction that writes ``tool.started``.

        A guard that fails says no: nothing that could change something runs unjudged.
        """
        try:
            facts = self.tool.facts(self.args, self.context())
        except Exception:
            logger.exception("the facts of %s could not be told", self.call.name)
            return Deny(Refusal.GUARD_FAILED)
        return turns.begin_call(
            self.bench.claim, self.pending, facts, self.bench.config, self.bench.ground
        )

    def _refuse(self, why: Refusal) -> None:
        reach = self.bench.reach
        refused = results.refused(
            why,
            self.call,
            plan_file=reach.plan_path or "",
            workspace=self.bench.workspace,
            source=self.bench.config.source,
        )
        turns.refuse_call(self.bench.claim, _counted(self.bench, self.call, refused))

    def _ask(self) -> None:
        summary = self.tool.summary(self.args)
        approval = ev.ApprovalRequested(
            str(uuid7()), self.call.id, self.call.name, summary, self.call.args
        )
        turns.park(self.bench.claim, approval)

    def _run(self, *, sandboxed: bool) -> None:
        began = time.monotonic()
        with leases.kept(self.bench.claim) as lost:
            _restore(self.bench)  # a person may have edited the plan since the last tool
            sandbox = replace(self.bench.sandbox, abandoned=lost)
            outcome = self._outcome(replace(self.context(sandboxed=sandboxed), sandbox=sandbox))
        duration_ms = round((time.monotonic() - began) * 1000)
        match outcome:
            case ToolResult():
                self._finish(outcome, duration_ms)
            case Asks(items=items):
                asked = ev.QuestionAsked(str(uuid7()), self.call.id, items)
                turns.park(self.bench.claim, asked)
            case Enters():
                self._enter()
            case Spawns():
                self._spawn(outcome)
            case Submits():
                raise AssertionError("the guard allows no submission without a review")
            case _:
                assert_never(outcome)

    def _outcome(self, context: ToolContext) -> ToolOutcome:
        """Run the tool; a tool that breaks has an error result, the turn goes on."""
        try:
            return self.tool.run(self.args, context)
        except ClaimLostError:
            raise
        except Exception as error:
            logger.exception("%s broke in call %s", self.call.name, self.call.id)
            text = results.failed(self.call, f"internal error ({type(error).__name__})").text
            return ToolResult(text, is_error=True)

    def _finish(self, result: ToolResult, duration_ms: int) -> None:
        turn = self.bench.state.turn
        again = turn.repeats + 1 if turn.repeated == fingerprint(self.call) else 1
        finished = results.repeated(results.ran(self.call, result, duration_ms), again)
        turns.finish_call(self.bench.claim, finished, *result.events, plan_bytes=result.plan_bytes)

    def _enter(self) -> None:
        try:
            turns.enter_plan_mode(self.bench.claim, self._entered)
        except PathRefusedError as error:
            turns.append(self.bench.claim, results.failed(self.call, str(error)))

    def _spawn(self, spawns: Spawns) -> None:
        task = Task(self.call.id, spawns.profile, spawns.task, spawns.child)
        try:
            children.give(self.bench.claim, task)
        except TurnOpenError as error:
            turns.append(self.bench.claim, results.failed(self.call, str(error)))

    def _entered(self, entered: ev.PlanModeEntered) -> ev.ToolFinished:
        """Return what the call is told; without a place for the plan, plan mode stays off."""
        config, state = self.bench.config, self.bench.state
        plan = replace(state.plan, plan_id=entered.plan_id, folder=entered.folder)
        plan_path = replace(self.bench, state=replace(state, plan=plan)).reach.plan_path
        if plan_path is None and config.plan_folder != "none":
            raise PathRefusedError("there is no folder for the plan at the moment")
        return results.entered(self.call, plan_path or "", config.source)

    def _submit(self, *, auto: bool) -> None:
        bench, plan_file = self.bench, self.bench.reach.plan_path or ""
        submits = self.tool.run(self.args, self.context())
        if not isinstance(submits, Submits):
            raise AssertionError("a tool that leaves plan mode submits")  # noqa: TRY004 - no type
        try:
            content = _submitted(bench, submits)
            if content is None:
                turns.append(bench.claim, results.no_plan_file(self.call, plan_file))
                return
            submission = turns.Submission(self.call.id, content, submits.options, auto=auto)
            turns.submit_plan(bench.claim, submission)
        except DomainError as error:
            source = bench.config.source
            failed = results.not_submitted(self.call, error, bench.state, plan_file, source)
            turns.append(bench.claim, failed)


def _counted(bench: Bench, call: ToolCall, refused: ev.ToolFinished) -> ev.ToolFinished:
    """Return the refusal, of the guard or of a person, with what its repetition calls for."""
    times = bench.state.turn.refusals.get(fingerprint(call), 0) + 1
    return results.refused_again(refused, times)


def _submitted(bench: Bench, submits: Submits) -> bytes | None:
    """Return the plan's bytes, ``None`` when the plan file is missing or blank.

    Raises:
        PlanInvalidError: the plan file can't be read, or the plan has no title.
    """
    if submits.plan is not None:
        if not opens_with_title(submits.plan):
            raise PlanInvalidError("it has to begin with a heading of the first level ('# Name')")
        return submits.plan.encode()
    _restore(bench)
    try:
        content = bench.reach.read_plan()
    except PathRefusedError as error:
        raise PlanInvalidError(str(error)) from error
    return content if content and content.strip() else None


def _restore(bench: Bench) -> None:
    """Put the plan file back as the log tells it, should another hand have been at it meanwhile."""
    plan = bench.state.plan
    if plan.plan_id is not None:
        planfiles.restore(bench.claim.session_id, plan.plan_id, bench.check, below=plan.folder)


def recover(bench: Bench, pending: PendingCall) -> None:
    """Go on with a call that was started and never answered.

    What changes nothing runs again, unless it took three workers with it; anything else is
    answered *interrupted*, so that nothing is done twice.
    """
    tool = bench.tools.get(pending.call.name)
    if tool is not None and tool.repeatable and pending.starts < TurnLimits().attempts:
        judge_and_run(bench, replace(pending, status=CallStatus.DUE))
    else:
        turns.append(bench.claim, results.interrupted(pending.call))


def deliver(bench: Bench, pending: PendingCall) -> None:
    """Write the call's result from the answer that lies in the log.

    An approved plan whose bytes are damaged by now is an error result, which lets nothing be done.
    Where the plan was a reply, which has no result, the same is told as a reminder.
    """
    finished = _answered(bench, pending)
    if finished.verdict is ev.Verdict.REFUSED:
        finished = _counted(bench, pending.call, finished)
    if pending.call.id:
        turns.append(bench.claim, finished)
        return
    told = ev.ReminderInjected(
        ev.Variant.PLAN_REVIEW,
        ev.ReminderKind.REVIEWED,
        reminder(finished.text),
        bench.state.plan.plan_id,
        stops_turn=finished.stops_turn,
    )
    nothing_to_do = (ev.PlanStepsListed(()),) if finished.is_error else ()
    turns.append(bench.claim, *nothing_to_do, told)


def _answered(bench: Bench, pending: PendingCall) -> ev.ToolFinished:
    session_id: UUID = bench.claim.session_id
    answer = eventlog.at(session_id, pending.answer)
    saved_as = _saved_as(session_id, bench.state.plan.folder)
    try:
        return results.answered(session_id, pending.call, answer, saved_as, bench.config)
    except StoredDataError as error:
        logger.exception("the answer to call %s of %s is damaged", pending.call.id, session_id)
        return results.damaged(session_id, pending.call, error, bench.config.source)


def _saved_as(session_id: UUID, folder: str) -> str:
    submitted = eventlog.find_last(session_id, ev.PlanSubmitted)
    if submitted is None:
        return ""
    return str(planfiles.path(session_id, submitted.plan_id, folder))


def skip(bench: Bench, pending: PendingCall) -> None:
    """Answer a call that will not run, because an earlier one stopped the turn."""
    turns.append(bench.claim, results.skipped(pending.call))
