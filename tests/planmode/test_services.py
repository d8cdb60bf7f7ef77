"""The agent side's verbs, and what they refuse."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoCaptureOnCommitCallbacks
from uuid6 import uuid7

from planmode import modes, services, turns
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core import wire
from planmode.core.calls import ToolCall
from planmode.core.errors import (
    AlreadyPlanningError,
    ClaimLostError,
    DomainError,
    MessageInvalidError,
    NotPlanningError,
    NoTurnError,
    NotWaitingError,
    PlanInvalidError,
    ProjectUnknownError,
    SessionInvalidError,
    SessionUnknownError,
    WorkspaceRefusedError,
)
from planmode.core.guard import Allow, CallFacts, Ground
from planmode.core.outcomes import Closure, Outcome
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.core.state import PendingCall
from planmode.models import Claim, EventRecord, Session, Turn
from planmode.services import NewSession
from planmode.turns import Submission
from reviews.models import Review
from tests import desk, faults
from tests.factories import PLAN, Play, call, play, submits
from tests.races import at_once
from tests.rows import Row, rows, wanted

DONE = {"text": "Done."}
LEASE = timedelta(seconds=30)
FINISHED = ev.ToolFinished("c1", "Read", "ok")
SUBMISSION = Submission("c1", PLAN.encode(), ())


def claimed(session: Play) -> Claim:
    """Take the session's due turn, as a worker would."""
    claim = Turn.objects.claim(session.turn.pk, worker="w", lease=LEASE)
    assert claim is not None
    return claim


# Starting


def new(tmp_path: Path, **fields: Any) -> NewSession:  # noqa: ANN401 - the fields of a new session
    work = tmp_path / "workspaces/work"
    work.mkdir(exist_ok=True)
    whole = {
        "project": "default",
        "workspace": "work",
        "prompt": "Tidy",
        "model": "scripted:x.yaml",
    }
    return NewSession(**{**whole, **fields})


@pytest.mark.django_db
def test_a_session_starts_planning_with_its_turn_due(operator: User, tmp_path: Path) -> None:
    """kimi:S8 S11: the path is in no event; no file is made."""
    play_ = Play(services.start_session(new(tmp_path, prompt="# Tidy\n\nall"), owner=operator))
    kinds = [type(event).__name__ for event in desk.log(play_)]
    assert kinds == ["SessionStarted", "PlanModeEntered", "MessagePosted", "TurnQueued"]
    assert play_.state.plan.active
    assert not desk.plan_path(play_).exists()
    assert play_.turn.state == "queued"
    stored = Session.objects.get(pk=play_.id)
    assert (stored.title, stored.workspace) == ("Tidy", str(tmp_path / "workspaces/work"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"project": "other"}, ProjectUnknownError),
        ({"preset": "nonsense"}, SessionInvalidError),
        ({"permission_mode": "root"}, SessionInvalidError),
        ({"model": ""}, SessionInvalidError),
        ({"model": "m" * 201}, SessionInvalidError),
        ({"model": "openai:\x07"}, SessionInvalidError),
        ({"model": "scripted:../secret.yaml"}, SessionInvalidError),
        ({"model": "scripted:/etc/passwd"}, SessionInvalidError),
        ({"model": "scripted:.hidden"}, SessionInvalidError),
        ({"model": "scripted:"}, SessionInvalidError),
        ({"prompt": " \n"}, MessageInvalidError),
        ({"prompt": "é" * 131_073}, MessageInvalidError),
        ({"workspace": "/etc"}, WorkspaceRefusedError),
        ({"workspace": "missing"}, WorkspaceRefusedError),
    ],
)
def test_what_can_t_start_leaves_no_trace(
    operator: User, tmp_path: Path, fields: dict[str, Any], error: type[DomainError]
) -> None:
    with pytest.raises(error):
        services.start_session(new(tmp_path, **fields), owner=operator)
    assert not Session.objects.exists()


