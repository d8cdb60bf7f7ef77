"""What a person chooses, now or for the next step."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode import services
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.errors import (
    ChildSessionError,
    PermissionModeUnavailableError,
    SessionUnknownError,
)
from planmode.core.permission import AUTO_IS_OFF, PermissionMode
from planmode.models import Session
from planmode.services import Choice
from planmode.store import eventlog
from tests import desk
from tests.factories import Play, call, play, submits

pytestmark = pytest.mark.django_db

DONE = {"text": "Done.", "repeat": 20}
READS = {"tool_calls": [call("Read", path="parser.py")], "repeat": 1}
MODES = (
    ev.PlanModeEntered,
    ev.PlanModeExited,
    ev.PlanModeCancelled,
    ev.PlanModeRequested,
    ev.PermissionModeChanged,
    ev.PermissionModeRequested,
)


def idle(operator: User, **fields: Any) -> Play:  # noqa: ANN401 - fields of NewSession
    """Return a session whose first turn is over, without plan mode."""
    return play(operator, [DONE], **{"plan": False, **fields}).work()


def plan_mode(session: Play, by: User, *words: str) -> list[Choice]:
    """Turn plan mode "on" or "off", one after the other."""
    return [services.choose_plan_mode(session.id, active=word == "on", by=by) for word in words]


def active(session: Play) -> bool:
    return session.state.plan.active


def told(session: Play) -> list[str]:
    return [type(event).__name__ for event in desk.log(session) if isinstance(event, MODES)]


def test_an_idle_session_changes_at_once(operator: User) -> None:
    """claude:C-26, dsh:D-05 dsh:D-07 claude:C-01: each way in keeps the mode that comes back."""
    session = idle(operator, permission_mode="accept_edits")
    assert plan_mode(session, operator, "off") == [Choice.NOOP]
    assert plan_mode(session, operator, "on", "on") == [Choice.COMMITTED, Choice.NOOP]
    plan = session.state.plan
    assert (plan.active, plan.previous_mode, plan.by_person) == (True, "accept_edits", True)
    assert plan_mode(session, operator, "off") == [Choice.COMMITTED]
    assert not session.state.plan.active
    assert told(session) == ["PlanModeEntered", "PlanModeCancelled"]


@pytest.mark.parametrize("plan", [True, False])
def test_during_a_turn_it_waits_and_its_opposite_takes_it_back(operator: User, plan: bool) -> None:  # noqa: FBT001 - a table's column
    """dsh:D-05 dsh:D-06 dsh:D-09: flipped on and off, nothing happened."""
    session = play(operator, [DONE], plan=plan)
    now, other = ("on", "off") if plan else ("off", "on")
    flips = plan_mode(session, operator, other, other, now, now)
    assert flips == [Choice.QUEUED, Choice.NOOP, Choice.CANCELLED, Choice.NOOP]
    assert session.state.plan.active is plan
    assert not session.state.wanted.pending
    session.work()
    assert "PlanModeCancelled" not in told(session)
    assert told(session).count("PlanModeEntered") == int(plan)


def test_what_waits_counts_from_the_next_step(operator: User) -> None:
    """dsh:D-11 dsh:D-12: it stands in the log before the step that it affects."""
    session = play(operator, [DONE], plan=False)
    plan_mode(session, operator, "on")
    assert not active(session)
    session.work()
    kinds = [type(event) for event in desk.log(session)]
    assert kinds.index(ev.PlanModeEntered) < kinds.index(ev.StepStarted)
    assert active(session)
    assert not session.state.wanted.pending


def test_what_waits_counts_at_the_latest_when_the_turn_ends(operator: User) -> None:
    """dsh:D-07: a session at rest has nothing that it could wait for."""
    session = play(operator, [submits()]).work()
    assert plan_mode(session, operator, "off") == [Choice.QUEUED]
    assert active(session), "the review is still open"
    services.cancel_turn(session.id)
    assert not active(session)
    assert session.review.status == "withdrawn"
    assert desk.refolded(session) == session.state


def test_a_choice_outlives_the_process(operator: User) -> None:
    """dsh:D-04 dsh:D-10: ours is in the log, not in a process."""
    session = play(operator, [DONE], plan=False)
    plan_mode(session, operator, "on")
    assert desk.refolded(session).wanted.active is True


def test_a_decision_that_comes_first_makes_it_true_another_way(
    operator: User, reviewer: User
) -> None:
    session = play(operator, [submits(), DONE]).work()
    plan_mode(session, operator, "off")
    desk.approve(session, reviewer)
    session.work()
    assert not session.state.plan.active
    assert not session.state.wanted.pending
    assert told(session).count("PlanModeExited") == 1
    assert "PlanModeCancelled" not in told(session)


def test_leaving_restores_the_mode_only_as_far_as_it_is_allowed(
    operator: User, settings: Settings
) -> None:
    """claude:C-02 claude:C-03 complaints:K-07: checked when plan mode is left."""
    session = play(operator, [DONE], permission_mode="auto").work()
    settings.AUTO_MODE = False
    plan_mode(session, operator, "off")
    (left,) = desk.every(session, ev.PlanModeCancelled)
    assert (left.restored_mode, left.note, left.by) == ("manual", AUTO_IS_OFF, operator.pk)


def test_quick_toggling_leaves_no_stray_text(operator: User) -> None:
    """claude:C-08: out and in again before the agent hears of it is told as one entry."""
    session = play(operator, [submits(), DONE]).work()
    services.cancel_turn(session.id)
    plan_mode(session, operator, "off", "on")
    services.post_message(session.id, "go on", author=operator)
    session.work()
    kinds = [event.kind for event in desk.every(session, ev.ReminderInjected)]
    assert "exit" not in kinds


def mode(session: Play, by: User, *names: str) -> list[Choice]:
    return [
        services.choose_permission_mode(session.id, PermissionMode(name), by=by) for name in names
    ]


def test_a_permission_mode_is_chosen_at_once_or_for_the_next_step(operator: User) -> None:
    session = idle(operator)
    assert mode(session, operator, "manual", "yolo") == [Choice.NOOP, Choice.COMMITTED]
    (changed,) = desk.every(session, ev.PermissionModeChanged)
    assert changed == ev.PermissionModeChanged(
        PermissionMode.YOLO, PermissionMode.MANUAL, by=operator.pk
    )
    services.post_message(session.id, "go on", author=operator)
    chosen = mode(session, operator, "manual", "manual", "accept_edits", "yolo", "manual")
    assert chosen == ["queued", "noop", "queued", "cancelled", "queued"]
    assert session.state.permission_mode == "yolo"
    assert session.work().state.permission_mode == "manual"


def test_a_mode_chosen_while_planning_is_what_comes_after(operator: User) -> None:
    """complaints:K-09: what a person names wins over what was there before."""
    session = play(operator, [DONE]).work()
    mode(session, operator, "accept_edits")
    plan_mode(session, operator, "off")
    assert session.state.permission_mode is PermissionMode.ACCEPT_EDITS


@pytest.mark.parametrize("plan", [True, False])
def test_a_mode_and_plan_mode_chosen_for_the_same_step_both_count(
    operator: User,
    plan: bool,  # noqa: FBT001 - a table's column
) -> None:
    """complaints:K-09: neither brings back the mode that was there before."""
    session = play(operator, [DONE], plan=plan)
    mode(session, operator, "yolo")
    plan_mode(session, operator, "off" if plan else "on")
    session.work()
    assert session.state.permission_mode is PermissionMode.YOLO
    assert session.state.plan.previous_mode is (None if plan else PermissionMode.YOLO)


def test_auto_needs_installation_and_project(
    operator: User, project: Project, settings: Settings
) -> None:
    session = idle(operator)
    with pytest.raises(PermissionModeUnavailableError, match="project default"):
        mode(session, operator, "auto")
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    assert mode(session, operator, "auto") == [Choice.COMMITTED]
    settings.AUTO_MODE = False
    with pytest.raises(PermissionModeUnavailableError, match="AUTO_MODE"):
        mode(session, operator, "auto")


def test_choosing_auto_once_more_closes_its_breaker(operator: User, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = idle(operator, permission_mode="auto")
    assert mode(session, operator, "auto") == [Choice.NOOP]
    with eventlog.writing(session.id) as log:
        log.add(ev.AutoBreakerOpened(3, 3))
    assert mode(session, operator, "auto") == [Choice.COMMITTED]
    assert not session.state.breaker.open


def test_a_child_does_what_its_parent_may(operator: User) -> None:
    """claude:C-09."""
    session = idle(operator)
    started = desk.log(session)[0]
    assert isinstance(started, ev.SessionStarted)
    source = Session.objects.get(pk=session.id)
    child = Session(project=source.project, owner=operator, title="t", model="m")
    with eventlog.creating(child) as log:
        log.add(replace(started, parent=str(session.id)))
    with pytest.raises(ChildSessionError, match=str(session.id)):
        services.choose_plan_mode(child.pk, active=True, by=operator)


def test_what_nobody_has_can_t_be_steered(operator: User) -> None:
    with pytest.raises(SessionUnknownError):
        services.choose_plan_mode(Session().pk, active=True, by=operator)
