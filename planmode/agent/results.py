"""What a tool call's result says, when the tool does not."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from planmode.agent import remarks
from planmode.agent.contracts import ToolResult
from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.errors import (
    DomainError,
    PlanInvalidError,
    PlanTooLargeError,
    PlanUnchangedError,
    StoredDataError,
)
from planmode.core.failures import Halt, in_words
from planmode.core.guard import Refusal
from planmode.core.outcomes import Outcome, consequence
from planmode.core.plansteps import find_steps, listed
from planmode.core.presets import PlanModeConfig
from planmode.core.profiles import PROFILES
from planmode.core.state import SessionState
from planmode.store import eventlog, revisions
from prompts.library import variant
from prompts.rendering import escaped, framed, render, render_from

REVIEWER = "reviewer"
FILE: Final = "plan_file"
SAID_FROM: Final = 3
REFUSED_UNTIL: Final = 5
WARNED_AT: Final = frozenset({3, 5, 8})
REPEATED_UNTIL: Final = 12
LONGEST_REPORT: Final = 32 * 1024
"""Bytes of a child's answer that its parent is given."""


def refused(
    why: Refusal, call: ToolCall, *, plan_file: str, workspace: str, source: str = FILE
) -> ev.ToolFinished:
    """Return the result of a call that the guard refused: what to do instead.

    ``source`` is where plans come from in this kind of session, here and below.
    """
    known = {"tool": call.name, "plan_file": plan_file, "workspace": workspace}
    text = render_from(variant(f"results/{why}", source), known)
    return _finished(call, ev.Verdict.DENIED, text)


def refused_again(refused: ev.ToolFinished, times: int) -> ev.ToolFinished:
    """Return the refusal with what the model must know of the ``times`` it asked for the same.

    The third time it is told, the fifth ends the turn: a person has to look.
    """
    if times < SAID_FROM:
        return refused
    last = times >= REFUSED_UNTIL
    name = "refused_for_good" if last else "refused_again"
    text = f"{refused.text}\n\n{render(f'results/{name}', times=str(times))}"
    halt = Halt.SAME_REFUSED_CALL.value if last else ""
    return replace(refused, text=text, stops_turn=last, halt=halt)


def repeated(finished: ev.ToolFinished, times: int) -> ev.ToolFinished:
    """Return the result with a warning where the same call came ``times`` in a row.

    An agent that turns in a circle is stopped. Source: kimi:X7.
    """
    if times >= REPEATED_UNTIL:
        text = f"{finished.text}\n\n{render('results/repeated_for_good', times=str(times))}"
        return replace(finished, text=text, stops_turn=True, halt=Halt.SAME_CALL.value)
    if times not in WARNED_AT:
        return finished
    warning = render("results/repeated", times=str(times))
    return replace(finished, text=f"{finished.text}\n\n{warning}")


def ran(call: ToolCall, result: ToolResult, duration_ms: int) -> ev.ToolFinished:
    """Return the result of a tool that ran to its end.

    What a tool tells may come from anywhere, a file or a program: nothing in it may read like a
    word of ours to the model.
    """
    return ev.ToolFinished(
        call.id,
        call.name,
        framed(result.text, result.source) if result.source else escaped(result.text),
        is_error=result.is_error,
        stops_turn=result.stops_turn,
        duration_ms=duration_ms,
    )


def invalid(call: ToolCall, problems: str) -> ev.ToolFinished:
    """Return the result of a call whose arguments can't be used."""
    text = render("results/invalid_arguments", tool=escaped(call.name), problems=escaped(problems))
    return _finished(call, ev.Verdict.INVALID, text)


def unknown(call: ToolCall, known: str) -> ev.ToolFinished:
    """Return the result of a call to a tool that does not exist."""
    text = render("results/unknown_tool", tool=escaped(call.name), known=known)
    return _finished(call, ev.Verdict.INVALID, text)


def skipped(call: ToolCall) -> ev.ToolFinished:
    """Return the result of a call behind one that stopped the turn."""
    return _finished(call, ev.Verdict.SKIPPED, render("results/skipped"))


def interrupted(call: ToolCall) -> ev.ToolFinished:
    """Return the result of a call whose worker died: nobody knows what it did."""
    return _finished(call, ev.Verdict.INTERRUPTED, render("results/interrupted"))


def failed(call: ToolCall, problem: str) -> ev.ToolFinished:
    """Return the result of a tool that broke."""
    text = render("results/tool_failed", tool=call.name, problem=escaped(problem))
    return _finished(call, ev.Verdict.RAN, text)


def not_submitted(
    call: ToolCall, error: DomainError, state: SessionState, plan_file: str, source: str = FILE
) -> ev.ToolFinished:
    """Return the result of an ExitPlanMode that opened no review."""
    known = {
        "problem": escaped(str(error)),
        "plan_file": plan_file,
        "tool": call.name,
        "version": str(state.plan.revision_count.get(state.plan.plan_id or "", 0)),
        "outcome": str(state.plan.last_outcome or "without a decision"),
    }
    return _finished(call, ev.Verdict.RAN, render_from(variant(_problem(error), source), known))


def _problem(error: DomainError) -> str:
    match error:
        case PlanTooLargeError():
            return "results/plan_too_large"
        case PlanInvalidError():
            return "results/plan_unreadable"
        case PlanUnchangedError():
            return "results/plan_unchanged"
        case StoredDataError():
            return "results/plan_not_stored"
        case _:
            return "results/tool_failed"


def no_plan_file(call: ToolCall, plan_file: str) -> ev.ToolFinished:
    """Return the result of an ExitPlanMode without a plan."""
    return _finished(call, ev.Verdict.RAN, render("results/no_plan_file", plan_file=plan_file))


