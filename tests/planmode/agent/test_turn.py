"""Whole turns through the real loop."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models.functions import Now
from pytest_django import Settings

from planmode import services, turns
from planmode.access.models import Project
from planmode.agent import turn
from planmode.agent.contracts import ModelReply, ModelRequest
from planmode.agent.sandbox import working_bwrap
from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.moves import TurnLimits
from planmode.core.options import SHOWN_FROM
from planmode.core.view import UserMessage
from planmode.models import Claim, Session, Turn
from planmode.store import blobs, revisions
from reviews.core.decisions import DecisionKind
from reviews.core.errors import ReviewClosedError
from reviews.models import Approval, Review
from tests import desk, faults
from tests.factories import PLAN, Play, call, play, submits
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db

DONE = {"text": "Done."}
LEASE = timedelta(seconds=30)


# Batches: all calls of one reply


def batch(row: Row, operator: User) -> Play:
    """Start the session that a row describes."""
    places = {"$PLAN": "${plan_file}", "$OTHER": "other.py"}
    calls = [
        call(name, **{key: places.get(str(value), value) for key, value in args.items()})
        for name, args in row["calls"]
    ]
    session = play(
        operator,
        [{"tool_calls": calls}, DONE],
        permission_mode=row["mode"],
        plan=row.get("start") != "inactive",
    )
    if "plan_file" in row:
        desk.put_plan(session, row["plan_file"].encode())
    return session


def outcome(session: Play) -> Row:
    """Return what a batch led to, in the vectors' words."""
    reviews = list(Review.objects.filter(session_id=session.id).exclude(outcome="auto_approved"))
    asked = len(reviews) + Approval.objects.filter(session_id=session.id).count()
    recorded = desk.every(session, ev.PlanRevisionRecorded)
    found: Row = {
        "approvals": asked,
        "active_after": session.state.plan.active,
        "errors": [result.is_error for result in desk.results(session)],
        "revisions": len(recorded),
        "llm_calls": len(desk.every(session, ev.ModelReplied)),
        "written": (session.workspace / "other.py").exists(),
    }
    for review in reviews:
        found["reviewed"] = revisions.content(revisions.find(review.revision_id)).decode()
        shown = len(review.options) >= SHOWN_FROM
        found["options_shown"] = len(review.options) if shown else 0
    return found


@pytest.mark.parametrize("row", rows("batch"))
def test_batch_rows(
    row: Row, operator: User, reviewer: User, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kimi:G9 X5 X7 V3 V7 R4: guard and review are asked for each call when it runs."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    if row.get("blob_store") == "fails":
        monkeypatch.setattr(blobs, "store", faults.BrokenStore)
    expect = wanted(row)
    if not expect["approvals"]:
        expect.pop("reviewed", None)  # what the reference's card showed, where ours opens none
    session = batch(row, operator).work()
    for response in row["responses"][: expect["approvals"]]:
        kind, fields = desk.translated(response)
        desk.decide(session, reviewer, kind, **fields)
        session.work()
    if expect["approvals"] and not row["responses"]:  # ours asks where the reference did not
        desk.approve(session, reviewer)
        session.work()
    found = outcome(session)
    assert {name: found.get(name) for name in expect} == expect
    assert session.turn.state in {"done", "stopped"}
    assert desk.refolded(session) == session.state


def test_two_submissions_in_one_reply_make_one_card(operator: User, reviewer: User) -> None:
    """fault:F46; the second one finds the same bytes, already decided."""
    twice = [call("ExitPlanMode"), call("ExitPlanMode")]
    session = play(operator, [{"tool_calls": twice}, DONE])
    desk.put_plan(session, PLAN.encode())
    session.work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    session.work()
    assert Review.objects.count() == 1
    first, second = desk.results(session)
    assert not first.is_error
    assert second.is_error
    assert "has not changed since revision v1" in second.text
    assert session.turn.state == "done"


# Workers that die


def test_what_changes_nothing_runs_again_after_a_crash(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, DONE])
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
    session = play(operator, [DONE])
    faults.die(session, ev.ModelReplied)
    session.work()
    assert [step.number for step in desk.every(session, ev.StepStarted)] == [1, 1]
    assert len(desk.every(session, ev.ModelReplied)) == 1
    assert len(desk.every(session, ev.ReminderInjected)) == 1
    assert session.turn.state == "done"


