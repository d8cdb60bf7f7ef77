"""One tool call at a time, judged when it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from pydantic import BaseModel
from pytest_django import Settings

from planmode import turns
from planmode.agent import catalog
from planmode.agent.contracts import NoArguments, Submits, ToolContext
from planmode.agent.sandbox import Sandbox
from planmode.core import events as ev
from planmode.core.errors import PlanInvalidError
from planmode.core.guard import Allow, CallFacts
from planmode.models import Turn
from planmode.signals import Appended, events_appended
from planmode.store import planfiles, revisions
from reviews.models import Review
from tests import desk, faults
from tests.desk import only
from tests.factories import DONE, PLAN, call, one, play, submits
from tests.requirements import need

pytestmark = pytest.mark.django_db


# What never reaches a tool


def test_a_tool_that_does_not_exist(operator: User) -> None:
    """fault:F46 part."""
    session = one(operator, call("Teleport"))
    assert only(session).verdict is ev.Verdict.INVALID
    assert 'no tool called "Teleport"' in only(session).text
    assert "ExitPlanMode" in only(session).text


def test_arguments_are_checked_before_anything_else(operator: User) -> None:
    """pi:P-06, kimi:G4 X3: a pointer and a reason; nothing was done."""
    session = one(operator, call("ExitPlanMode", options=[{"label": "A"}, {"label": "a "}]))
    result = only(session)
    assert result.verdict is ev.Verdict.INVALID
    assert 'Invalid args for tool "ExitPlanMode": /options two options read alike' in result.text
    assert not session.state.plan.revision_count


def test_the_list_lies_in_the_session(operator: User) -> None:
    items = [{"text": "Read", "status": "done"}]
    session = one(operator, call("TodoList", items=items))
    assert session.state.todo == (ev.TodoItem("Read", "done"),)
    assert only(session).text == "Kept 1 items, 1 of them done."


def test_the_plan_file_is_mirrored_with_the_result(operator: User) -> None:
    session = one(operator, call("Write", path="${plan_file}", content=PLAN))
    plan_id = session.state.plan.plan_id
    assert plan_id is not None
    assert planfiles.kept(session.id, plan_id) == PLAN.encode()
    (written,) = desk.every(session, ev.PlanFileWritten)
    assert (written.plan_id, written.size) == (plan_id, len(PLAN.encode()))


# What breaks


class Breaking:
    """A tool that breaks in the place that a test names."""

    name = "TodoList"
    arguments: type[BaseModel] = NoArguments
    repeatable = True

    def __init__(self, place: str) -> None:
        self.place = place
        self.runs = 0

    def facts(self, _args: NoArguments, _context: ToolContext) -> CallFacts:
        if self.place == "facts":
            raise ZeroDivisionError
        return CallFacts(self.name)

    def summary(self, _args: NoArguments) -> str:
        return "Break"

    def run(self, _args: NoArguments, _context: ToolContext) -> Submits:
        self.runs += 1
        raise ZeroDivisionError


def with_tool(monkeypatch: pytest.MonkeyPatch, tool: Breaking) -> None:
    monkeypatch.setitem(catalog.TOOLS, tool.name, tool)


def test_a_guard_that_can_t_learn_the_facts_says_no(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fault:F07."""
    tool = Breaking("facts")
    with_tool(monkeypatch, tool)
    session = one(operator, call("TodoList"))
    assert only(session).verdict is ev.Verdict.DENIED
    assert "The guard could not judge this TodoList call" in only(session).text
    assert not desk.every(session, ev.ToolStarted)
    assert tool.runs == 0
    assert desk.stopped_early(session)


