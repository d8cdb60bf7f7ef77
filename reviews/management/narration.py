"""What happens in a session, in words for a terminal."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from planmode.core import events as ev
from planmode.core.failures import in_words
from planmode.core.outcomes import Outcome
from planmode.core.plansteps import PlanStep, PlanStepStatus
from planmode.core.state import CallStatus, SessionState

LONGEST_LINE: Final = 300
LONGEST_ANSWER: Final = 4000
"""How much of the agent's last words is shown, in characters."""
_LONGEST_ARGUMENT: Final = 80
_TELLING: Final = ("command", "pattern", "path", "query", "question", "text")
"""Arguments that say what a call is about, the most telling first."""

_OUTCOMES: Final[Mapping[Outcome, str]] = {
    Outcome.APPROVED: "approved the plan",
    Outcome.REVISE: "asked for changes",
    Outcome.REJECTED: "rejected the plan",
    Outcome.REJECTED_AND_EXITED: "rejected the plan and ended plan mode",
    Outcome.DISMISSED: "dismissed the plan",
    Outcome.AUTO_APPROVED: "approved the plan automatically: no person reviewed it",
}

Names = Callable[[int | None], str]
"""Gives a person's name for a user id."""


def narrated(  # noqa: C901, PLR0911, PLR0912 - one arm for each group of events
    event: ev.Event, before: SessionState, names: Names
) -> list[str]:
    """Return the lines that tell ``event``, which came in state ``before``; often none."""
    match event:
        case ev.StepStarted() | ev.ModelReplied() | ev.ModelFailed() | ev.MessagePosted():
            return _talk(event, before, names)
        case ev.ToolStarted() | ev.ToolFinished():
            return _call(event, before)
        case (
            ev.ApprovalRequested()
            | ev.ApprovalResolved()
            | ev.QuestionAsked()
            | ev.QuestionAnswered()
        ):
            return _asked(event, names)
        case (
            ev.PlanModeEntered()
            | ev.PlanModeExited()
            | ev.PlanModeCancelled()
            | ev.PlanSubmitted()
            | ev.PlanResolved()
            | ev.PlanReviewClosed()
        ):
            return _plan(event, names)
        case ev.PlanStepsListed(steps=steps):
            return _steps(steps, before.plan.steps)
        case (
            ev.PlanModeRequested()
            | ev.PermissionModeRequested()
            | ev.PermissionModeChanged()
            | ev.AutoBreakerOpened()
        ):
            return [_mode(event, names)]
        case ev.SessionForked() | ev.ConversationUndone() | ev.ContextCompacted():
            return [_history(event, names)]
        case ev.ChildStarted() | ev.ChildReported():
            return [_child(event)]
        case ev.PlanFileWritten(by=int() as by):
            return [f"{names(by)} edited the plan"]
        case (
            ev.SessionStarted()
            | ev.TurnQueued()
            | ev.ReminderInjected()
            | ev.PlanFileWritten()
            | ev.PlanRevisionRecorded()
            | ev.TodoListWritten()
            | ev.CommentReplied()
            | ev.TurnEnded()
        ):
            return []
        case _:
            assert_never(event)


def _talk(
    event: ev.StepStarted | ev.ModelReplied | ev.ModelFailed | ev.MessagePosted,
    before: SessionState,
    names: Names,
) -> list[str]:
    match event:
        case ev.StepStarted(number=number):
            return [f"step {number}, {tokens(before)} so far"]
        case ev.ModelReplied(text=text, calls=calls):
            return _said(text, last=not calls)
        case ev.ModelFailed(kind=kind, detail=detail, retry_in_ms=wait):
            again = "" if wait is None else f"; next attempt in {wait / 1000:.1f} s"
            return [f"the model call failed: {in_words(kind)}: {one_line(detail)}{again}"]
        case ev.MessagePosted(text=text, author=author):
            first = before.turn.number == 0  # the prompt: whoever follows has just typed it
            return [] if first else [f"{names(author)}: {one_line(text)}"]


def _said(text: str, *, last: bool) -> list[str]:
    if not text.strip():
        return []
    if not last:
        return [f"agent: {one_line(text)}"]
    lines = text.strip()[:LONGEST_ANSWER].splitlines()
    return [f"agent: {printable(lines[0])}", *(f"       {printable(line)}" for line in lines[1:])]


def _call(event: ev.ToolStarted | ev.ToolFinished, before: SessionState) -> list[str]:
    match event:
        case ev.ToolStarted(call_id=call_id, name=name):
            return [f"{printable(name)} {argument(before, call_id)}".rstrip()]
        case ev.ToolFinished(verdict=ev.Verdict.RAN, is_error=False):
            return []
        case ev.ToolFinished(call_id=call_id, name=name, verdict=verdict, text=text):
            if _was_answered(before, call_id):  # the person's answer was told already
                return []
            how = "failed" if verdict is ev.Verdict.RAN else verdict.value
            told = (printable(name), argument(before, call_id), f"{how}: {one_line(text)}")
            return [" ".join(part for part in told if part)]


def _was_answered(state: SessionState, call_id: str) -> bool:
    return any(
        pending.call.id == call_id and pending.status is CallStatus.ANSWERED
        for pending in state.turn.calls
    )