def test_a_step_that_takes_three_workers_with_it_ends_the_turn(operator: User) -> None:
    """K01: each of them began the step, so the log grew with each."""
    session = play(operator, [DONE])
    for _ in range(3):
        faults.die(session, ev.ModelReplied)
    session.work()
    assert (session.turn.state, session.turn.reason) == ("failed", "worker_lost")
    assert len(desk.every(session, ev.StepStarted)) == 3


def test_a_read_that_takes_three_workers_with_it_is_interrupted(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, DONE])
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
    session = play(operator, [submits(), DONE]).work()
    desk.approve(session, reviewer)
    faults.die(session, ev.ToolFinished)
    session.work()
    assert [result.name for result in desk.results(session)] == ["Write", "ExitPlanMode"]
    assert session.turn.state == "done"


def test_a_worker_that_lost_its_claim_stops_quietly(operator: User) -> None:
    """Its successor has the turn; whatever the first one still had to write is void."""
    session = play(operator, [DONE])
    first = claim(session)
    faults.lease_runs_out(session)
    second = claim(session)
    turn.run(first, until=turn.slice_end())
    assert not desk.every(session, ev.StepStarted)
    turn.run(second, until=turn.slice_end())
    assert session.turn.state == "done"


def claim(session: Play) -> Claim:
    """Take the session's due turn as a worker."""
    from_queue = Turn.objects.claim(session.turn.pk, worker="w", lease=LEASE)
    assert from_queue is not None
    return from_queue


def lose_three_workers(session: Play) -> None:
    """Let three workers die with the turn before they write anything."""
    for _ in range(turns.MOST_IDLE_CLAIMS):
        assert session.turn.state in {"queued", "running"}
        claim(session)
        faults.lease_runs_out(session)


def test_a_turn_that_takes_three_workers_with_it_is_ended(operator: User) -> None:
    """K01; it went from worker to worker for ever."""
    session = play(operator, [DONE])
    lose_three_workers(session)
    session.work()
    assert (session.turn.state, session.turn.reason) == ("failed", "worker_lost")
    (ended,) = desk.every(session, ev.TurnEnded)
    assert ended.reason == "worker_lost"
    services.post_message(session.id, "again", author=operator)
    assert session.work().turn.state == "done"


def test_a_worker_that_wrote_something_starts_the_count_anew(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, DONE])
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


# Messages and cancellation


