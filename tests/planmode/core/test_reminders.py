"""When which reminder is due, step by step."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.events import ReminderKind
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS, Cadence
from planmode.core.reminders import PlanFileView, due_reminder
from planmode.core.state import EMPTY, SessionState, Told
from tests.rows import Row, rows

MANUAL = PermissionMode.MANUAL
KIMI = PRESETS["kimi"]


@dataclass(slots=True)
class History:
    """A session's history, told by a vector's operations."""

    state: SessionState = EMPTY
    plan_file: PlanFileView = field(default_factory=PlanFileView)
    seq: int = 0

    def add(self, event: ev.Event) -> None:
        self.seq += 1
        self.state = core.apply(self.state, event, seq=self.seq)

    def step(self) -> str:
        """Begin a step as the engine does; return the text that it gives."""
        kind = due_reminder(self.state, self.plan_file, KIMI)
        if kind is None:
            return "none"
        self.add(ev.ReminderInjected(ev.Variant.PLAN_MODE, kind, "text", self.state.plan.plan_id))
        return kind

    def do(self, operation: object) -> None:  # noqa: C901, PLR0912 - one arm for each operation
        match operation:
            case "exit":
                left = ev.PlanModeExited(self.state.plan.plan_id or "", MANUAL, Outcome.APPROVED)
                self.add(left)
            case "cancel":
                self.add(ev.PlanModeCancelled(self.state.plan.plan_id or "", MANUAL))
            case "restart":
                self.state = core.loaded(core.dumped(self.state))
            case {"enter": str(plan_id)} | {"restore": str(plan_id)}:
                self.add(ev.PlanModeEntered(plan_id, MANUAL))
            case {"file": str(text)}:
                self.plan_file = PlanFileView(has_text=bool(text.strip()))
            case {"assistant": int(count)}:
                for _ in range(count):
                    self.add(ev.ModelReplied("said", (), "m"))
            case {"message": str(said)}:
                self.say(said)
            case {"step": expected}:
                assert self.step() == expected
            case _:
                raise AssertionError(f"no such operation: {operation}")

    def say(self, said: str) -> None:
        """Append a message; what neither a person nor a cron job says is an injection here."""
        match said.split(":"):
            case ["user", "user"]:
                self.add(ev.MessagePosted("said"))
            case ["user", "cron_job"]:
                self.add(ev.MessagePosted("said", origin=ev.Origin.CRON_JOB))
            case ["user", _]:
                self.add(ev.MessagePosted("said", origin=ev.Origin.INJECTION))
            case ["tool"]:
                self.add(ev.ToolFinished("c1", "Read", "text"))
            case ["system"]:
                self.add(ev.TodoListWritten(()))  # no message of ours has that role
            case _:
                raise AssertionError(f"nobody speaks like this: {said}")


def operations(row: Row) -> list[Any]:
    """Return the row's operations; ``ours: none`` is about the last step's text."""
    match row.get("ours"):
        case None:
            return list(row["do"])
        case "none":
            return [*row["do"][:-1], {"step": "none"}]
        case ours:
            return list(ours)


@pytest.mark.parametrize("row", rows("reminder"))
def test_reminder_rows(row: Row) -> None:
    """kimi:2.3 2.4 2.5."""
    history = History()
    for operation in operations(row):
        history.do(operation)


def told(**fields: Any) -> SessionState:  # noqa: ANN401 - the fields of Told
    """Return a state in plan mode whose model was told of plan ``p``."""
    state = core.apply(EMPTY, ev.PlanModeEntered("p", MANUAL), seq=1)
    return replace(state, told=Told(plan_id="p", **fields))


@pytest.mark.parametrize(
    ("state", "has_text", "kind"),
    [
        pytest.param(told(since_any=2, since_full=2), False, ReminderKind.INLINE_SPARSE, id="2"),
        pytest.param(told(since_full=5, since_any=1), False, ReminderKind.INLINE_FULL, id="5"),
        pytest.param(replace(told(), told=Told()), True, ReminderKind.INLINE_REENTRY, id="text"),
        pytest.param(told(since_any=1), False, None, id="soon after"),
    ],
)
def test_without_a_plan_folder_the_texts_name_no_path(
    state: SessionState,
    has_text: bool,  # noqa: FBT001 - a table's column
    kind: ReminderKind | None,
) -> None:
    assert due_reminder(state, PlanFileView(has_text, available=False), KIMI) is kind


def test_the_counts_are_knobs() -> None:
    often = replace(KIMI, cadence=Cadence(short_after=1, whole_after=3))
    assert due_reminder(told(since_any=1), PlanFileView(), often) is ReminderKind.SPARSE
    assert due_reminder(told(since_full=3), PlanFileView(), often) is ReminderKind.FULL
    assert due_reminder(told(since_any=1, since_full=1), PlanFileView(), KIMI) is None
