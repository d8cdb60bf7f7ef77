"""Agents that go round in circles, stop too early, or lose their plan."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from planmode import services
from planmode.access.models import Project
from planmode.agent.turn import MOST_ATTEMPTS
from planmode.core import events as ev
from planmode.core.permission import BREAKER_IS_OPEN, Breaker
from planmode.store import blobs
from reviews.core.decisions import DecisionKind
from tests import desk, faults
from tests.factories import DONE, PLAN, STOPS_EARLY, Play, call, play, submits

pytestmark = pytest.mark.django_db


def writes(path: str) -> dict[str, Any]:
    return {"tool_calls": [call("Write", path=path, content="x")]}


def ended(session: Play) -> tuple[str, str]:
    return session.turn.state, session.turn.reason


# The same call again


def test_the_fifth_time_of_the_same_refused_call_ends_the_turn(operator: User) -> None:
    """complaints:K-42."""
    session = play(operator, [{**writes("other.py"), "repeat": 9}]).work()
    assert ended(session) == ("stopped", "same_refused_call")
    told = [result.text for result in desk.results(session)]
    assert ["for this same call" in text for text in told] == [False, False, True, True, True]
    assert len(desk.every(session, ev.ModelReplied)) == 5


def test_the_fifth_no_of_a_person_to_the_same_call_ends_the_turn(
    operator: User, reviewer: User
) -> None:
    """complaints:K-42: whoever said no four times is not asked for ever."""
    session = play(operator, [{**writes("new.py"), "repeat": 9}], plan=False).work()
    for _ in range(5):
        assert session.turn.state == "waiting"
        desk.allow(session, reviewer, yes=False)
        session.work()
    assert ended(session) == ("stopped", "same_refused_call")
    told = [result.text for result in desk.results(session)]
    assert ["for this same call" in text for text in told] == [False, False, True, True, True]
    assert all("A person refused this call" in text for text in told)


def test_other_calls_between_change_nothing_of_that(operator: User) -> None:
    replies = [reply for n in range(5) for reply in (writes("other.py"), writes(f"{n}.py"))]
    session = play(operator, replies).work()
    assert ended(session) == ("stopped", "same_refused_call")
    assert len(desk.results(session)) == 9


def test_a_new_turn_counts_anew(operator: User) -> None:
    session = play(operator, [{**writes("other.py"), "repeat": 6}, submits()]).work()
    services.post_message(session.id, "write the plan instead", author=operator)
    session.work()
    assert session.turn.state == "waiting"
    assert "for this same call" not in desk.results(session)[5].text


def test_the_twelfth_time_of_the_same_call_in_a_row_ends_the_turn(operator: User) -> None:
    """kimi:X7, complaints:K-50."""
    looks = {"tool_calls": [call("Read", path="parser.py")], "repeat": 20}
    session = play(operator, [looks], plan=False).work()
    assert ended(session) == ("stopped", "same_call")
    warned = [n for n, r in enumerate(desk.results(session), 1) if "in a row" in r.text]
    assert warned == [3, 5, 8, 12]


# The breaker of ``auto``


@pytest.fixture
def auto(project: Project) -> None:
    """A project that allows permission mode ``auto``."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)


@pytest.mark.usefixtures("auto")
def test_three_refused_calls_in_a_row_switch_auto_off(operator: User) -> None:
    """claude:C-03."""
    outside = [writes(f"/elsewhere/{n}") for n in range(3)]
    session = play(
        operator, [*outside, writes("new.py")], plan=False, permission_mode="auto"
    ).work()
    (opened,) = desk.every(session, ev.AutoBreakerOpened)
    assert (opened.in_row, opened.total) == (3, 3)
    (changed,) = desk.every(session, ev.PermissionModeChanged)
    assert (changed.mode, changed.previous, changed.by) == ("manual", "auto", None)
    assert changed.note == BREAKER_IS_OPEN
    assert session.turn.state == "waiting"
    assert session.approval.tool == "Write"


@pytest.mark.usefixtures("auto")
def test_a_breaker_that_opens_while_planning_counts_at_once_and_afterwards(
    operator: User, reviewer: User
) -> None:
    """claude:C-03: a review is needed now, and leaving lands in manual and says why."""
    other = [writes(f"{n}.py") for n in range(3)]
    session = play(operator, [*other, submits(), DONE], permission_mode="auto").work()
    assert session.state.breaker == Breaker(0, 3, open=True)
    assert session.review.status == "open"
    assert not desk.every(session, ev.PermissionModeChanged)
    desk.approve(session, reviewer)
    (left,) = desk.every(session, ev.PlanModeExited)
    assert (left.restored_mode, left.note) == ("manual", BREAKER_IS_OPEN)


