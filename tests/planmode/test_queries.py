"""What the floors above may ask."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Now
from uuid6 import uuid7

from planmode import queries, services
from planmode.access.may import Action, Owned, visible
from planmode.access.models import Project
from planmode.core.errors import RevisionUnknownError, SessionUnknownError
from planmode.models import Heartbeat, Revision, Turn
from reviews.core.decisions import DecisionKind
from tests import desk, faults
from tests.factories import PLAN, STOPS_EARLY, Play, play, submits
from tests.jobs import Desk, ended

pytestmark = pytest.mark.django_db

DONE = {"text": "Done."}
SECOND = "# Tidy it better\n"
EVERYTHING = Q()


@pytest.fixture
def session(operator: User, reviewer: User) -> Play:
    """A session whose second revision waits."""
    again = {"after": "revise", **submits(SECOND)}
    started = play(operator, [submits(), again, DONE]).work()
    desk.decide(started, reviewer, DecisionKind.REVISE, feedback="better")
    return started.work()


def test_a_session_s_row(session: Play, operator: User, project: Project) -> None:
    row = queries.session(session.id)
    assert row.owned == queries.owned(session.id) == Owned(project.pk, operator.pk)
    assert (row.owner, row.project, row.title) == ("operator", "default", "Tidy the parser")
    assert row.state == session.state
    assert row.seq == len(desk.log(session))
    assert row.turn is not None
    assert (row.turn.number, row.turn.state, row.turn.worker) == (1, "waiting", "")


def test_a_running_turn_names_its_worker(operator: User) -> None:
    started = play(operator, [DONE])
    Turn.objects.claim(started.turn.pk, worker="host:1", lease=timedelta(seconds=9))
    row = queries.session(started.id)
    assert row.turn is not None
    assert row.turn.worker == "host:1"


def test_an_ended_turn_says_how(operator: User) -> None:
    started = play(operator, [{"text": "x", "after": "approved"}]).work()
    row = queries.session(started.id)
    assert row.turn is not None
    assert (row.turn.state, row.turn.reason) == ("failed", "script_exhausted")
    assert row.turn.detail
    assert row.turn.ended_at is not None


def test_a_turn_that_was_undone_says_so_until_the_next_one_begins(operator: User) -> None:
    """Found here: the end that was taken back was still shown."""
    session = stopped(operator)
    before = queries.session(session.id).turn
    services.undo(session.id, 3, by=operator)
    undone = queries.session(session.id).turn
    listed = queries.sessions(EVERYTHING, limit=1)[0].turn
    services.post_message(session.id, "Go on", author=operator)
    after = queries.session(session.id).turn
    turns = (before, undone, listed, after)
    assert [turn and turn.taken_back for turn in turns] == [False, True, True, False]


def test_the_newest_sessions_come_first_page_by_page(operator: User) -> None:
    made = [play(operator, [DONE]).id for _ in range(3)]
    first = queries.sessions(EVERYTHING, limit=2)
    assert [row.id for row in first] == [made[2], made[1]]
    rest = queries.sessions(EVERYTHING, limit=2, before=first[-1].id)
    assert [row.id for row in rest] == [made[0]]
    assert rest[0].turn is not None


def test_a_session_shows_its_newest_turn(operator: User) -> None:
    started = play(operator, [DONE]).work()
    services.post_message(started.id, "again", author=operator)
    (row,) = queries.sessions(EVERYTHING, limit=9)
    assert row.turn is not None
    assert (row.turn.number, row.turn.state) == (2, "queued")


def test_who_may_see_decides_what_is_found(session: Play, reviewer: User, stranger: User) -> None:
    def seen(user: User) -> list[object]:
        who = desk.caller(user)
        condition = visible(who, Action.READ_PLAN, project="project", owner="owner")
        return [row.id for row in queries.sessions(condition, limit=9)]

    assert seen(reviewer) == [session.id]
    assert seen(stranger) == []


def test_what_does_not_exist_is_said(db: None) -> None:
    with pytest.raises(SessionUnknownError):
        queries.session(uuid7())
    with pytest.raises(SessionUnknownError):
        queries.owned(uuid7())
    with pytest.raises(RevisionUnknownError):
        queries.revision(uuid7())
    with pytest.raises(RevisionUnknownError):
        queries.revision_bytes(uuid7())


def test_positions_of_all_that_somebody_watches(session: Play, operator: User) -> None:
    other = play(operator, [DONE])
    positions = queries.positions([session.id, other.id, uuid7()])
    assert positions == {session.id: len(desk.log(session)), other.id: len(desk.log(other))}


def test_events_behind_a_number_and_before_one(session: Play) -> None:
    whole = queries.events(session.id)
    assert [logged.event for logged in whole] == desk.log(session)
    assert [logged.seq for logged in queries.events(session.id, after=2, limit=3)] == [3, 4, 5]
    newest = queries.newest_events(session.id, limit=2)
    assert newest == whole[-2:]
    assert queries.newest_events(session.id, before=3, limit=9) == whole[:2]


def test_the_working_plan_is_what_the_agent_last_wrote(session: Play) -> None:
    """kimi:S15."""
    plan_id = session.state.plan.plan_id or ""
    assert queries.working_plan(session.id, plan_id) == SECOND.encode()
    assert queries.working_plan(session.id, "no-such-plan") is None


def test_revisions_are_found_the_newest_first(session: Play) -> None:
    second, first = queries.revision_rows(Q(session_id=session.id), limit=9)
    assert (first.version, second.version) == (1, 2)
    assert queries.revision(second.id) == second
    assert queries.revision_rows(EVERYTHING, limit=9, before=second.id) == [first]
    assert queries.revision_bytes(first.id) == PLAN.encode()
    assert (first.key, first.size) == (f"plan/{first.plan_id}/v1.md", len(PLAN.encode()))
    assert (first.owner, first.title) == ("operator", "Tidy the parser")


def test_the_bytes_of_a_revision_are_those_of_its_hash(session: Play) -> None:
    row = Revision.objects.get(version=2)
    assert queries.revision_bytes(row.pk) == SECOND.encode()
    assert queries.revision(row.pk).sha256 == session.review.sha256


def test_workers_that_were_alive_lately(db: None) -> None:
    Heartbeat.objects.create(worker="b")
    Heartbeat.objects.create(worker="a")
    Heartbeat.objects.create(worker="gone", seen_at=Now() - timedelta(minutes=5))
    assert queries.workers_seen(timedelta(minutes=1)) == ["a", "b"]


def test_a_worker_that_died_is_still_named_until_its_turn_is_taken(operator: User) -> None:
    started = play(operator, [DONE])
    Turn.objects.claim(started.turn.pk, worker="host:1", lease=timedelta(seconds=9))
    faults.lease_runs_out(started)
    row = queries.session(started.id)
    assert row.turn is not None
    assert row.turn.worker == "host:1"


def test_tasks_and_schedules_come_with_the_newest_first(operator: User) -> None:
    room = Desk(operator)
    ended(room.begin("exit 3"))
    running = room.begin("sleep 600")
    assert [
        (row.number, row.command, row.state, row.exit_code, row.ended_at is None)
        for row in queries.tasks(room.play.id)
    ] == [(2, "sleep 600", "running", None, True), (1, "exit 3", "failed", 3, False)]
    assert services.stop_task(room.play.id, running.number)
    for minute in (1, 2, 3):
        room.text("CronCreate", cron=f"{minute} 9 * * *", prompt="Look.", once=minute == 3)
    services.delete_schedule(room.play.id, 2)
    assert [(row.number, row.once, row.active) for row in queries.schedules(room.play.id)] == [
        (3, True, True),
        (2, False, False),
        (1, False, True),
    ]
    assert [row.number for row in queries.active_schedules(room.play.id)] == [1, 3]
    assert queries.tasks(room.play.id, limit=1)[0].number == 2


def stopped(owner: User) -> Play:
    return play(owner, [STOPS_EARLY]).work()


def test_sessions_that_stopped_unfinished_need_somebody_the_newest_first(
    operator: User, project: Project
) -> None:
    """claude:C-24: the turn that ends without a submission is found again."""
    first, second = stopped(operator), stopped(operator)
    play(operator, [DONE], plan=False).work()
    rows = queries.stopped(EVERYTHING, limit=5)
    assert [row.id for row in rows] == [second.id, first.id]
    assert {(row.state, row.reason) for row in rows} == {("stopped", "unsubmitted")}
    assert rows[0].owned == Owned(project.pk, operator.pk)
    assert len(queries.stopped(EVERYTHING, limit=1)) == 1


def test_somebody_who_spoke_tried_again_or_went_back_was_there(operator: User) -> None:
    spoken, tried, undone = (stopped(operator) for _ in range(3))
    services.post_message(spoken.id, "Go on", author=operator)
    services.retry_turn(tried.id, by=operator)
    services.undo(undone.id, 3, by=operator)
    assert queries.stopped(EVERYTHING, limit=5) == []


def test_the_points_at_which_a_conversation_was_cut(operator: User) -> None:
    session = stopped(operator)
    assert queries.turning_points(session.id) == []
    services.undo(session.id, 3, by=operator)
    services.compact(session.id, "So far.")
    names = [type(point.event).__name__ for point in queries.turning_points(session.id)]
    assert names == ["ConversationUndone", "ContextCompacted"]
