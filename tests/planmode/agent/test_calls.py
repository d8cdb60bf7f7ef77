"""One tool call at a time, judged when it runs."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from pydantic import BaseModel
from pytest_django import Settings

from planmode import turns
from planmode.access.models import Project
from planmode.agent import catalog
from planmode.agent.contracts import NoArguments, Submits, ToolContext
from planmode.core import events as ev
from planmode.core.errors import PlanInvalidError
from planmode.core.guard import Allow, CallFacts
from planmode.core.permission import AUTO_IS_OFF, PermissionMode
from planmode.core.state import CallStatus
from planmode.models import Turn
from planmode.signals import Appended, events_appended
from planmode.store import eventlog, planfiles, revisions
from reviews.core.decisions import DecisionKind
from reviews.models import Approval, Review
from tests import desk, faults
from tests.factories import PLAN, Play, call, play, submits
from tests.requirements import need
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db

DONE = {"text": "Done."}


def one(operator: User, *calls: dict[str, Any], **fields: Any) -> Play:  # noqa: ANN401 - of the session
    """Return a session whose model makes ``calls`` in one reply, after the slice that runs them."""
    return play(operator, [{"tool_calls": list(calls)}, DONE], **fields).work()


def only(session: Play) -> ev.ToolFinished:
    """Return the one result that there is."""
    (result,) = desk.results(session)
    return result


# EnterPlanMode


ENTERED = {
    "entered_with_path": "Plan mode is on. From here on nothing may change except the plan file.",
    "already_active": "Plan mode is on already",
    "enter_failed": "EnterPlanMode failed: there is no folder for the plan",
}


@pytest.mark.parametrize("row", rows("enter_tool"))
def test_enter_tool_rows(row: Row, operator: User, settings: Settings, tmp_path: Path) -> None:
    """kimi:E1 E2 E3 E4."""
    if "fail" in row:
        no_folder(settings, tmp_path)
    session = one(operator, call("EnterPlanMode"), plan=row["plan"] == "active")
    expect = wanted(row)
    result = only(session)
    assert result.is_error is expect["is_error"]
    assert ENTERED[expect["kind"]] in result.text
    assert desk.telemetry(session) == expect["telemetry"]
    if not result.is_error:
        assert f"Plan file: {desk.plan_path(session)}" in result.text


def no_folder(settings: Settings, tmp_path: Path) -> None:
    """Put a file where the sessions' folders would be."""
    settings.DATA_DIR = tmp_path / "in_the_way"
    settings.DATA_DIR.write_text("no folder")


def test_entering_saves_the_permission_mode_and_leaving_restores_it(
    operator: User, reviewer: User
) -> None:
    session = play(
        operator,
        [{"tool_calls": [call("EnterPlanMode")]}, submits(), DONE],
        plan=False,
        permission_mode="accept_edits",
    ).work()
    assert session.state.plan.previous_mode is PermissionMode.ACCEPT_EDITS
    desk.decide(session, reviewer, DecisionKind.REJECT_AND_EXIT)
    assert session.state.permission_mode is PermissionMode.ACCEPT_EDITS
    (left,) = desk.every(session, ev.PlanModeExited)
    assert (left.cause, left.restored_mode) == ("rejected_and_exited", "accept_edits")


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        pytest.param(True, ("auto", ""), id="allowed"),
        pytest.param(False, ("manual", AUTO_IS_OFF), id="switched off meanwhile"),
    ],
)
def test_the_restored_mode_is_checked_once_more(
    operator: User, reviewer: User, project: Project, *, allowed: bool, expected: tuple[str, str]
) -> None:
    session = play(operator, [submits(), DONE], permission_mode="auto").work()
    Project.objects.filter(pk=project.pk).update(allow_auto=allowed)
    desk.approve(session, reviewer)
    (left,) = desk.every(session, ev.PlanModeExited)
    assert (left.restored_mode, left.note) == expected
    assert session.state.permission_mode == expected[0]