@pytest.mark.django_db
def test_a_person_on_the_machine_names_any_script_and_folder(
    operator: User, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    fields = {"workspace": str(elsewhere), "model": "scripted:/x/demo.yaml", "local": True}
    session_id = services.start_session(new(tmp_path, **fields), owner=operator)
    assert Session.objects.get(pk=session_id).workspace == str(elsewhere)


@pytest.mark.django_db
def test_what_no_database_can_hold_is_marked_in_the_prompt(operator: User, tmp_path: Path) -> None:
    session = Play(services.start_session(new(tmp_path, prompt="a\0b"), owner=operator))
    assert desk.every(session, ev.MessagePosted)[0].text == "a�b"


def test_the_group_of_config_rows_is_tested_by_name() -> None:
    assert rows("config") == []


@pytest.mark.django_db
@pytest.mark.parametrize("plan", [True, False])
def test_whether_a_session_starts_in_plan_mode(operator: User, plan: bool) -> None:  # noqa: FBT001 - a table's column
    """vector:CF-01 CF-04; ours is on unless somebody says no."""
    assert play(operator, [DONE], plan=plan).state.plan.active is plan
    assert NewSession("p", "w", "x", "m").plan


@pytest.mark.django_db
@pytest.mark.parametrize("plan", [True, False])
def test_going_on_with_a_session_leaves_plan_mode_as_it_is(operator: User, plan: bool) -> None:  # noqa: FBT001 - a table's column
    """vector:CF-02 CF-05."""
    session = play(operator, [DONE, {"text": "More."}], plan=plan).work()
    services.post_message(session.id, "go on", author=operator)
    assert session.work().state.plan.active is plan
    assert len(desk.every(session, ev.PlanModeEntered)) == int(plan)


@pytest.mark.django_db
def test_workers_are_woken_after_the_commit(
    operator: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        play(operator, [DONE])
    woken = [name for name in map(str, callbacks) if "publish" in name]
    assert len(woken) == 1


# Entering and leaving


class Door:
    """A session that does what a row of the group *enter* says."""

    def __init__(self, session: Play, reviewer: User) -> None:
        self.session, self.reviewer = session, reviewer

    def do(self, operation: str) -> None:
        match operation:
            case "enter":
                self.enter("bold-amber-fox")
            case "enter_traversal":
                self.enter("../../evil")
            case "exit":
                submit(self.session)
                desk.approve(self.session, self.reviewer)
            case _:
                raise AssertionError(operation)

    def enter(self, plan_id: str) -> None:
        """Enter as the EnterPlanMode tool does."""
        faults.lease_runs_out(self.session)
        turns.enter_plan_mode(claimed(self.session), lambda _: FINISHED, plan_id=plan_id)


def submit(session: Play, content: bytes = PLAN.encode(), call_id: str = "c1") -> None:
    """Submit ``content`` as the ExitPlanMode tool does."""
    faults.lease_runs_out(session)
    claim = claimed(session)
    asked = ev.ModelReplied("", (ToolCall(call_id, "ExitPlanMode"),), "m")
    turns.append(claim, ev.StepStarted(session.state.turn.steps + 1), asked)
    turns.submit_plan(claim, Submission(call_id, content, ()))


MODE_EVENTS = {
    ev.PlanModeEntered: "enter",
    ev.PlanModeExited: "exit",
    ev.PlanModeCancelled: "cancel",
}
ERRORS: dict[str, type[DomainError]] = {
    "session.plan_mode_invalid": AlreadyPlanningError,
    "invalid id": PlanInvalidError,
}


@pytest.mark.django_db
@pytest.mark.parametrize("row", [row for row in rows("enter") if row.id != "EN-03"])
def test_enter_rows(row: Row, operator: User, reviewer: User) -> None:
    """kimi:S11 S21 E2; vector:EN-03 is in tests/planmode/agent/test_entering.py."""
    session = play(operator, [DONE], plan=False)
    door, expect = Door(session, reviewer), wanted(row)
    for operation in row["do"][:-1]:
        door.do(operation)
    if "error" in expect:
        with pytest.raises(ERRORS[expect["error"]]):
            door.do(row["do"][-1])
    else:
        door.do(row["do"][-1])
    told = [MODE_EVENTS[type(event)] for event in desk.log(session) if type(event) in MODE_EVENTS]
    assert told == expect["records"]
    assert session.state.plan.active is expect["active"]
    assert Turn.objects.count() == 1
    if "file_created" in expect:
        assert desk.plan_path(session).exists() is expect["file_created"]


@pytest.mark.django_db
def test_to_leave_twice_records_it_once(operator: User) -> None:
    """vector:EN-05, kimi:S13: it never fails, and what changes nothing is no event."""
    session = play(operator, [DONE], plan=False).work()
    became = [
        services.choose_plan_mode(session.id, active=active, by=operator)
        for active in (True, False, False)
    ]
    assert became == ["committed", "committed", "noop"]
    told = [MODE_EVENTS[type(event)] for event in desk.log(session) if type(event) in MODE_EVENTS]
    assert told == ["enter", "cancel"]
    assert not session.state.plan.active


@pytest.mark.django_db
def test_a_plan_can_t_be_submitted_outside_plan_mode(operator: User) -> None:
    session = play(operator, [DONE], plan=False)
    with pytest.raises(NotPlanningError):
        submit(session)


@pytest.mark.django_db
def test_a_newer_submission_supersedes_the_open_review(operator: User) -> None:
    """The engine waits for the answer; whatever else submits finds the older card open."""
    session = play(operator, [DONE])
    submit(session, b"# A")
    Turn.objects.filter(pk=session.turn.pk).update(state="queued")
    submit(session, b"# B", call_id="c2")
    reviews = Review.objects.order_by("revision_version")
    assert [review.status for review in reviews] == ["superseded", "open"]
    assert session.state.plan.review == str(reviews[1].pk)
    assert desk.every(session, ev.PlanReviewClosed) == [
        ev.PlanReviewClosed(str(reviews[0].pk), Closure.SUPERSEDED)
    ]


@pytest.mark.django_db
def test_the_row_says_where_the_turn_stands(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE]).work()
    assert session.turn.state == "waiting"
    assert session.turn.lease_until is None
    desk.approve(session, reviewer)
    assert session.turn.state == "queued"


# Fencing: a worker whose turn was taken over writes nothing


def hold_enter(claim: Claim) -> None:
    turns.enter_plan_mode(claim, lambda _: FINISHED, plan_id="bold-amber-fox")


def hold_submit(claim: Claim) -> None:
    turns.submit_plan(claim, SUBMISSION)


def hold_begin(claim: Claim) -> None:
    pending, facts = PendingCall(ToolCall("c1", "Read")), CallFacts("Read")
    turns.begin_call(claim, pending, facts, PRESETS["kimi"], Ground())


def hold_append(claim: Claim) -> None:
    turns.append(claim, FINISHED)


def hold_finish(claim: Claim) -> None:
    turns.finish_call(claim, FINISHED, plan_bytes=b"x")


def hold_park(claim: Claim) -> None:
    turns.park(claim, ev.QuestionAsked("q", "c1", (ev.QuestionItem("Which?"),)))


def hold_retry(claim: Claim) -> None:
    turns.retry_later(claim, ev.ModelFailed("error", "", 1))


def hold_end(claim: Claim) -> None:
    turns.end_turn(claim, ev.TurnState.DONE)


VERBS = (
    hold_enter, hold_submit, hold_begin, hold_append, hold_finish, hold_park, hold_retry, hold_end,
    turns.hand_back, turns.wait_again,
)  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("lost", ["taken over", "cancelled", "ended"])
def test_a_lost_claim_writes_nothing(
    operator: User, verb: Callable[[Claim], None], lost: str
) -> None:
    session = play(operator, [DONE], plan=verb is hold_submit)
    claim = claimed(session)
    if lost == "taken over":
        faults.lease_runs_out(session)
        claimed(session)
    elif lost == "cancelled":
        services.cancel_turn(session.id)
    else:
        turns.end_turn(claim, ev.TurnState.STOPPED)
    before, row = desk.log(session), Turn.objects.filter(pk=claim.turn_id).values().get()
    assert not turns.holds(claim)
    with pytest.raises(ClaimLostError):
        verb(claim)
    assert desk.log(session) == before
    assert Turn.objects.filter(pk=claim.turn_id).values().get() == row


@pytest.mark.django_db
def test_each_write_renews_the_lease(operator: User) -> None:
    session = play(operator, [DONE])
    claim = claimed(session)
    faults.lease_runs_out(session)
    turns.append(claim, ev.StepStarted(1))
    assert Turn.objects.claim(claim.turn_id, worker="other", lease=LEASE) is None


@pytest.mark.django_db
def test_a_verdict_and_its_start_are_one(operator: User) -> None:
    session = play(operator, [DONE])
    pending = PendingCall(ToolCall("c1", "Read"))
    verdict = turns.begin_call(
        claimed(session), pending, CallFacts("Read"), PRESETS["kimi"], Ground()
    )
    assert verdict == Allow()
    assert desk.every(session, ev.ToolStarted) == [ev.ToolStarted("c1", "Read")]


# What people answer


@pytest.mark.django_db
def test_answers_to_what_is_not_asked_change_nothing(operator: User) -> None:
    session = play(operator, [DONE])
    before = desk.log(session)
    answers: list[Callable[[], None]] = [
        lambda: services.resolve_plan(session.id, ev.PlanResolved("gone", Outcome.APPROVED)),
        lambda: services.answer_question(session.id, ev.QuestionAnswered("gone", ("x",), 1)),
        lambda: services.answer_approval(
            session.id, ev.ApprovalResolved("gone", allow=True, note="", by=1)
        ),
    ]
    for answer in answers:
        with pytest.raises(NotWaitingError):
            answer()
    assert desk.log(session) == before


@pytest.mark.django_db
def test_a_review_whose_turn_does_not_wait_is_not_resolved(operator: User) -> None:
    """A turn that a worker holds is never made due under it."""
    session = play(operator, [submits(), DONE]).work()
    Turn.objects.filter(pk=session.turn.pk).update(state="queued")
    resolved = ev.PlanResolved(str(session.review.pk), Outcome.APPROVED)
    with pytest.raises(NotWaitingError):
        services.resolve_plan(session.id, resolved)
    assert session.state.plan.review == str(session.review.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", " \n\t", "x" * (256 * 1024 + 1)])
def test_messages_that_say_nothing_or_too_much(operator: User, text: str) -> None:
    session = play(operator, [DONE])
    with pytest.raises(MessageInvalidError):
        services.post_message(session.id, text, author=operator)
    assert len(desk.every(session, ev.MessagePosted)) == 1


@pytest.mark.django_db
def test_a_session_that_does_not_exist(operator: User) -> None:
    with pytest.raises(SessionUnknownError):
        services.post_message(uuid7(), "hi", author=operator)
    with pytest.raises(SessionUnknownError):
        services.cancel_turn(uuid7())


@pytest.mark.django_db
def test_there_must_be_a_turn_to_cancel(operator: User) -> None:
    session = play(operator, [DONE]).work()
    with pytest.raises(NoTurnError):
        services.cancel_turn(session.id)


@pytest.mark.django_db
def test_the_permission_mode_is_restored_as_it_was(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE], permission_mode="yolo").work()
    desk.approve(session, reviewer)
    assert session.state.permission_mode is PermissionMode.YOLO
    assert session.state.plan.previous_mode is None


@pytest.mark.django_db
def test_new_plan_ids_differ_from_those_of_the_session(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("EnterPlanMode")]}, DONE])
    assert modes.new_plan_id(session.state) not in session.state.plan.ids


