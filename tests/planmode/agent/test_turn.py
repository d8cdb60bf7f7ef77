"""Whole turns through the real loop."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from pytest_django import Settings

from planmode.agent import turn
from planmode.agent.sandbox import working_bwrap
from planmode.core import events as ev
from planmode.core.moves import TurnLimits
from planmode.models import Turn
from planmode.store import blobs
from reviews.core.decisions import DecisionKind
from tests import desk, faults
from tests.factories import DONE, PLAN, call, claim, play, submits
from tests.listener import Listener

pytestmark = pytest.mark.django_db


def test_a_failing_model_is_asked_again_later(operator: User) -> None:
    failing = {"text": "Done.", "fail": {"kind": "rate_limit", "times": 2}}
    session = play(operator, [failing], plan=False).work()
    assert session.turn.state == "queued"
    session.work()
    assert len(desk.every(session, ev.ModelFailed)) == 1, "not before its time"
    for _ in range(2):
        faults.retry_time_comes(session)
        session.work()
    waits = [failed.retry_in_ms or 0 for failed in desk.every(session, ev.ModelFailed)]
    assert 1000 <= waits[0] < 1500
    assert 2000 <= waits[1] < 3000
    assert session.turn.state == "done"


def test_a_model_that_keeps_failing_ends_the_turn_visibly(operator: User) -> None:
    """fault:F46 part."""
    session = play(operator, [{"text": "never", "fail": {"kind": "timeout", "times": 99}}])
    for _ in range(9):
        faults.retry_time_comes(session)
        session.work()
    failures = desk.every(session, ev.ModelFailed)
    assert len(failures) == turn.MOST_ATTEMPTS
    assert failures[-1].retry_in_ms is None
    assert (session.turn.state, session.turn.reason) == ("failed", "timeout")
    assert "written to fail" in session.turn.detail


def test_a_script_without_a_reply_left_ends_the_turn(operator: User) -> None:
    session = play(operator, [{"after": "approved", "text": "never"}]).work()
    assert (session.turn.state, session.turn.reason) == ("failed", "script_exhausted")
    assert session.state.plan.active


def test_a_model_that_does_not_exist_is_asked_once(operator: User) -> None:
    session = play(operator, [DONE], model="nonsense").work()
    assert (session.turn.state, session.turn.reason) == ("failed", "unknown_model")
    assert len(desk.every(session, ev.ModelFailed)) == 1


def test_an_agent_that_never_stops_is_stopped(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn, "TurnLimits", lambda: TurnLimits(steps=3))
    again = {"tool_calls": [call("TodoList", items=[])], "repeat": 9}
    session = play(operator, [again]).work()
    assert (session.turn.state, session.turn.reason) == ("failed", "step_limit")
    assert len(desk.every(session, ev.ModelReplied)) == 3


def test_a_slice_that_is_used_up_hands_the_turn_over(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("TodoList", items=[])]}, DONE], plan=False)
    turn.run(claim(session), until=0)
    assert session.turn.state == "queued"
    assert len(desk.every(session, ev.ModelReplied)) == 1
    assert session.work().turn.state == "done"


def test_a_turn_that_was_taken_too_early_waits_on(operator: User) -> None:
    session = play(operator, [submits()]).work()
    Turn.objects.filter(pk=session.turn.pk).update(state="queued")
    session.work()
    assert session.turn.state == "waiting"
    assert session.review.status == "open"


def test_a_start_that_a_person_put_off(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE]).work()
    desk.approve(session, reviewer, start=False)
    session.work()
    assert session.turn.state == "stopped"
    assert not session.state.plan.active
    result = desk.results(session)[-1]
    assert not result.is_error
    assert "it is not to be started now" in result.text


def test_a_database_that_does_not_answer_leaves_the_turn_to_its_lease(
    operator: User, listener: Listener
) -> None:
    session = play(operator, [DONE], plan=False)
    listener.meanwhile = database_down
    session.work()
    assert session.turn.state == "running"
    faults.lease_runs_out(session)
    assert session.work().turn.state == "done"


def database_down() -> None:
    raise OperationalError("connection refused")


def test_a_plan_whose_bytes_are_gone_does_not_break_the_turn(
    operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = play(operator, [submits(), DONE]).work()
    desk.approve(session, reviewer)
    monkeypatch.setattr(blobs, "store", faults.BrokenStore)
    session.work()
    told = desk.results(session)[-1]
    assert told.is_error
    assert "Carry out nothing" in told.text
    assert session.turn.state == "done"


def test_every_reply_is_told_with_its_tokens_and_time(operator: User) -> None:
    session = play(operator, [DONE], plan=False).work()
    (replied,) = desk.every(session, ev.ModelReplied)
    assert replied.input_tokens > 0
    assert replied.output_tokens > 0
    assert replied.latency_ms >= 0
    assert session.state.output_tokens == replied.output_tokens


def test_the_worker_restores_a_plan_file_that_its_disk_lacks(
    operator: User, reviewer: User
) -> None:
    session = play(operator, [submits(), DONE]).work()
    desk.plan_path(session).unlink()
    desk.decide(session, reviewer, DecisionKind.DISMISS)
    session.work()
    assert desk.plan_path(session).read_text() == PLAN


# Commands


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A host without bubblewrap, or anything else on the path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    working_bwrap.cache_clear()
    yield
    working_bwrap.cache_clear()


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("mode", ["auto", "yolo"])
@pytest.mark.parametrize("allowed", [True, False])
def test_a_command_that_nobody_allowed_needs_a_sandbox_or_the_setting(
    operator: User,
    settings: Settings,
    mode: str,
    allowed: bool,  # noqa: FBT001 - a column
) -> None:
    settings.ALLOW_UNSANDBOXED_SHELL = allowed
    writes = call("Bash", command="echo x > made.txt")
    session = play(
        operator, [{"tool_calls": [writes]}, DONE], plan=False, permission_mode=mode
    ).work()
    (result,) = desk.results(session)
    assert (result.verdict is ev.Verdict.DENIED) is not allowed
    assert ("no sandbox for commands" in result.text) is not allowed
    assert (session.workspace / "made.txt").exists() is allowed


def test_a_command_that_wants_too_much_memory_does_not_end_the_turn(operator: User) -> None:
    """fault:F39."""
    hungry = call("Bash", command="/usr/bin/python3 -c 'bytearray(2**33)'")
    session = play(operator, [{"tool_calls": [hungry]}, DONE], plan=False, permission_mode="yolo")
    session.work()
    (result,) = desk.results(session)
    assert result.is_error
    assert "a command may use 2048 MiB of memory" in result.text
    assert Turn.objects.get().state == "done"
