"""Workers that die, and what their successors make of it."""

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError

from planmode import services, turns
from planmode.agent import turn
from planmode.core import events as ev
from planmode.models import Session, Turn
from reviews.models import Review
from tests import desk, faults
from tests.factories import DONE, STOPS_EARLY, Play, call, claim, play, submits

pytestmark = pytest.mark.django_db


def test_what_changes_nothing_runs_again_after_a_crash(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, DONE], plan=False)
    faults.die(session, ev.ToolFinished)
    session.work()
    assert len(desk.every(session, ev.ToolStarted)) == 2
    (result,) = desk.results(session)
    assert result.verdict is ev.Verdict.RAN
    assert "value = 1" in result.text
    assert session.turn.state == "done"


def test_what_may_have_changed_something_is_not_done_twice(operator: User) -> None:
    append = call("Bash", command="echo once >> out.txt")
    session = play(operator, [{"tool_calls": [append]}, DONE], plan=False, permission_mode="yolo")
    faults.die(session, ev.ToolFinished)
    session.work()
    assert (session.workspace / "out.txt").read_text() == "once\n"
    assert len(desk.every(session, ev.ToolStarted)) == 1
    (result,) = desk.results(session)
    assert result.verdict is ev.Verdict.INTERRUPTED
    assert result.is_error
    assert "outcome unknown, check before repeating" in result.text
    assert session.turn.state == "done"


def test_a_call_that_was_never_started_runs_after_a_crash(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Write", path="${plan_file}", content="x")]}])
    faults.die(session, ev.ToolStarted)
    session.work()
    assert desk.plan_path(session).read_text() == "x"
    assert [result.verdict for result in desk.results(session)] == [ev.Verdict.RAN]


def test_a_step_whose_reply_was_lost_is_asked_again(operator: User) -> None:
    session = play(operator, [STOPS_EARLY])
    faults.die(session, ev.ModelReplied)
    session.work()
    assert [step.number for step in desk.every(session, ev.StepStarted)] == [1, 1, 2]
    assert len(desk.every(session, ev.ModelReplied)) == 2
    told = [reminder.variant for reminder in desk.every(session, ev.ReminderInjected)]
    assert told == ["plan_mode", "turn_end"]
    assert desk.stopped_early(session)


def test_a_step_that_takes_three_workers_with_it_ends_the_turn(operator: User) -> None:
    """K01: each of them began the step, so the log grew with each."""
    session = play(operator, [DONE])
    for _ in range(3):
        faults.die(session, ev.ModelReplied)
    session.work()
    assert (session.turn.state, session.turn.reason) == ("failed", "worker_lost")
    assert len(desk.every(session, ev.StepStarted)) == 3


def test_a_read_that_takes_three_workers_with_it_is_interrupted(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, DONE], plan=False)
    for _ in range(3):
        faults.die(session, ev.ToolFinished)
    session.work()
    (result,) = desk.results(session)
    assert result.verdict is ev.Verdict.INTERRUPTED
    assert session.turn.state == "done"


def test_a_crash_in_the_submission_leaves_no_half_of_it(operator: User) -> None:
    session = play(operator, [submits(), DONE])
    faults.die(session, ev.PlanSubmitted)
    assert not Review.objects.exists()
    assert not session.state.plan.revision_count
    session.work()
    assert session.review.revision_version == 1


def test_an_answer_is_delivered_once_after_a_crash(operator: User, reviewer: User) -> None:
    """complaints:K-49."""
    session = play(operator, [submits(), DONE]).work()
    desk.approve(session, reviewer)
    faults.die(session, ev.ToolFinished)
    session.work()
    assert [result.name for result in desk.results(session)] == ["Write", "ExitPlanMode"]
    assert session.turn.state == "done"


def test_a_worker_that_lost_its_claim_stops_quietly(operator: User) -> None:
    """Its successor has the turn; whatever the first one still had to write is void."""
    session = play(operator, [DONE], plan=False)
    first = claim(session)
    faults.lease_runs_out(session)
    second = claim(session)
    turn.run(first, until=turn.slice_end())
    assert not desk.every(session, ev.StepStarted)
    turn.run(second, until=turn.slice_end())
    assert session.turn.state == "done"


def lose_three_workers(session: Play) -> None:
    """Let three workers die with the turn before they write anything."""
    for _ in range(turns.MOST_IDLE_CLAIMS):
        assert session.turn.state in {"queued", "running"}
        claim(session)
        faults.lease_runs_out(session)


def test_a_turn_that_takes_three_workers_with_it_is_ended(operator: User) -> None:
    """K01; it went from worker to worker for ever."""
    session = play(operator, [DONE], plan=False)
    lose_three_workers(session)
    session.work()
    assert (session.turn.state, session.turn.reason) == ("failed", "worker_lost")
    (ended,) = desk.every(session, ev.TurnEnded)
    assert ended.reason == "worker_lost"
    services.post_message(session.id, "again", author=operator)
    assert session.work().turn.state == "done"


def test_a_worker_that_wrote_something_starts_the_count_anew(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, DONE], plan=False)
    for kind in (ev.ModelReplied, ev.ToolFinished, ev.ToolFinished):
        faults.die(session, kind)
    assert session.work().turn.state == "done"


@pytest.mark.parametrize("more", [0, 1], ids=["at the first try", "when the first try died, too"])
def test_a_turn_whose_log_can_t_be_opened_is_ended_by_its_row(operator: User, more: int) -> None:
    session = play(operator, [DONE])
    lose_three_workers(session)
    for _ in range(more):
        claim(session)
        faults.lease_runs_out(session)
    Session.objects.filter(pk=session.id).update(state={"turn": "no turn"})
    session.work()
    assert (session.turn.state, session.turn.reason) == ("failed", "worker_lost")
    assert session.turn.ended_at is not None
    assert not Turn.objects.filter(session_id=session.id).due().exists()


def test_a_lost_turn_waits_for_a_database_that_does_not_answer(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended by its row alone it would stay open in its log, and take messages for ever."""
    session = play(operator, [DONE])
    lose_three_workers(session)
    with monkeypatch.context() as broken:
        broken.setattr(turns, "close_turn", busy)
        session.work()
    assert session.turn.state == "running"
    faults.lease_runs_out(session)
    session.work()
    assert session.turn.reason == "worker_lost"
    assert not session.state.turn.open


def busy(*_: object) -> None:
    raise OperationalError("database is busy")
