"""When which reminder is due, step by step."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.events import ReminderKind
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS, Cadence, PlanModeConfig
from planmode.core.reminders import PlanFileView, approved_plan_due, due_reminder, edit_due
from planmode.core.state import EMPTY, SessionState, Told
from tests.rows import Row, rows

MANUAL = PermissionMode.MANUAL
KIMI, CLAUDE, DSH, PI = (PRESETS[name] for name in ("kimi", "claude", "dsh", "pi"))


@dataclass(slots=True)
class History:
    """A session's history, told by a vector's operations; ``turns`` are where they began."""

    state: SessionState = EMPTY
    plan_file: PlanFileView = field(default_factory=PlanFileView)
    log: list[ev.Event] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)

    def add(self, event: ev.Event) -> None:
        past = tuple(self.log)
        self.log.append(event)
        self.state = core.apply(
            self.state, event, seq=len(self.log), past=lambda length: core.fold(past[:length])
        )

    def turn(self) -> None:
        """Begin a turn, which can be taken back."""
        self.turns.append(len(self.log) + 1)
        self.add(ev.MessagePosted("said"))

    def reply(self, count: int) -> None:
        """Let the agent speak so many times."""
        for _ in range(count):
            self.add(ev.ModelReplied("said", (), "m"))

    def undo(self, count: int) -> None:
        """Take back the last ``count`` turns."""
        self.add(ev.ConversationUndone(self.turns[-count], by=1))
        del self.turns[-count:]

    def step(self, config: PlanModeConfig = KIMI) -> str:
        """Begin a step as the engine does; return the text that it gives."""
        kind = due_reminder(self.state, self.plan_file, config)
        if kind is None:
            return "none"
        self.add(ev.ReminderInjected(ev.Variant.PLAN_MODE, kind, "text", self.state.plan.plan_id))
        return kind

    def do(self, operation: object) -> None:  # noqa: C901, PLR0912 - one arm for each operation
        match operation:
            case "exit":
                self.add(ev.PlanModeExited("p", MANUAL, Outcome.APPROVED))
            case "cancel":
                self.add(ev.PlanModeCancelled("p", MANUAL))
            case "compact":
                self.add(ev.ContextCompacted("so far"))
            case "turn":
                self.turn()
            case {"undo": int(count)}:
                self.undo(count)
            case "restart":
                self.state = core.loaded(core.dumped(self.state))
            case {"enter": str(plan_id)} | {"restore": str(plan_id)}:
                self.add(ev.PlanModeEntered(plan_id, MANUAL))
            case {"file": str(text)}:
                self.plan_file = PlanFileView(has_text=bool(text.strip()))
            case {"assistant": int(count)}:
                self.reply(count)
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
    """kimi:2.3 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.9 2.5, claude:C-18."""
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


# What undo and compaction do to it


def test_a_text_that_was_taken_back_leaves_the_one_before_it() -> None:
    """kimi:C2, vector:IJ-18: the counts are again those of that text."""
    history = History()
    for operation in ({"enter": "p"}, "turn", {"step": "full"}, {"assistant": 1}):
        history.do(operation)
    before = history.state.told
    for operation in ("turn", {"step": "full"}, {"assistant": 3}, {"undo": 1}):
        history.do(operation)
    assert history.state.told == before
    history.do({"assistant": 1})
    assert history.step() == "sparse"


def test_compaction_makes_the_whole_text_due_though_nobody_spoke() -> None:
    """vector:IJ-10, claude:C-20."""
    history = History()
    for operation in ({"enter": "p"}, {"step": "full"}, {"assistant": 1}, {"step": "none"}):
        history.do(operation)
    history.do("compact")
    assert history.step() == "full"
    assert history.step() == "none"


def test_taking_something_back_is_nobody_s_word() -> None:
    """kimi:C5, vector:IJ-11: no text is due for it."""
    history = History()
    for operation in ({"enter": "p"}, {"step": "full"}, {"assistant": 1}, "turn", {"undo": 1}):
        history.do(operation)
    assert history.step() == "none"


def test_a_step_that_begins_again_is_asked_about_anew() -> None:
    """kimi:C4, vector:IJ-12: what a compaction between took away is given in the same step."""
    history = History()
    history.do({"enter": "p"})
    assert history.step() == "full"
    history.add(ev.StepStarted(1))
    history.add(ev.ModelFailed("error", "too long", 1))
    history.do("compact")
    assert history.step() == "full"
    history.add(ev.StepStarted(1))
    assert history.state.turn.steps == 1


# The cadences of other presets


def heard(history: History, config: PlanModeConfig, messages: int) -> list[str]:
    """Return what is due after each of so many messages of a person."""
    due = []
    for _ in range(messages):
        history.add(ev.MessagePosted("said"))
        due.append(history.step(config))
        history.do({"assistant": 1})
    return due


def test_every_fifth_text_is_the_whole_one_where_people_are_counted() -> None:
    """claude:C-17: whole as number 1, 6 and 11, one each five messages of people."""
    history = History()
    history.do({"enter": "p"})
    due = heard(history, CLAUDE, 51)
    texts = [kind for kind in due if kind != "none"]
    assert texts == ["full", *["sparse"] * 4, "full", *["sparse"] * 4, "full"]
    assert [number for number, kind in enumerate(due) if kind != "none"] == list(range(0, 51, 5))


def test_what_the_agent_says_brings_no_text_where_people_are_counted() -> None:
    history = History()
    for operation in ({"enter": "p"}, {"step": "full"}, {"assistant": 30}):
        history.do(operation)
    assert history.step(CLAUDE) == "none"


def test_the_count_of_texts_begins_anew_with_each_plan() -> None:
    """claude:C-17: leaving starts it anew."""
    history = History()
    history.do({"enter": "p"})
    heard(history, CLAUDE, 6)
    history.do("exit")
    assert history.step(CLAUDE) == "exit"
    history.do({"enter": "q"})
    assert heard(history, CLAUDE, 6) == ["full", *["none"] * 4, "sparse"]


def test_each_request_of_a_person_brings_the_whole_text() -> None:
    """pi:P-23, pi:P-27."""
    history = History()
    history.do({"enter": "p"})
    assert heard(history, PI, 3) == ["full"] * 3
    history.do({"assistant": 9})
    assert history.step(PI) == "none"


def noticed(*events: ev.Event) -> ReminderKind | None:
    """Return what a model is told that knows plan mode from its system text."""
    return due_reminder(core.fold(events), PlanFileView(available=False), DSH)


STEP, PERSON = ev.StepStarted(1), 7
ENTERED = ev.PlanModeEntered("p", MANUAL, by=PERSON)
LEFT = ev.PlanModeCancelled("p", MANUAL, by=PERSON)


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        pytest.param([ENTERED], None, id="before the first request"),
        pytest.param([ENTERED, STEP], None, id="the system text said so"),
        pytest.param([STEP, ENTERED], ReminderKind.ENTERED, id="entered"),
        pytest.param([STEP, ENTERED, STEP], None, id="told once"),
        pytest.param([ENTERED, STEP, LEFT], ReminderKind.EXIT, id="left"),
        pytest.param([STEP, ENTERED, LEFT], None, id="there and back"),
        pytest.param([STEP, ev.PlanModeEntered("p", MANUAL)], None, id="by the agent"),
        pytest.param(
            [ENTERED, STEP, ev.PlanModeExited("p", MANUAL, Outcome.APPROVED)], None, id="approved"
        ),
    ],
)
def test_a_notice_tells_what_a_person_changed_since_the_last_request(
    events: list[ev.Event], kind: ReminderKind | None
) -> None:
    """dsh:D-15, dsh:D-09."""
    assert noticed(*events) is kind


# Other texts


def test_an_approved_plan_is_due_when_the_conversation_lost_it() -> None:
    """complaints:K-12, claude:C-16."""
    submitted = ev.PlanSubmitted("r", "", "rev", "p", 1, "0" * 64, "Title")
    history = History()
    for event in (ENTERED, submitted, ev.PlanResolved("r", Outcome.APPROVED)):
        history.add(event)
    assert not approved_plan_due(history.state)
    history.do("exit")
    history.add(ev.ReminderInjected(ev.Variant.PLAN_REVIEW, ReminderKind.REVIEWED, "text", "p"))
    assert not approved_plan_due(history.state)
    history.do("compact")
    assert approved_plan_due(history.state)


def test_a_person_s_edit_is_due_while_planning_until_it_is_told() -> None:
    history = History()
    history.add(ENTERED)
    assert not edit_due(history.state)
    history.add(ev.PlanFileWritten("p", "0" * 64, 3, by=PERSON))
    assert edit_due(history.state)
    history.do("restart")
    assert edit_due(history.state)
    told_ = ev.ReminderInjected(ev.Variant.PLAN_EDITED, ReminderKind.PLAN_EDITED, "text", "p")
    history.add(told_)
    assert not edit_due(history.state)
    history.add(ev.PlanFileWritten("p", "1" * 64, 3, by=PERSON))
    history.add(LEFT)
    assert not edit_due(history.state)