def entered(call: ToolCall, plan_file: str, source: str = FILE) -> ev.ToolFinished:
    """Return the result of EnterPlanMode."""
    name = variant("results/entered_plan_mode", source)
    text = render_from(name, {"plan_file": plan_file})
    return ev.ToolFinished(call.id, call.name, text)


def answered(
    session_id: UUID, call: ToolCall, answer: ev.Event, saved_as: str, config: PlanModeConfig
) -> ev.ToolFinished:
    """Return the result that a person's answer (an event of the log) gives the call.

    Raises:
        StoredDataError: the approved bytes are missing or damaged.
    """
    match answer:
        case ev.QuestionAnswered():
            return _answers(session_id, call, answer)
        case ev.ApprovalResolved(note=note):
            text = render("results/refused_by_person", reason=_reason(note))
            return _finished(call, ev.Verdict.REFUSED, text)
        case ev.ChildReported():
            return _reported(session_id, call, answer)
        case ev.PlanReviewClosed():
            return _expired(session_id, call)
        case ev.PlanResolved():
            return _resolved(session_id, call, answer, saved_as, config)
        case _:
            raise AssertionError(f"{answer} answers no call")


def _expired(session_id: UUID, call: ToolCall) -> ev.ToolFinished:
    """Return that nobody decided: the agent must take it for neither a yes nor a no."""
    version = str(eventlog.last(session_id, ev.PlanSubmitted).version)
    return ev.ToolFinished(
        call.id,
        call.name,
        render("results/expired", version=version),
        is_error=True,
        stops_turn=True,
        halt=Halt.REVIEW_EXPIRED.value,
    )


def _reported(session_id: UUID, call: ToolCall, reported: ev.ChildReported) -> ev.ToolFinished:
    """Return what the child said, as data: its words are no instructions of anybody."""
    profile = eventlog.last(session_id, ev.ChildStarted).profile
    source = f"agent of the profile {profile}"
    done = reported.state is ev.TurnState.DONE
    known = {
        "profile": profile,
        "child": reported.child,
        "state": reported.state.value,
        "why": in_words(reported.reason) or "no reason is known",
        "again": render("results/child_again", child=reported.child)
        if PROFILES[profile].reusable
        else "",
        "report": framed(reported.text, source, limit=LONGEST_REPORT) if reported.text else "",
    }
    name = "child_done" if done and reported.text.strip() else "child_ended"
    text = render_from(f"results/{name}", known)
    return ev.ToolFinished(call.id, call.name, text, is_error=name == "child_ended")


def damaged(
    session_id: UUID, call: ToolCall, error: StoredDataError, source: str = FILE
) -> ev.ToolFinished:
    """Return the result of an ExitPlanMode whose approved bytes can't be given back."""
    version = str(eventlog.last(session_id, ev.PlanSubmitted).version)
    name = variant("results/approved_damaged", source)
    text = render(name, version=version, problem=str(error))
    return _finished(call, ev.Verdict.RAN, text)


def _answers(session_id: UUID, call: ToolCall, answer: ev.QuestionAnswered) -> ev.ToolFinished:
    asked = eventlog.last(session_id, ev.QuestionAsked)
    pairs = zip(asked.items, answer.answers, strict=True)
    text = "\n\n".join(f"{escaped(item.text)}\n{framed(said, 'person')}" for item, said in pairs)
    return ev.ToolFinished(call.id, call.name, render("results/answers", answers=text))


def _resolved(
    session_id: UUID,
    call: ToolCall,
    resolved: ev.PlanResolved,
    saved_as: str,
    config: PlanModeConfig,
) -> ev.ToolFinished:
    submitted = eventlog.last(session_id, ev.PlanSubmitted)
    follows = consequence(resolved.outcome, config)
    known = {
        "version": str(submitted.version),
        "reason": _reason(resolved.reason),
        "comments": remarks.section(resolved.comments, version=submitted.version),
    }
    if follows.approved:
        known |= _approval(resolved, submitted, saved_as)
    if resolved.outcome is Outcome.REVISE:
        known["feedback"] = framed(resolved.feedback, REVIEWER) if resolved.feedback else ""
    return ev.ToolFinished(
        call.id,
        call.name,
        render_from(variant(_outcome_text(resolved), config.source), known),
        is_error=follows.is_error,
        stops_turn=follows.stops_turn or not resolved.start,
    )


def _outcome_text(resolved: ev.PlanResolved) -> str:
    if resolved.outcome is Outcome.APPROVED and not resolved.start:
        return "results/approved_without_start"
    return f"results/{resolved.outcome}"


def _approval(
    resolved: ev.PlanResolved, submitted: ev.PlanSubmitted, saved_as: str
) -> dict[str, str]:
    notes = framed(resolved.feedback, REVIEWER) if resolved.feedback else ""
    return {
        "option": render("results/option", label=resolved.option) if resolved.option else "",
        "notes": render("results/notes", notes=notes) if notes else "",
        "edited": render("results/edited") if submitted.edited_by is not None else "",
        **_plan(submitted, saved_as),
    }


def _plan(submitted: ev.PlanSubmitted, saved_as: str) -> dict[str, str]:
    # From the blob, never from the file: the file may have changed since.
    content = revisions.content(revisions.find(UUID(submitted.revision))).decode("utf-8")
    return {
        "saved_as": saved_as,
        "version": str(submitted.version),
        "sha256": submitted.sha256,
        "steps": escaped(listed(find_steps(content))),
        "plan": escaped(content),
    }


def _reason(reason: str) -> str:
    return render("results/reason", reason=framed(reason, REVIEWER)) if reason else ""


def _finished(call: ToolCall, verdict: ev.Verdict, text: str) -> ev.ToolFinished:
    return ev.ToolFinished(call.id, call.name, text, verdict=verdict, is_error=True)
