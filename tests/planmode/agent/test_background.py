"""Commands in the background: real processes, followed and ended."""

import os
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from planmode import services
from planmode.agent import background, identity
from planmode.agent.bubblewrap import SandboxError
from planmode.agent.limits import Limit
from planmode.agent.sandbox import Sandbox
from planmode.core import events as ev
from planmode.core.background import GRACE_S, START_S, EndReason, Identity, Place, TaskState
from planmode.core.errors import ClaimLostError, TaskUnknownError, TooManyJobsError
from planmode.models import BackgroundTask, Schedule
from planmode.store import background as rows
from tests.desk import results
from tests.factories import call, play, submits
from tests.jobs import Desk, comes_true, ended, kill_follower, looked_at, printed, runs
from tests.requirements import need

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["in a sandbox", "without a sandbox"])
def desk(request: pytest.FixtureRequest, operator: User) -> Desk:
    if request.param == "without a sandbox":
        return Desk(operator, Sandbox())
    need("working bubblewrap", Sandbox.probe().available)
    return Desk(operator)


def token(seconds: int, desk: Desk) -> str:
    """Return an argument of ``sleep`` that no other test and no other run uses."""
    return f"{seconds}.{1 + desk.sandbox.available}{os.getpid():07}"


def test_a_command_outlives_its_call_and_is_found_ended(desk: Desk) -> None:
    task = desk.begin("echo begun; cat > /dev/null; echo end > out.txt; exit 3")
    assert (task.number, task.limit_s, task.sandboxed) == (1, 3600, False)
    found = ended(task)
    assert (found.state, found.exit_code, found.reason) == ("failed", 3, "")
    assert found.size == len("begun\n")
    assert found.ended_at is not None
    assert found.ended_at >= found.started_at
    assert (desk.work / "out.txt").read_text() == "end\n"


def test_the_row_names_the_process_that_follows(desk: Desk) -> None:
    task = desk.begin(f"sleep {token(86431, desk)}")
    task.refresh_from_db()
    who = rows.follower(task)
    assert who is not None
    assert who.pid == task.pid
    assert identity.alive(who)
    assert os.getsid(who.pid) != os.getsid(0)
    assert looked_at(task).state == "running"
    assert background.stop(task)


def test_a_stopped_command_ends_with_all_that_it_started(desk: Desk) -> None:
    """security:S08: also what left its group."""
    mark = token(86432, desk)
    task = desk.begin(f"setsid sleep {mark} >/dev/null 2>&1 & echo begun; sleep {mark}")
    assert printed(task, "begun")
    assert background.stop(task)
    task.refresh_from_db()
    assert (task.state, task.reason, task.exit_code) == ("stopped", "stopped", None)
    assert comes_true(lambda: not runs(mark))


def test_a_person_can_stop_a_command(desk: Desk) -> None:
    task = desk.begin(f"sleep {token(86433, desk)}")
    assert services.stop_task(desk.play.id, task.number)
    task.refresh_from_db()
    assert task.state == "stopped"
    assert services.stop_task(desk.play.id, task.number), "it has ended, and that is all"
    with pytest.raises(TaskUnknownError):
        services.stop_task(desk.play.id, 99)


def test_a_command_whose_follower_was_killed_is_lost_with_all_that_it_started(desk: Desk) -> None:
    mark = token(86434, desk)
    task = desk.begin(f"echo begun; sleep {mark}")
    assert printed(task, "begun")
    kill_follower(task)
    found = ended(task)
    assert (found.state, found.exit_code, found.size) == ("lost", None, len("begun\n"))
    assert comes_true(lambda: not runs(mark))


def test_a_follower_that_is_told_to_end_ends_the_command(desk: Desk) -> None:
    """The host stops: nobody asked for this command in particular."""
    mark = token(86435, desk)
    task = desk.begin(f"echo begun; sleep {mark}")
    assert printed(task, "begun")
    who = rows.follower(task)
    assert who is not None
    os.kill(who.pid, 15)
    found = ended(task)
    assert (found.state, found.reason) == ("stopped", "terminated")
    assert comes_true(lambda: not runs(mark))


