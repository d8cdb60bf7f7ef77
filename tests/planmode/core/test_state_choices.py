"""The fold of what people choose for the next step, and of modes."""

import pytest

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.permission import NO_REFUSALS, Breaker, PermissionMode
from planmode.core.state import EMPTY, SessionState, Wanted, fold

MANUAL, EDITS, AUTO, YOLO = PermissionMode
Events = list[ev.Event]
ENTERED = ev.PlanModeEntered("p", MANUAL, by=7)


def after(*events: ev.Event) -> SessionState:
    return fold(events)


def started(mode: PermissionMode) -> ev.SessionStarted:
    return ev.SessionStarted("default", "/w", "m", "kimi", mode, 1)


# Choices


def test_a_choice_waits_and_changes_nothing_yet() -> None:
    """dsh:D-06."""
    state = after(ev.PlanModeRequested(active=True, by=7), ev.PermissionModeRequested(YOLO, by=8))
    assert state.wanted == Wanted(active=True, mode=YOLO, by=8)
    assert state.wanted.pending
    assert not state.plan.active
    assert state.permission_mode is MANUAL


@pytest.mark.parametrize(
    "choice",
    [ev.PlanModeRequested(active=False, by=7), ev.PermissionModeRequested(AUTO, by=7)],
    ids=["plan mode", "permission mode"],
)
def test_each_choice_alone_is_one(choice: ev.Event) -> None:
    assert after(choice).wanted.pending


def test_a_choice_that_is_taken_back_leaves_nothing() -> None:
    """dsh:D-09."""
    state = after(
        ev.PlanModeRequested(active=True, by=7),
        ev.PermissionModeRequested(YOLO, by=7),
        ev.PlanModeRequested(None, by=7),
        ev.PermissionModeRequested(None, by=7),
    )
    assert not state.wanted.pending
    assert not EMPTY.wanted.pending


@pytest.mark.parametrize(
    ("wanted", "done"),
    [
        pytest.param(True, ENTERED, id="entered"),
        pytest.param(False, ev.PlanModeExited("p", MANUAL, "approved"), id="left"),
        pytest.param(False, ev.PlanModeCancelled("p", MANUAL, by=7), id="cancelled"),
    ],
)
def test_plan_mode_fulfils_the_choice_whoever_switched_it(wanted: bool, done: ev.Event) -> None:  # noqa: FBT001 - a table's column
    choices: Events = [
        ev.PlanModeRequested(active=wanted, by=7),
        ev.PermissionModeRequested(YOLO, by=7),
    ]
    assert after(*choices, done).wanted == Wanted(active=None, mode=YOLO, by=7)


def test_a_changed_mode_fulfils_its_choice_alone() -> None:
    choices: Events = [
        ev.PlanModeRequested(active=True, by=7),
        ev.PermissionModeRequested(YOLO, by=7),
    ]
    state = after(*choices, ev.PermissionModeChanged(YOLO, MANUAL, by=7))
    assert state.permission_mode is YOLO
    assert state.wanted == Wanted(active=True, mode=None, by=7)


def test_who_switched_plan_mode_last_is_known() -> None:
    """dsh:D-15: only a person's change is told by a notice."""
    assert after(ENTERED).plan.by_person
    assert not after(ev.PlanModeEntered("p", MANUAL)).plan.by_person
    assert after(ENTERED, ev.PlanModeCancelled("p", MANUAL, by=7)).plan.by_person
    assert not after(ENTERED, ev.PlanModeExited("p", MANUAL, "approved")).plan.by_person


def test_where_the_plan_file_lies_is_of_this_plan_alone() -> None:
    first = ev.PlanModeEntered("p", MANUAL, folder="plans")
    assert after(first).plan.folder == "plans"
    assert after(first, ev.PlanModeEntered("q", MANUAL)).plan.folder == ""


def test_entering_and_leaving_at_once_owes_one_exit_text_at_most() -> None:
    """claude:C-08: entering takes the place of a text that is due."""
    told = ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.FULL, "text", "p")
    left = ev.PlanModeCancelled("p", MANUAL, by=7)
    toggled = after(ENTERED, told, left, ev.PlanModeEntered("q", MANUAL), left)
    assert toggled.told.plan_id == "p"
    gone = ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.EXIT, "text", None)
    assert after(ENTERED, told, left, gone, ENTERED, left).told.plan_id is None


# Permission modes while planning


def test_a_mode_that_a_person_chose_while_planning_is_what_comes_back() -> None:
    """claude:C-02, complaints:K-09: the named mode wins."""
    chosen = ev.PermissionModeChanged(AUTO, MANUAL, by=7)
    state = after(started(MANUAL), ENTERED, chosen)
    assert (state.permission_mode, state.plan.previous_mode) == (AUTO, AUTO)
    assert after(started(MANUAL), chosen).plan.previous_mode is None


def test_a_mode_that_nobody_chose_is_no_promise_for_later() -> None:
    state = after(
        started(AUTO), ev.PlanModeEntered("p", AUTO), ev.PermissionModeChanged(MANUAL, AUTO)
    )
    assert (state.permission_mode, state.plan.previous_mode) == (MANUAL, AUTO)


# The breaker of ``auto``


def finished(verdict: ev.Verdict) -> ev.ToolFinished:
    return ev.ToolFinished("c1", "Bash", "text", verdict=verdict)


DENIED, RAN = finished(ev.Verdict.DENIED), finished(ev.Verdict.RAN)


@pytest.mark.parametrize(
    ("results", "breaker"),
    [
        pytest.param([DENIED, DENIED], Breaker(2, 2), id="in a row"),
        pytest.param([DENIED, RAN, DENIED], Breaker(1, 2), id="one ran between"),
        pytest.param([DENIED, finished(ev.Verdict.INVALID)], Breaker(1, 1), id="invalid: neither"),
        pytest.param([RAN], Breaker(), id="ran"),
    ],
)
def test_refused_calls_are_counted_in_auto(results: Events, breaker: Breaker) -> None:
    """claude:C-03."""
    calls = ev.ModelReplied("", (ToolCall("c1", "Bash"),), "m")
    assert after(started(AUTO), calls, *results).breaker == breaker


@pytest.mark.parametrize("mode", [MANUAL, EDITS, YOLO])
def test_refused_calls_are_not_counted_in_other_modes(mode: PermissionMode) -> None:
    assert after(started(mode), DENIED, DENIED).breaker == NO_REFUSALS


OPENED: Events = [started(AUTO), DENIED, DENIED, DENIED, ev.AutoBreakerOpened(3, 3)]


def test_an_open_breaker_stays_open_until_a_person_chooses_a_mode() -> None:
    """claude:C-03."""
    assert after(*OPENED).breaker == Breaker(3, 3, open=True)
    fell = ev.PermissionModeChanged(MANUAL, AUTO)
    assert after(*OPENED, fell).breaker.open
    assert after(*OPENED, fell, ev.PermissionModeChanged(AUTO, MANUAL, by=7)).breaker == NO_REFUSALS


def test_an_open_breaker_goes_on_counting() -> None:
    assert after(*OPENED, DENIED).breaker == Breaker(4, 4, open=True)
    assert after(*OPENED, RAN).breaker == Breaker(0, 3, open=True)