@dataclass(slots=True)
class Listener:
    """A model that keeps what it was sent, and lets something happen while it thinks."""

    replies: list[ModelReply]
    meanwhile: Callable[[], object] | None = None
    requests: list[ModelRequest] = field(default_factory=list)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the next reply; what happens meanwhile happens in the first call."""
        self.requests.append(request)
        happening, self.meanwhile = self.meanwhile, None
        if happening is not None:
            happening()
        return self.replies.pop(0)

    def heard(self, number: int) -> list[str]:
        """Return what people had said in request ``number``."""
        return [
            message.text
            for message in self.requests[number].messages
            if isinstance(message, UserMessage) and message.origin is ev.Origin.USER
        ]


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    """The model of every session in this test."""
    model = Listener([reply("One."), reply("Two.")])
    monkeypatch.setattr(turn, "open_model", lambda _: model)
    return model


def reply(text: str, *calls: ToolCall) -> ModelReply:
    return ModelReply(text, calls, "listener")


def test_a_message_during_a_model_call_is_seen_before_the_turn_ends(
    operator: User, listener: Listener
) -> None:
    session = play(operator, [DONE])
    listener.meanwhile = lambda: services.post_message(session.id, "and tests", author=operator)
    session.work()
    assert listener.heard(0) == ["Tidy the parser"]
    assert listener.heard(1) == ["Tidy the parser", "and tests"]
    assert session.turn.state == "done"
    assert session.turn.number == 1


def test_a_message_between_a_lost_step_and_its_repetition_is_seen(
    operator: User, listener: Listener
) -> None:
    """Found here: the step was counted as having seen it, and was not given it."""
    session = play(operator, [DONE])
    faults.die(session, ev.ModelReplied)
    services.post_message(session.id, "and tests", author=operator)
    session.work()
    assert listener.heard(1) == ["Tidy the parser", "and tests"]
    assert session.turn.state == "done"


def test_a_message_in_the_moment_of_the_turn_s_end_keeps_it_going(operator: User) -> None:
    session = play(operator, [DONE])
    held = claim(session)
    turns.append(held, ev.StepStarted(1), reply_event())
    services.post_message(session.id, "one more thing", author=operator)
    assert turns.end_turn(held, ev.TurnState.DONE) is False
    assert session.turn.state == "running"


def reply_event() -> ev.ModelReplied:
    return ev.ModelReplied("Done.", (), "m")


def test_a_message_while_a_plan_waits_withdraws_nothing(
    operator: User, reviewer: User, listener: Listener
) -> None:
    """It is given together with the answer."""
    listener.replies = [reply("", ToolCall("c1", "ExitPlanMode")), reply("Done.")]
    session = play(operator, [DONE])
    desk.put_plan(session, PLAN.encode())
    session.work()
    services.post_message(session.id, "take your time", author=operator)
    assert session.turn.state == "waiting"
    assert session.review.status == "open"
    desk.approve(session, reviewer)
    session.work()
    assert listener.heard(1) == ["Tidy the parser", "take your time"]
    assert session.turn.number == 1


def test_what_was_said_while_a_rejected_plan_waited_gets_its_own_turn(
    operator: User, reviewer: User
) -> None:
    session = play(operator, [submits(), {"after": "rejected", "text": "I see."}]).work()
    services.post_message(session.id, "use the old parser", author=operator)
    desk.decide(session, reviewer, DecisionKind.REJECT)
    session.work()
    assert [row.state for row in Turn.objects.order_by("number")] == ["stopped", "queued"]
    session.work()
    assert session.turn.state == "done"
    assert session.state.turn.unseen == 0


def test_a_message_after_the_turn_makes_the_next_one_due(operator: User) -> None:
    session = play(operator, [DONE, {"text": "More."}]).work()
    services.post_message(session.id, "again", author=operator)
    assert (session.turn.number, session.turn.state) == (2, "queued")
    assert session.work().turn.state == "done"


def test_cancelling_while_a_plan_waits_withdraws_its_review(operator: User, reviewer: User) -> None:
    """kimi:V9: plan mode stays on; nothing is resolved."""
    session = play(operator, [submits(), DONE]).work()
    services.cancel_turn(session.id)
    assert session.review.status == "withdrawn"
    assert session.turn.state == "cancelled"
    assert session.state.plan.active
    with pytest.raises(ReviewClosedError, match="withdrawn"):
        desk.approve(session, reviewer)
    assert not desk.every(session, ev.PlanResolved)
    assert [name for name, _ in desk.telemetry(session)] == ["plan_submitted"]


def test_a_plan_whose_review_was_withdrawn_can_be_submitted_as_it_is(operator: User) -> None:
    """Found here: the unchanged bytes were refused although nobody had decided on them.

    kimi:V9: what was said after the cancellation brings the full text.
    """
    session = play(operator, [submits(), {"tool_calls": [call("ExitPlanMode")]}]).work()
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    session.work()
    assert session.review.status == "open"
    assert session.review.revision_version == 2
    assert [told.kind for told in desk.every(session, ev.ReminderInjected)] == ["full", "full"]


def test_cancelling_a_running_turn_stops_its_worker(operator: User, listener: Listener) -> None:
    session = play(operator, [DONE])
    listener.meanwhile = lambda: services.cancel_turn(session.id)
    session.work()
    assert session.turn.state == "cancelled"
    assert not desk.every(session, ev.ModelReplied)


def test_what_was_said_while_a_cancelled_turn_ran_gets_its_own_turn(
    operator: User, listener: Listener
) -> None:
    """Found by review: nothing was due, and no page said that the message waited."""
    session = play(operator, [DONE])

    def say_and_cancel() -> None:
        services.post_message(session.id, "use the old parser", author=operator)
        services.cancel_turn(session.id)

    listener.meanwhile = say_and_cancel
    session.work()
    assert [row.state for row in Turn.objects.order_by("number")] == ["cancelled", "queued"]
    session.work()
    assert listener.heard(1) == ["Tidy the parser", "use the old parser"]
    assert (session.turn.state, session.state.turn.unseen) == ("done", 0)


def test_cancelling_a_turn_that_never_began_leaves_nothing_due(operator: User) -> None:
    session = play(operator, [DONE])
    services.cancel_turn(session.id)
    assert [row.state for row in Turn.objects.all()] == ["cancelled"]


def test_cancelling_leaves_no_call_without_a_result(operator: User, listener: Listener) -> None:
    listener.replies = [reply("", ToolCall("c1", "ExitPlanMode")), reply("Done.")]
    session = play(operator, [DONE])
    desk.put_plan(session, PLAN.encode())
    session.work()
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    session.work()
    results = [m.text for m in listener.requests[1].messages if not isinstance(m, UserMessage)]
    assert "Cancelled: the turn was cancelled" in results[-1]


def test_a_command_that_wants_too_much_memory_does_not_end_the_turn(operator: User) -> None:
    """fault:F39."""
    hungry = call("Bash", command="/usr/bin/python3 -c 'bytearray(2**33)'")
    session = play(operator, [{"tool_calls": [hungry]}, DONE], plan=False, permission_mode="yolo")
    session.work()
    (result,) = desk.results(session)
    assert result.is_error
    assert "a command may use 2048 MiB of memory" in result.text
    assert Turn.objects.get().state == "done"


@pytest.mark.django_db(transaction=True)
def test_cancelling_ends_the_command_that_runs_and_the_next_turn_waits_for_that(
    operator: User,
) -> None:
    """fault:F47; the command ran on, beside the next turn, on the same workspace."""
    late = call("Bash", command="sleep 300; echo late > late.txt", timeout=600)
    session = play(operator, [{"tool_calls": [late]}, DONE], plan=False, permission_mode="yolo")
    due_meanwhile: list[bool] = []

    def cancel() -> None:
        services.cancel_turn(session.id)
        services.post_message(session.id, "go on", author=operator)
        due_meanwhile.append(Turn.objects.filter(session_id=session.id).due().exists())

    with faults.once_written(ev.ToolStarted, cancel):
        session.work()
    assert due_meanwhile == [False]
    assert not (session.workspace / "late.txt").exists()
    assert not desk.results(session)
    session.work()
    assert [row.state for row in Turn.objects.order_by("number")] == ["cancelled", "done"]


def test_the_next_turn_begins_when_the_lease_of_a_dead_worker_is_over(operator: User) -> None:
    """It died in a tool and can't say that it let go."""
    commands = call("Bash", command="true")
    session = play(operator, [{"tool_calls": [commands]}, DONE], plan=False, permission_mode="yolo")
    with faults.death_before(ev.ToolFinished), pytest.raises(faults.Killed):
        session.work()
    services.cancel_turn(session.id)
    services.post_message(session.id, "go on", author=operator)
    assert session.work().turn.state == "queued"
    Turn.objects.filter(state="cancelled").update(lease_until=Now() - timedelta(seconds=1))
    assert session.work().turn.state == "done"


# Models that fail, and other ends


def test_a_failing_model_is_asked_again_later(operator: User) -> None:
    failing = {"text": "Done.", "fail": {"kind": "rate_limit", "times": 2}}
    session = play(operator, [failing]).work()
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
    session = play(operator, [{"tool_calls": [call("TodoList", items=[])]}, DONE])
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
    session = play(operator, [DONE])
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
    session = play(operator, [DONE]).work()
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