@pytest.mark.usefixtures("auto")
def test_calls_that_run_between_keep_the_breaker_shut(operator: User) -> None:
    mixed = [reply for n in range(3) for reply in (writes(f"/elsewhere/{n}"), writes(f"{n}.py"))]
    session = play(operator, [*mixed, DONE], plan=False, permission_mode="auto").work()
    assert session.turn.state == "done"
    assert not desk.every(session, ev.AutoBreakerOpened)
    assert session.state.breaker == Breaker(0, 3)


# Stopping too early


def test_an_agent_that_stops_while_planning_is_told_once(operator: User) -> None:
    """claude:C-24."""
    session = play(operator, [STOPS_EARLY]).work()
    told = desk.every(session, ev.ReminderInjected)
    assert [reminder.kind for reminder in told] == ["full", "unsubmitted"]
    assert desk.stopped_early(session)


def test_it_may_make_good(operator: User) -> None:
    session = play(operator, [{"text": "Is this ok?"}, submits()]).work()
    assert session.turn.state == "waiting"
    assert session.review.status == "open"


def test_it_is_told_again_in_another_turn(operator: User) -> None:
    session = play(operator, [{"text": "Done.", "repeat": 4}]).work()
    services.post_message(session.id, "and now?", author=operator)
    session.work()
    told = [reminder.kind for reminder in desk.every(session, ev.ReminderInjected)]
    assert told.count(ev.ReminderKind.UNSUBMITTED) == 2
    assert desk.stopped_early(session)


def test_after_a_dismissal_it_may_wait(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE]).work()
    desk.decide(session, reviewer, DecisionKind.DISMISS)
    session.work()
    assert ended(session) == ("done", "")


# The approved plan


def approved_plans(session: Play) -> list[str]:
    """Return the texts that gave the approved plan again."""
    told = desk.every(session, ev.ReminderInjected)
    return [reminder.text for reminder in told if reminder.variant is ev.Variant.PLAN_EXECUTION]


def test_an_approved_plan_whose_answer_was_cut_off_is_given(operator: User, reviewer: User) -> None:
    """complaints:K-12: the turn was cancelled before the agent had read the approval."""
    session = play(operator, [submits(), DONE]).work()
    desk.approve(session, reviewer)
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    session.work()
    (text,) = approved_plans(session)
    assert f"<approved_plan>\n{PLAN}" in text
    assert session.review.sha256 in text


@pytest.fixture
def interrupted(operator: User, reviewer: User) -> Play:
    """A session whose provider failed while the approved plan was carried out."""
    busy = {**DONE, "fail": {"kind": "timeout", "times": MOST_ATTEMPTS}}
    session = play(operator, [submits(), busy]).work()
    desk.approve(session, reviewer)
    for _ in range(MOST_ATTEMPTS):
        session.work()
        faults.retry_time_comes(session)
    assert session.turn.state == "failed"
    assert not approved_plans(session)
    return session


def test_after_compaction_the_approved_plan_is_given_again_and_once(
    interrupted: Play, operator: User
) -> None:
    """complaints:K-12, claude:C-16."""
    services.compact(interrupted.id, "The plan was approved.")
    services.post_message(interrupted.id, "go on", author=operator)
    interrupted.work()
    faults.retry_time_comes(interrupted)
    interrupted.work()
    assert len(desk.every(interrupted, ev.StepStarted)) > MOST_ATTEMPTS + 2
    (text,) = approved_plans(interrupted)
    assert PLAN in text
    assert "do not plan again" in text


def test_without_compaction_it_is_not(interrupted: Play, operator: User) -> None:
    services.post_message(interrupted.id, "go on", author=operator)
    interrupted.work()
    assert not approved_plans(interrupted)


def test_an_approved_plan_that_can_t_be_read_lets_nothing_be_done(
    interrupted: Play, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.compact(interrupted.id, "The plan was approved.")
    services.post_message(interrupted.id, "go on", author=operator)
    monkeypatch.setattr(blobs, "store", faults.BrokenStore)
    interrupted.work()
    (text,) = approved_plans(interrupted)
    assert "do not go on from memory" in text
    assert PLAN not in text
