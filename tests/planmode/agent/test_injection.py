"""What is put before a model call, by the guard's own rules."""

from pathlib import Path, PurePosixPath

import pytest
from django.contrib.auth.models import User

from planmode.agent.injection import plan_mode_reminder, shell_rule
from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.guard import Ground
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.core.state import SessionState
from planmode.core.view import UserMessage, transcript
from planmode.store.confined import ConfinedFolder
from tests import desk
from tests.factories import STOPS_EARLY, call, play, submits
from tests.rows import LEFT_OUT, TESTED_BY_NAME, rows

MANUAL = PermissionMode.MANUAL
RELATIVE = PurePosixPath("agents/main/plans/bold-amber-fox.md")
ENTERED = ev.PlanModeEntered("bold-amber-fox", MANUAL)


@pytest.fixture
def reach(tmp_path: Path) -> Reach:
    """A session with a folder for its plan, which is not written."""
    (tmp_path / RELATIVE).parent.mkdir(parents=True)
    return Reach(ConfinedFolder(tmp_path), ConfinedFolder(tmp_path), RELATIVE)


def injected(state: SessionState, reach: Reach, *, sandbox: bool = True) -> ev.ReminderInjected:
    """Return the reminder that is due."""
    found = plan_mode_reminder(state, PRESETS["kimi"], reach, Ground(sandbox=sandbox))
    assert found is not None
    return found


def test_injector_rows_are_all_accounted_for() -> None:
    """Each row of the group is tested by name, or left out."""
    named = {row for row in {*LEFT_OUT, *TESTED_BY_NAME} if row.startswith("IJ-")}
    assert rows("injector") == []
    assert named == {*(f"IJ-{number:02}" for number in range(1, 19))} - {
        "IJ-03", "IJ-09", "IJ-13",
    }  # fmt: skip


def test_a_text_is_one_user_message_in_the_reminder_s_tags(reach: Reach) -> None:
    """kimi:C3, vector:IJ-01."""
    event = injected(core.fold([ENTERED]), reach)
    assert event.variant == "plan_mode"
    (message,) = transcript([event], cut_text="cut")
    assert isinstance(message, UserMessage)
    assert message.origin is ev.Origin.INJECTION
    assert message.text.startswith("<system-reminder>\nPlan mode is on.")
    assert message.text.endswith(f"Plan file: {reach.plan_path}\n</system-reminder>")


def test_nothing_due_is_no_message(reach: Reach) -> None:
    """kimi:C3, vector:IJ-02."""
    nothing = plan_mode_reminder(core.EMPTY, PRESETS["kimi"], reach, Ground())
    assert nothing is None


@pytest.mark.django_db
def test_a_plan_file_that_can_t_be_read_skips_the_reminder_and_not_the_step(
    operator: User, caplog: pytest.LogCaptureFixture
) -> None:
    """kimi:C6, vector:IJ-06, kimi:2.4.8."""
    session = play(operator, [STOPS_EARLY])
    desk.plan_path(session).mkdir(parents=True)
    session.work()
    told = [reminder.variant for reminder in desk.every(session, ev.ReminderInjected)]
    assert told == ["turn_end"]
    assert desk.stopped_early(session)
    assert "no reminder in this step" in caplog.text


@pytest.mark.django_db
def test_reminders_come_before_the_step_and_know_only_their_own(operator: User) -> None:
    """kimi:C1, vector:IJ-08: with one provider the order is that of the log."""
    session = play(operator, [STOPS_EARLY]).work()
    names = [type(event).__name__ for event in desk.log(session)]
    step = names.index("StepStarted")
    assert names[step - 1] == "ReminderInjected"


@pytest.mark.django_db
def test_what_a_reminder_told_is_kept_with_it_and_asked_for_next_time(operator: User) -> None:
    """kimi:C2, vector:IJ-16."""
    session = play(operator, [STOPS_EARLY]).work()
    event, _ = desk.every(session, ev.ReminderInjected)
    assert event.plan_id == session.state.plan.plan_id
    assert session.state.told.plan_id == event.plan_id


@pytest.mark.parametrize(
    ("events", "kind", "words"),
    [
        pytest.param([], "full", "Five phases:", id="full"),
        pytest.param([ev.MessagePosted("hi")], "full", "Five phases:", id="asked"),
    ],
)
def test_full_texts(reach: Reach, events: list[ev.Event], kind: str, words: str) -> None:
    """kimi:2.2."""
    event = injected(core.fold([ENTERED, *events]), reach)
    assert event.kind == kind
    assert words in event.text


def test_an_older_plan_in_the_file_is_to_be_read_first(reach: Reach, tmp_path: Path) -> None:
    """kimi:2.4.9."""
    (tmp_path / RELATIVE).write_text("# Old plan")
    event = injected(core.fold([ENTERED]), reach)
    assert event.kind is ev.ReminderKind.REENTRY
    assert str(reach.plan_path) in event.text


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Outcome.APPROVED, "approved plan under the normal"),
        (Outcome.REJECTED_AND_EXITED, "no plan has been approved"),
    ],
)
def test_the_exit_text_says_whether_anything_was_approved(
    reach: Reach, cause: Outcome, words: str
) -> None:
    """kimi:2.5 (d); the reference has one text for both."""
    told = ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.FULL, "text", "bold-amber-fox")
    left = ev.PlanModeExited("bold-amber-fox", MANUAL, cause)
    event = injected(core.fold([ENTERED, told, left]), reach)
    assert event.kind is ev.ReminderKind.EXIT
    assert words in event.text


def test_without_a_place_for_plans_the_text_names_none(tmp_path: Path) -> None:
    """kimi:E5."""
    nowhere = Reach(ConfinedFolder(tmp_path), None, RELATIVE)
    event = injected(core.fold([ENTERED]), nowhere)
    assert event.kind is ev.ReminderKind.INLINE_FULL
    assert "Plan file:" not in event.text


@pytest.mark.parametrize(
    ("mode", "sandbox", "name"),
    [
        (PermissionMode.MANUAL, True, "shell_asks"),
        (PermissionMode.ACCEPT_EDITS, True, "shell_asks"),
        (PermissionMode.MANUAL, False, "shell_no_sandbox"),
        (PermissionMode.AUTO, True, "shell_refused"),
        (PermissionMode.YOLO, False, "shell_refused"),
    ],
)
def test_the_text_on_bash_is_what_the_guard_does(
    mode: PermissionMode,
    sandbox: bool,  # noqa: FBT001 - a table's column
    name: str,
) -> None:
    """complaints:K-45."""
    assert shell_rule(mode, Ground(sandbox=sandbox)) == name


@pytest.mark.django_db
def test_the_fifth_message_since_the_full_text_brings_it_again(operator: User) -> None:
    """kimi:2.4.1: the reference never comes so far."""
    steps = {"tool_calls": [call("TodoList", items=[])], "repeat": 6}
    session = play(operator, [steps, submits()]).work()
    kinds = [event.kind for event in desk.every(session, ev.ReminderInjected)]
    assert kinds == ["full", "sparse", "sparse", "full"]
