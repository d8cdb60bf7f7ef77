"""What people do at the review desk, as tests say it."""

from pathlib import Path
from typing import Any, TypeVar

from django.contrib.auth.models import User

from planmode.access.may import Caller, caller_of
from planmode.core import events as ev
from planmode.core.failures import Halt
from planmode.core.state import SessionState, fold
from planmode.store import eventlog, planfiles
from reviews import services
from reviews.core.decisions import Decision, DecisionKind
from reviews.models import Review, TelemetryEvent
from tests.factories import Play

E = TypeVar("E", bound=ev.Event)


def caller(user: User) -> Caller:
    """Return ``user`` as the browser's log-in makes them."""
    found = caller_of(user)
    assert found is not None
    return found


def decide(play: Play, by: User, kind: DecisionKind, **fields: Any) -> Review:  # noqa: ANN401 - a decision's own fields
    """Decide on the newest review, on the revision that it shows unless ``sha256`` says else.

    A rejection has the reason that the usual policy wants, unless ``reason`` says else.
    """
    review = play.review
    rejects = kind in {DecisionKind.REJECT, DecisionKind.REJECT_AND_EXIT}
    reason = {"reason": "Not now."} if rejects else {}
    decision = Decision(kind, **{"sha256": review.sha256, **reason, **fields})
    return services.decide(review.pk, decision, by=caller(by))


def approve(play: Play, by: User, **fields: Any) -> Review:  # noqa: ANN401 - as above
    """Approve the newest review."""
    return decide(play, by, DecisionKind.APPROVE, **fields)


def answer(play: Play, by: User, *answers: str) -> None:
    """Answer the newest question."""
    services.answer_question(play.question.pk, answers, by=caller(by))


def allow(play: Play, by: User, *, yes: bool = True, note: str = "") -> None:
    """Answer the newest tool approval."""
    services.answer_approval(play.approval.pk, allow=yes, note=note, by=caller(by))


def log(play: Play) -> list[ev.Event]:
    """Return the whole log."""
    return [logged.event for logged in eventlog.read(play.id)]


def every(play: Play, kind: type[E]) -> list[E]:
    """Return the log's events of ``kind``, oldest first."""
    return [event for event in log(play) if isinstance(event, kind)]


def results(play: Play) -> list[ev.ToolFinished]:
    """Return all results of tool calls."""
    return every(play, ev.ToolFinished)


def only(play: Play) -> ev.ToolFinished:
    """Return the one result that there is."""
    (result,) = results(play)
    return result


def stopped_early(play: Play) -> bool:
    """Return whether the turn ended while planning, without a submission, although reminded."""
    return (play.turn.state, play.turn.reason) == (ev.TurnState.STOPPED, Halt.UNSUBMITTED)


def refolded(play: Play) -> SessionState:
    """Return the state that the log alone tells."""
    return fold(log(play))


def telemetry(play: Play) -> list[list[Any]]:
    """Return telemetry as the vectors write it: name, and outcome with properties.

    Turns that stopped unfinished are ours alone.
    """
    rows = TelemetryEvent.objects.filter(session_id=play.id).exclude(name="turn_stopped")
    return [
        [row.name, {**row.properties, **({"outcome": row.outcome} if row.outcome else {})}]
        for row in rows.order_by("seq")
    ]


def translated(response: dict[str, str]) -> tuple[DecisionKind, dict[str, str]]:  # noqa: PLR0911 - one line for each row of the table in docs/behaviour.md
    """Return the explicit decision that the reference's answer stands for.

    The reference knows three words with a label and a feedback; which of them count depends on
    the others. Ours are five decisions, of which none turns into another.
    """
    label, feedback = response.get("selectedLabel", ""), response.get("feedback", "")
    match response["decision"], label:
        case "approved", _:
            return DecisionKind.APPROVE, {"option": label, "feedback": feedback}
        case "cancelled", _:
            return DecisionKind.DISMISS, {}
        case "rejected", "Reject and Exit":
            return DecisionKind.REJECT_AND_EXIT, {}
        case "rejected", _ if feedback.strip():
            return DecisionKind.REVISE, {"feedback": feedback}
        case "rejected", "Revise":
            return DecisionKind.REVISE, {}
        case "rejected", _:
            return DecisionKind.REJECT, {}
        case other:
            raise AssertionError(other)


def put_plan(play: Play, content: bytes) -> None:
    """Change the plan file behind the engine's back, as a person with an editor would."""
    path = plan_path(play)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def plan_path(play: Play) -> Path:
    """Return where the plan file lies."""
    plan_id = play.state.plan.plan_id
    assert plan_id is not None
    return plan_path_of(play, plan_id)


def plan_path_of(play: Play, plan_id: str) -> Path:
    """Return where the file of one of the session's plans lies."""
    return planfiles.path(play.id, plan_id, play.state.plan.folder)