def _asked(
    event: ev.ApprovalRequested | ev.ApprovalResolved | ev.QuestionAsked | ev.QuestionAnswered,
    names: Names,
) -> list[str]:
    match event:
        case ev.ApprovalRequested(summary=summary):
            return [f"the agent wants to: {one_line(summary)}"]
        case ev.ApprovalResolved(allow=allow, note=note, by=by):
            return [f"{names(by)} {'allowed' if allow else 'refused'} it{_quoted(note)}"]
        case ev.QuestionAsked(items=items):
            return [f"the agent asks: {one_line(item.text)}" for item in items]
        case ev.QuestionAnswered(answers=answers, by=by):
            return [f"{names(by)} answered{_quoted('; '.join(answers))}"]


def _plan(
    event: ev.PlanModeEntered
    | ev.PlanModeExited
    | ev.PlanModeCancelled
    | ev.PlanSubmitted
    | ev.PlanResolved
    | ev.PlanReviewClosed,
    names: Names,
) -> list[str]:
    match event:
        case ev.PlanModeEntered(plan_id=plan_id):
            return [f"plan mode is on, the plan is {plan_id}"]
        case ev.PlanModeExited(restored_mode=mode) | ev.PlanModeCancelled(restored_mode=mode):
            return [f"plan mode is off, the permission mode is {mode}{_quoted(event.note)}"]
        case ev.PlanSubmitted(version=version, title=title):
            return [f"submitted revision {version}: {one_line(title)}"]
        case ev.PlanResolved():
            return [_resolved(event, names)]
        case ev.PlanReviewClosed(how=how):
            return [f"the review is closed: {how}"]


def _steps(steps: tuple[PlanStep, ...], known: tuple[PlanStep, ...]) -> list[str]:
    """Tell what is claimed to be done; which steps there are stands in the plan."""
    return [
        f"the agent says that step {step.number} is done: {one_line(step.text)}"
        for step in steps
        if step.status is PlanStepStatus.CLAIMED and step not in known
    ]


def _resolved(event: ev.PlanResolved, names: Names) -> str:
    what = _OUTCOMES[event.outcome]
    chosen = f", option {printable(event.option)!r}" if event.option else ""
    return f"{names(event.by)} {what}{chosen}{_quoted(event.feedback or event.reason)}"


def _mode(  # noqa: PLR0911 - one arm for each case
    event: ev.PlanModeRequested
    | ev.PermissionModeRequested
    | ev.PermissionModeChanged
    | ev.AutoBreakerOpened,
    names: Names,
) -> str:
    match event:
        case ev.PlanModeRequested(active=None, by=by):
            return f"{names(by)} leaves plan mode as it is"
        case ev.PermissionModeRequested(mode=None, by=by):
            return f"{names(by)} leaves the permission mode as it is"
        case ev.PlanModeRequested(active=active, by=by):
            return f"{names(by)} wants plan mode {'on' if active else 'off'} from the next step"
        case ev.PermissionModeRequested(mode=mode, by=by):
            return f"{names(by)} wants permission mode {mode} from the next step"
        case ev.PermissionModeChanged(mode=mode, note=note):
            return f"the permission mode is {mode}{_quoted(note)}"
        case ev.AutoBreakerOpened(in_row=in_row, total=total):
            return f"permission mode auto is off: {in_row} calls in a row refused, {total} in all"


def _history(
    event: ev.SessionForked | ev.ConversationUndone | ev.ContextCompacted, names: Names
) -> str:
    match event:
        case ev.SessionForked(source=source, by=by):
            return f"{names(by)} forked session {source}"
        case ev.ConversationUndone(to=to, by=by):
            return f"{names(by)} took back number {to} and all that followed"
        case ev.ContextCompacted():
            return "the conversation so far was summed up"


def _child(event: ev.ChildStarted | ev.ChildReported) -> str:
    match event:
        case ev.ChildStarted(profile=profile, task=task):
            return f"the agent starts another, {printable(profile)}: {one_line(task)}"
        case ev.ChildReported(state=state, text=text):
            return f"the other agent's turn is {state}{_quoted(text)}"


def _quoted(text: str) -> str:
    return f": {one_line(text)}" if text.strip() else ""


def argument(state: SessionState, call_id: str) -> str:
    """Return in a few words what the call ``call_id`` of the last reply is about."""
    raw = next((p.call.args for p in state.turn.calls if p.call.id == call_id), "")
    try:
        args: Any = json.loads(raw)
    except (ValueError, RecursionError):  # the model's text, whatever it is
        return ""
    given = args.items() if isinstance(args, dict) else ()
    texts = {name: value for name, value in given if isinstance(value, str)}
    name = next((name for name in (*_TELLING, *texts) if name in texts), None)
    if name is None:
        return ""
    whole = one_line(texts[name], len(texts[name]))
    if len(whole) <= _LONGEST_ARGUMENT:
        return whole
    # The end of a long path says more than its beginning.
    cut = _LONGEST_ARGUMENT - 1
    return f"…{whole[-cut:]}" if name == "path" else f"{whole[:cut]}…"


def tokens(state: SessionState) -> str:
    """Return how many tokens the session has used."""
    return f"{state.input_tokens + state.output_tokens:,} tokens"


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return ``text`` on one line, of at most ``longest`` characters."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def printable(text: str) -> str:
    """Return ``text`` with everything replaced that a terminal would obey or hide."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