def test_a_follower_that_does_not_answer_is_killed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = token(86436, desk)
    task = desk.begin(f"echo begun; sleep {mark}")
    assert printed(task, "begun")
    who = rows.follower(task)
    assert who is not None
    os.kill(who.pid, 19)  # it stands still
    monkeypatch.setattr(background, "STOP_S", 0.0)
    assert background.stop(task)
    task.refresh_from_db()
    assert (task.state, task.reason) == ("stopped", "stopped")
    assert comes_true(lambda: not identity.alive(who))
    assert comes_true(lambda: not runs(mark))


def test_time_is_bounded(desk: Desk, settings: Settings) -> None:
    settings.TASK_LIMIT_S = 1
    mark = token(86437, desk)
    found = ended(desk.begin(f"echo begun; sleep {mark}"))
    assert (found.state, found.reason, found.exit_code) == ("failed", "time", None)
    assert comes_true(lambda: not runs(mark))


def test_a_command_that_can_t_start_is_told(desk: Desk) -> None:
    gone = replace(desk.sandbox, bwrap="/nowhere/bwrap") if desk.sandbox.available else None
    if gone is None:
        with pytest.raises(SandboxError):
            desk.begin("true", sandboxed=True)
        assert not BackgroundTask.objects.exists()
        return
    desk.sandbox = gone
    found = ended(desk.begin("true"))
    assert (found.state, found.reason) == ("failed", "not_started")
    assert b"/nowhere/bwrap" in rows.files(found).read(0, 1000).content


def test_a_planning_session_s_command_changes_nothing(operator: User) -> None:
    """security:S06: in the background as in the foreground."""
    need("working bubblewrap", Sandbox.probe().available)
    desk = Desk(operator)
    found = ended(desk.begin("echo x > a.txt", sandboxed=True))
    assert found.sandboxed
    assert (found.state, found.exit_code) == ("failed", 1)
    assert not (desk.work / "a.txt").exists()


def test_the_task_s_own_folder_is_out_of_its_reach(operator: User) -> None:
    need("working bubblewrap", Sandbox.probe().available)
    desk = Desk(operator)
    task = desk.begin("true")
    found = ended(desk.begin(f"ls {rows.files(task).root}"))
    assert found.exit_code != 0


def test_a_worker_that_lost_its_turn_starts_nothing(desk: Desk) -> None:
    services.cancel_turn(desk.play.id)
    with pytest.raises(ClaimLostError):
        desk.begin("touch a.txt")
    assert not BackgroundTask.objects.exists()
    assert not (desk.work / "a.txt").exists()


def test_a_follower_that_can_t_be_started_leaves_an_ended_task(
    desk: Desk, settings: Settings
) -> None:
    settings.BASE_DIR = desk.work  # no program of ours is there
    with pytest.raises(OSError, match="did not start"):
        desk.begin("true")
    task = BackgroundTask.objects.get()
    assert (task.state, task.reason) == ("failed", "not_started")


def test_a_turn_ends_and_its_command_goes_on(operator: User) -> None:
    """From the model's call through guard and log to the row."""
    serves = call("Bash", command="echo begun; sleep 600", run_in_background=True)
    session = play(
        operator,
        [{"tool_calls": [serves, call("TaskOutput", task=1)]}, {"text": "Done."}],
        plan=False,
        permission_mode="yolo",
    ).work()
    assert session.turn.state == "done"
    started, told = results(session)
    assert started.text.startswith("Task 1 runs in the background")
    assert told.text.startswith("Task 1 is running\n")
    task = BackgroundTask.objects.get()
    assert task.call_id == started.call_id
    assert looked_at(task).state == "running"
    assert background.stop(task)