def test_a_second_plan_of_a_session_has_an_id_of_its_own(operator: User, reviewer: User) -> None:
    enters = {"tool_calls": [call("EnterPlanMode")]}
    session = play(operator, [submits(), enters, submits("# Other"), DONE]).work()
    desk.approve(session, reviewer)
    session.work()
    first, second = (event.plan_id for event in desk.every(session, ev.PlanModeEntered))
    assert first != second
    assert session.state.plan.revision_count == {first: 1, second: 1}


# ExitPlanMode without a person


LEFT = {
    "auto_approved": "No person reviewed it.",
    "no_plan_with_path": "There is no plan to submit",
}


@pytest.mark.parametrize("row", [r for r in rows("exit_direct") if r.id != "XD-05"])
def test_exit_direct_rows(row: Row, operator: User, project: Project) -> None:
    """kimi:X6, the row "auto"; kimi:PR1638 the text points to the original instruction."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    options = [{"label": f"Option {n}"} for n in range(row["options"])]
    session = play(
        operator,
        [{"tool_calls": [call("ExitPlanMode", **({"options": options} if options else {}))]}, DONE],
        permission_mode=row["mode"],
    )
    desk.put_plan(session, row["status"]["content"].encode())
    session.work()
    expect = wanted(row)
    result = only(session)
    assert result.is_error is expect["is_error"]
    assert LEFT[expect["kind"]] in result.text
    assert str(planfiles.path(session.id, session.state.plan.ids[0])) in result.text
    assert len(desk.every(session, ev.PlanModeExited)) == expect["exit_calls"]
    assert len(desk.every(session, ev.PlanRevisionRecorded)) == expect["revision_calls"]
    check_telemetry(session, expect["telemetry"])


def check_telemetry(session: Play, expected: list[list[Any]]) -> None:
    """Compare names, and of the properties those that the vectors know."""
    found = [
        [name, {key: value for key, value in properties.items() if key in wanted_properties}]
        for (name, properties), (_, wanted_properties) in zip(
            desk.telemetry(session), expected, strict=True
        )
    ]
    assert found == expected


@pytest.mark.parametrize("mode", ["manual", "accept_edits", "yolo", "auto"])
def test_outside_auto_nothing_leaves_without_a_review(operator: User, mode: str) -> None:
    """vector:XD-05. There is no direct way: the call waits, also in auto where not allowed."""
    session = play(operator, [submits(), DONE], permission_mode=mode).work()
    assert session.review.status == "open"
    assert session.turn.state == "waiting"
    assert not desk.every(session, ev.PlanModeExited)
    assert [name for name, _ in desk.telemetry(session)] == ["plan_submitted"]


def test_a_guard_that_let_exit_pass_would_not_end_plan_mode(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """vector:XD-05: the tool itself can only hand over, never leave."""
    monkeypatch.setattr(turns, "judge", lambda *_: Allow())
    session = play(operator, [submits(), DONE])
    with pytest.raises(AssertionError, match="without a review"):
        session.work()
    assert session.state.plan.active
    assert (session.turn.state, session.turn.reason) == ("failed", "internal_error")


def test_an_exit_that_fails_leaves_nothing_of_the_submission(
    operator: User, project: Project
) -> None:
    """vector:XD-08. Revision, approval and exit are one transaction; the reference tells half."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = play(operator, [submits(), DONE], permission_mode="auto")
    events_appended.connect(fails_on_exit)
    try:
        with pytest.raises(ZeroDivisionError):
            session.work()
    finally:
        events_appended.disconnect(fails_on_exit)
    assert session.state.plan.active
    assert not Review.objects.exists()
    assert not desk.telemetry(session)
    assert session.turn.state == "failed"


def fails_on_exit(appended: Appended, **_: object) -> None:
    if any(isinstance(logged.event, ev.PlanModeExited) for logged in appended.events):
        raise ZeroDivisionError


# ExitPlanMode that submits nothing


def missing(path: Path) -> None:
    path.unlink(missing_ok=True)


def blank(path: Path) -> None:
    path.write_text(" \n\t")


def too_large(path: Path) -> None:
    path.write_bytes(b"x" * (planfiles.LARGEST + 1))


def not_utf8(path: Path) -> None:
    path.write_bytes(b"# Plan \xff")