def test_a_guard_that_raises_says_no(
    operator: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """case:C021, fault:F07."""

    def judge(*_: object) -> Allow:
        raise ZeroDivisionError

    monkeypatch.setattr(turns, "judge", judge)
    session = one(operator, call("Write", path="${plan_file}", content="x"))
    assert only(session).verdict is ev.Verdict.DENIED
    assert not desk.every(session, ev.ToolStarted)
    assert not desk.plan_path(session).exists()
    assert "the guard failed on Write" in caplog.text


def test_a_tool_that_breaks_has_an_error_for_a_result(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tool(monkeypatch, Breaking("run"))
    session = one(operator, call("TodoList"))
    assert only(session).is_error
    assert "TodoList failed: internal error (ZeroDivisionError)" in only(session).text
    assert desk.stopped_early(session)


def test_without_a_plan_folder_the_turn_goes_on(
    operator: User, settings: Settings, tmp_path: Path
) -> None:
    """Found here: each slice broke. vector:EN-03 is the same for entering."""
    faults.no_folder(settings, tmp_path)
    session = one(operator, call("ExitPlanMode"), call("Read", path="parser.py"))
    exit_, read = desk.results(session)
    assert "There is no plan to submit" in exit_.text
    assert "value = 1" in read.text
    told = [reminder.kind for reminder in desk.every(session, ev.ReminderInjected)]
    assert told == ["inline_full", "unsubmitted", "inline_sparse"]
    assert desk.stopped_early(session)


# Files and the worker's claim


@contextmanager
def after(kind: type[ev.Event], name: str, act: Callable[[], object]) -> Iterator[None]:
    """Let ``act`` happen with the first event of ``kind`` about the tool ``name``."""
    left = [act]

    def watch(appended: Appended, **_: object) -> None:
        names = [getattr(logged.event, "name", "") for logged in appended.events]
        if left and name in names and isinstance(appended.events[-1].event, kind):
            left.pop()()

    events_appended.connect(watch, weak=False)
    try:
        yield
    finally:
        events_appended.disconnect(watch)
    assert not left


def test_a_worker_that_was_overtaken_replaces_no_file(operator: User) -> None:
    """fault:F06; it fell asleep between the guard's yes and the rename."""
    writes = call("Write", path="${plan_file}", content="stale")
    session = play(operator, [{"tool_calls": [writes]}, DONE])

    def overtake() -> None:
        Turn.objects.filter(pk=session.turn.pk).update(fence=F("fence") + 1)

    with after(ev.ToolStarted, "Write", overtake):
        session.work()
    assert not desk.plan_path(session).exists()
    assert not desk.results(session)


def test_what_is_submitted_is_what_the_log_tells_of_the_plan_file(operator: User) -> None:
    """fault:F06; other bytes came over the file between the Write and the submission."""
    session = play(operator, [submits(), DONE])
    stale = partial(desk.put_plan, session, b"# Stale")
    with after(ev.ToolFinished, "Write", stale):
        session.work()
    assert desk.plan_path(session).read_text() == PLAN
    assert revisions.content(revisions.find(session.review.revision_id)).decode() == PLAN


def test_other_bytes_than_those_of_the_log_are_refused(operator: User) -> None:
    session = play(operator, [submits(), DONE])
    faults.die(session, ev.PlanSubmitted)
    held = Turn.objects.claim(session.turn.pk, worker="w", lease=timedelta(seconds=30))
    assert held is not None
    with pytest.raises(PlanInvalidError, match="other bytes than the log tells"):
        turns.submit_plan(held, turns.Submission("c", b"# Stale", ()))
    assert not Review.objects.exists()


def test_what_runs_unasked_because_it_only_reads_is_held_to_that(operator: User) -> None:
    """Found here: outside of plan mode git started what the repository named, which wrote."""
    need("working bubblewrap", Sandbox.probe().available)
    external = "[core]\n\trepositoryformatversion = 0\n[diff]\n\texternal = touch owned #\n"
    session = play(
        operator,
        [
            {
                "tool_calls": [
                    call("Write", path=".git/HEAD", content="ref: refs/heads/main\n"),
                    call("Write", path=".git/objects/x", content=""),
                    call("Write", path=".git/refs/x", content=""),
                    call("Write", path=".git/config", content=external),
                    call("Bash", command="git diff --no-index /dev/null parser.py"),
                ]
            },
            DONE,
        ],
        plan=False,
        permission_mode="accept_edits",
    ).work()
    assert desk.every(session, ev.ApprovalRequested) == []
    assert "touch" in desk.every(session, ev.ToolFinished)[-1].text
    assert not (session.workspace / "owned").exists()