def test_while_planning_nothing_lasting_is_begun_or_ended(operator: User) -> None:
    """kimi:G2: what outlives the plan waits for it; looking is free."""
    asked = [
        call("TaskStop", task=1),
        call("CronCreate", cron="0 9 * * *", prompt="Look."),
        call("CronDelete", schedule=1),
        call("TaskList"),
        call("CronList"),
        call("TaskOutput", task=1),
    ]
    session = play(operator, [{"tool_calls": asked}, submits()], permission_mode="yolo").work()
    verdicts = [result.verdict for result in results(session)[:6]]
    assert verdicts == [ev.Verdict.DENIED] * 3 + [ev.Verdict.RAN] * 3
    assert not Schedule.objects.exists()


# Looking: what the row and the folder tell, without a process.


def lost_row(desk: Desk, who: Identity | None) -> BackgroundTask:
    """Return a task that is said to run, followed by ``who``."""
    task = rows.begin(
        desk.claim, rows.NewTask("call-1", "true", sandboxed=False, limit_s=3600, mark="")
    )
    rows.files(task).make()
    if who is not None:
        rows.note_follower(task, who)
    task.refresh_from_db()
    return task


def after(task: BackgroundTask, seconds: float) -> str:
    """Return the task's state when somebody looks so long after its start."""
    background.look([task], task.started_at + timedelta(seconds=seconds))
    task.refresh_from_db()
    return task.state


def test_a_session_runs_a_bounded_number(operator: User) -> None:
    desk, own = Desk(operator), identity.own()
    tasks = [lost_row(desk, own) for _ in range(rows.MOST_RUNNING)]
    with pytest.raises(TooManyJobsError, match="8 commands run"):
        desk.begin("true")
    assert BackgroundTask.objects.count() == rows.MOST_RUNNING
    rows.note_follower(tasks[0], replace(own, started=own.started - 1))
    assert desk.begin("true").number == 9, "one that is lost makes room"


def test_a_number_that_another_process_has_is_not_the_follower(desk: Desk) -> None:
    """This process has the number, and another start."""
    own = identity.own()
    task = lost_row(desk, replace(own, started=own.started - 1))
    assert after(task, 0) == "lost"


def test_a_host_that_was_started_anew_has_lost_its_tasks(desk: Desk) -> None:
    here = identity.here()
    before = Identity(Place(here.host, "another start"), os.getpid(), 1)
    assert after(lost_row(desk, before), 0) == "lost"


def test_a_task_of_another_host_has_its_time(desk: Desk) -> None:
    elsewhere = lost_row(desk, Identity(Place("elsewhere", "x"), 1, 1))
    assert after(elsewhere, 3600 + GRACE_S) == "running"
    assert after(elsewhere, 3600 + GRACE_S + 1) == "lost"


def test_a_worker_that_died_before_it_noted_the_follower(desk: Desk) -> None:
    """The folder says who it is; where it does not, nothing ever began."""
    task = lost_row(desk, None)
    assert after(task, START_S) == "running"
    rows.files(task).say_who(identity.own())
    assert after(task, START_S + 1) == "running"
    silent = lost_row(desk, None)
    assert after(silent, START_S + 1) == "lost"


def test_what_has_ended_stays_as_it_is(desk: Desk) -> None:
    task = ended(desk.begin("true"))
    assert task.state == "done"
    kept = task.ended_at
    rows.lose(task, timezone.now())
    task.refresh_from_db()
    assert (task.state, task.ended_at) == ("done", kept)


def test_a_stop_that_nobody_hears_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "STOP_S", 0.0)
    task = lost_row(desk, Identity(Place("elsewhere", "x"), 1, 1))
    assert not background.stop(task)
    assert rows.files(task).stop_asked()


def test_a_folder_that_can_t_be_read_keeps_no_other_waiting(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = lost_row(desk, None), desk.begin("true")
    rows.files(bad).root.joinpath("end.json").mkdir()
    rows.files(bad).root.joinpath("follower.json").mkdir()
    assert comes_true(lambda: rows.files(good).end())
    background.look([bad, good], timezone.now())
    good.refresh_from_db()
    assert good.state == TaskState.DONE


def test_every_limit_of_a_command_is_a_reason() -> None:
    assert {limit.value for limit in Limit} <= {reason.value for reason in EndReason}