def with_nul(path: Path) -> None:
    path.write_bytes(b"# Plan \0")


def link(path: Path) -> None:
    target = path.with_suffix(".target")
    target.write_text("# Somebody else's")
    path.symlink_to(target)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        (missing, "There is no plan to submit"),
        (blank, "There is no plan to submit"),
        (too_large, "is larger than 1048576 bytes"),
        (not_utf8, "is not UTF-8 at byte 7"),
        (with_nul, "holds a NUL at byte 7"),
        (link, "is a link, and links are not followed"),
        (pipe, "is no regular file"),
        (folder, "is no regular file"),
    ],
)
def test_what_can_t_be_submitted_opens_no_review(
    operator: User, prepare: Callable[[Path], None], told: str
) -> None:
    """kimi:S16 X4 X6: an error that the agent can act on, never a failed turn."""
    session = play(operator, [{"tool_calls": [call("ExitPlanMode")]}, DONE])
    path = desk.plan_path(session)
    path.parent.mkdir(parents=True)
    prepare(path)
    session.work()
    result = only(session)
    assert result.is_error
    assert told in " ".join(result.text.split())
    assert not Review.objects.exists()
    assert not session.state.plan.revision_count
    assert session.state.plan.active
    assert session.turn.state == "done"


def test_unchanged_bytes_after_a_decision_are_refused_with_the_reason(
    operator: User, reviewer: User
) -> None:
    again = {"after": "revise", "tool_calls": [call("ExitPlanMode")]}
    session = play(operator, [submits(), again, DONE]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    session.work()
    refused = desk.results(session)[-1]
    assert refused.is_error
    assert "not changed since revision v1, whose review ended as: revise" in refused.text
    assert Review.objects.count() == 1


def test_an_exit_outside_plan_mode_is_refused(operator: User) -> None:
    """kimi:X6, the row "plan inactive"."""
    session = one(operator, call("ExitPlanMode"), plan=False)
    assert only(session).is_error
    assert "ExitPlanMode works only while plan mode is on" in only(session).text
    assert not desk.telemetry(session)


def test_the_decision_stays_bound_to_the_bytes_that_were_shown(
    operator: User, reviewer: User
) -> None:
    """kimi:R4 V8; the file on the disk may say anything by now."""
    session = play(operator, [submits(), DONE]).work()
    desk.put_plan(session, b"# Something nobody has read")
    desk.approve(session, reviewer)
    session.work()
    approved = desk.results(session)[-1].text
    assert PLAN.strip() in approved
    assert "nobody has read" not in approved


# Asking a person


def test_a_write_in_manual_mode_waits_for_a_yes(operator: User, reviewer: User) -> None:
    session = one(operator, call("Write", path="new.py", content="x = 1\n"), plan=False)
    assert session.turn.state == "waiting"
    assert session.approval.tool == "Write"
    assert not (session.workspace / "new.py").exists()
    desk.allow(session, reviewer)
    session.work()
    assert (session.workspace / "new.py").read_text() == "x = 1\n"
    assert only(session).verdict is ev.Verdict.RAN
    assert session.turn.state == "done"


def test_a_no_is_told_with_its_reason(operator: User, reviewer: User) -> None:
    session = one(operator, call("Write", path="new.py", content="x"), plan=False)
    desk.allow(session, reviewer, yes=False, note="use old.py")
    session.work()
    assert not (session.workspace / "new.py").exists()
    assert only(session).verdict is ev.Verdict.REFUSED
    assert "A person refused this call" in only(session).text
    assert "use old.py" in only(session).text


def test_a_yes_lifts_no_refusal_that_came_in_between(operator: User, reviewer: User) -> None:
    """The call is judged once more when it runs: plan mode came on while the card was open."""
    session = one(operator, call("Write", path="new.py", content="x"), plan=False)
    with eventlog.writing(session.id) as log:
        log.add(ev.PlanModeEntered("bold-amber-fox", PermissionMode.MANUAL))
    desk.allow(session, reviewer)
    session.work()
    assert not (session.workspace / "new.py").exists()
    assert only(session).verdict is ev.Verdict.DENIED
    assert "Write and Edit work on the plan file only" in only(session).text


def test_the_second_call_is_not_judged_before_the_first_is_answered(
    operator: User, reviewer: User
) -> None:
    writes = [call("Write", path=f"{n}.py", content="x") for n in "ab"]
    session = one(operator, *writes, plan=False)
    assert Approval.objects.count() == 1
    assert session.state.turn.calls[1].status is CallStatus.DUE
    desk.allow(session, reviewer)
    session.work()
    assert Approval.objects.count() == 2


def test_a_shell_command_that_a_person_allowed_stays_in_the_sandbox(
    operator: User, reviewer: User
) -> None:
    session = one(operator, call("Bash", command="echo hi > made.txt; cat parser.py"))
    need("bubblewrap", session.turn.state == "waiting")
    desk.allow(session, reviewer)
    session.work()
    assert not (session.workspace / "made.txt").exists()
    assert "value = 1" in only(session).text


def test_a_question_is_answered_in_the_same_turn(operator: User, reviewer: User) -> None:
    questions = [
        {"text": "Which parser?", "choices": ["old", "new"]},
        {"text": "Any limits?"},
    ]
    session = one(operator, call("AskUserQuestion", questions=questions))
    assert session.question.summary == "Which parser?"
    desk.answer(session, reviewer, "the old one", "no </from> limits")
    session.work()
    told = only(session)
    assert not told.is_error
    assert 'Which parser?\n<from source="person">\nthe old one\n</from>' in told.text
    assert "no &lt;/from> limits" in told.text
    assert session.turn.number == 1


def test_nobody_is_asked_in_permission_mode_auto(operator: User) -> None:
    """kimi:V3."""
    asks = call("AskUserQuestion", questions=[{"text": "Which?"}])
    session = one(operator, asks, permission_mode="auto")
    assert only(session).verdict is ev.Verdict.DENIED
    assert "in permission mode auto nobody is asked" in only(session).text


# What never reaches a tool


def test_a_tool_that_does_not_exist(operator: User) -> None:
    """fault:F46 part."""
    session = one(operator, call("Teleport"))
    assert only(session).verdict is ev.Verdict.INVALID
    assert 'no tool called "Teleport"' in only(session).text
    assert "ExitPlanMode" in only(session).text


def test_arguments_are_checked_before_anything_else(operator: User) -> None:
    """kimi:G4 X3: a pointer and a reason; nothing was done."""
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
    assert session.turn.state == "done"


def test_a_guard_that_raises_says_no(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """fault:F07."""

    def judge(*_: object) -> Allow:
        raise ZeroDivisionError

    monkeypatch.setattr(turns, "judge", judge)
    session = one(operator, call("Write", path="${plan_file}", content="x"))
    assert only(session).verdict is ev.Verdict.DENIED
    assert not desk.every(session, ev.ToolStarted)
    assert not desk.plan_path(session).exists()


def test_a_tool_that_breaks_has_an_error_for_a_result(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_tool(monkeypatch, Breaking("run"))
    session = one(operator, call("TodoList"))
    assert only(session).is_error
    assert "TodoList failed: internal error (ZeroDivisionError)" in only(session).text
    assert session.turn.state == "done"


def test_without_a_plan_folder_the_turn_goes_on(
    operator: User, settings: Settings, tmp_path: Path
) -> None:
    """Found here: each slice broke. vector:EN-03 is the same for entering."""
    no_folder(settings, tmp_path)
    session = one(operator, call("ExitPlanMode"), call("Read", path="parser.py"))
    exit_, read = desk.results(session)
    assert "There is no plan to submit" in exit_.text
    assert "value = 1" in read.text
    (reminder,) = desk.every(session, ev.ReminderInjected)
    assert reminder.kind is ev.ReminderKind.INLINE_FULL
    assert session.turn.state == "done"


def test_entering_without_a_plan_folder_records_nothing(
    operator: User, settings: Settings, tmp_path: Path
) -> None:
    """vector:EN-03."""
    no_folder(settings, tmp_path)
    session = one(operator, call("EnterPlanMode"), plan=False)
    assert not desk.every(session, ev.PlanModeEntered)
    assert not session.state.plan.active


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