# Many at once


@pytest.mark.django_db(transaction=True)
def test_twenty_writers_leave_no_gap(operator: User) -> None:
    session = play(operator, [DONE])
    author, session_id = operator, session.id

    def say(number: int) -> None:
        services.post_message(session_id, f"message {number}", author=author)

    assert at_once(say, 20) == [None] * 20
    numbers = EventRecord.objects.filter(session_id=session_id).order_by("seq")
    assert [row.seq for row in numbers] == list(range(1, 25))
    assert chain(session_id) == Session.objects.get(pk=session_id).head
    assert desk.refolded(session) == session.state
    assert Turn.objects.count() == 1


def chain(session_id: UUID) -> str:
    """Return the last hash of the log, computed anew."""
    previous = wire.NO_HASH
    for row in EventRecord.objects.filter(session_id=session_id).order_by("seq"):
        assert row.previous == previous
        previous = wire.link("event", previous, bytes(row.canonical))
        assert row.hash == previous
    return previous


@pytest.mark.django_db(transaction=True)
def test_of_twenty_workers_one_gets_the_turn(operator: User) -> None:
    turn_id = play(operator, [DONE]).turn.pk
    claims = at_once(lambda n: Turn.objects.claim(turn_id, worker=f"w{n}", lease=LEASE), 20)
    (won,) = [claim for claim in claims if claim is not None]
    assert isinstance(won, Claim)
    assert won.fence == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_messages_after_the_end_make_one_turn(operator: User, project: Project) -> None:
    session = play(operator, [DONE]).work()

    def say(number: int) -> None:
        services.post_message(session.id, f"message {number}", author=operator)

    assert at_once(say, 20) == [None] * 20
    assert [row.number for row in Turn.objects.order_by("number")] == [1, 2]
