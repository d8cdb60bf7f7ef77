"""Whole sessions with a plan in the project, and agents that explore."""

import re
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from planmode import services
from planmode.access.models import Project
from planmode.agent.catalog import TOOLS
from planmode.agent.injection import plan_mode_reminder
from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core import state as core
from planmode.core.guard import Ground
from planmode.core.permission import AUTO_IS_OFF, PermissionMode
from planmode.core.presets import PRESETS, PlanModeConfig, Wishes, resolve
from planmode.services import NewSession
from planmode.store import planfiles, revisions
from planmode.store.confined import ConfinedFolder
from reviews.core.decisions import DecisionKind
from tests import desk
from tests.factories import PLAN, Play, call, play, submits

pytestmark = pytest.mark.django_db

CLAUDE: Final = resolve("claude")
DONE: Final = {"text": "Done."}
NAME: Final = re.compile(r"tidy-parser-[a-z]+-[a-z]+(-\d+)?\Z")


def claude(operator: User, *replies: dict[str, Any], **fields: Any) -> Play:  # noqa: ANN401 - of NewSession
    """Return a session of the preset after its first slice."""
    given = [*map(dict, replies), dict(DONE)]
    return play(operator, given, **{"preset": "claude", **fields}).work()


def set_folder(project: Project, folder: str) -> None:
    """Let the project keep plan files in ``folder``."""
    Project.objects.filter(pk=project.pk).update(plan_folder=folder)


# A whole session


def test_a_plan_is_written_reviewed_and_carried_out(operator: User, reviewer: User) -> None:
    """claude:C-11 C-15: the file is the project's, the result repeats its text and its path."""
    session = claude(operator, submits(), permission_mode="accept_edits")
    path = desk.plan_path(session)
    assert path.parent == session.workspace / ".plans"
    assert NAME.match(path.stem)
    assert path.read_text() == PLAN
    desk.approve(session, reviewer)
    session.work()
    *_, result = desk.results(session)
    assert f"Saved as: {path}\n" in result.text
    assert result.text.endswith(f"## Approved plan\n\n{PLAN}")
    assert session.turn.state == "done"
    assert session.state.permission_mode is PermissionMode.ACCEPT_EDITS


def test_feedback_keeps_the_agent_planning(operator: User, reviewer: User) -> None:
    """claude:C-26."""
    session = claude(operator, submits(), submits(f"{PLAN}3. Test it\n"))
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Test it, too.")
    session.work()
    result = desk.results(session)[1]
    assert (result.is_error, result.stops_turn) == (False, False)
    assert "Test it, too." in result.text
    assert session.review.revision_version == 2


# The plan's folder


@pytest.mark.parametrize(
    "folder", ["../x", "/etc/plans", ".", "link", "link/below", ".git", "{WORKSPACE}-evil"]
)
def test_a_folder_that_leads_outside_falls_back_to_the_session_s_own(
    operator: User, project: Project, settings: Settings, tmp_path: Path, folder: str
) -> None:
    """claude:C-10: plan mode works all the same, and nothing is written where it leads."""
    outside = tmp_path / "outside"
    outside.mkdir()
    workspace = settings.WORKSPACE_ROOTS[0] / "other"
    workspace.mkdir()
    (workspace / "link").symlink_to(outside)
    set_folder(project, folder.replace("{WORKSPACE}", str(workspace)))
    session = claude(operator, submits(), workspace=str(workspace))
    assert session.state.plan.folder == ""
    assert desk.plan_path(session).is_relative_to(settings.DATA_DIR)
    assert desk.plan_path(session).read_text() == PLAN
    assert session.turn.state == "waiting"
    assert list(outside.iterdir()) == []


def test_without_a_folder_of_its_own_a_project_has_the_installation_s(
    operator: User, project: Project, settings: Settings
) -> None:
    """claude:C-10: an empty one is none."""
    settings.PLANS_DIRECTORY = "docs/./plans/"
    first = claude(operator, submits())
    assert first.state.plan.folder == "docs/plans"
    set_folder(project, "notes")
    second = claude(operator, submits())
    assert desk.plan_path(second).parent == second.workspace / "notes"
    settings.PLANS_DIRECTORY = ""
    set_folder(project, "")
    assert claude(operator, submits()).state.plan.folder == ""


def test_a_folder_that_turns_into_a_link_is_not_followed(operator: User, tmp_path: Path) -> None:
    """claude:C-10: whatever lies there when the plan is written, read or submitted."""
    outside = tmp_path / "outside"
    outside.mkdir()
    session = play(operator, [submits(), DONE, dict(DONE)], preset="claude")
    path = desk.plan_path(session)
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(outside)
    (outside / path.name).write_text("# Theirs\n")
    session.work()
    assert (outside / path.name).read_text() == "# Theirs\n"
    assert not desk.every(session, ev.PlanSubmitted)
    assert all(result.is_error for result in desk.results(session))


def test_sessions_that_share_a_folder_share_no_file(operator: User) -> None:
    """claude:C-11, complaints:K-13 K-48: the name is taken the moment plan mode begins."""
    first = claude(operator, submits())
    sessions = [
        services.start_session(
            NewSession(
                project="default",
                workspace=str(first.workspace),
                prompt="Tidy the parser",
                model="scripted:script-0.yaml",
                preset="claude",
            ),
            owner=operator,
        )
        for _ in range(3)
    ]
    paths = {desk.plan_path(Play(session)) for session in sessions}
    assert len(paths) == 3
    assert desk.plan_path(first) not in paths
    assert all(path.read_bytes() == b"" for path in paths)


def test_a_new_task_is_a_new_file_and_the_old_one_stays(operator: User, reviewer: User) -> None:
    """claude:C-12, complaints:K-15."""
    enters = {"tool_calls": [call("EnterPlanMode")]}
    session = claude(operator, submits(), enters, submits("# Another\n"))
    old = desk.plan_path(session)
    desk.approve(session, reviewer)
    session.work()
    new = desk.plan_path(session)
    assert new.parent == old.parent
    assert new != old
    assert (old.read_text(), new.read_text()) == (PLAN, "# Another\n")
    entered = next(r for r in desk.results(session) if r.name == "EnterPlanMode")
    assert entered.text.endswith(f"Plan file: {new}")


def test_pasted_things_are_no_words_of_a_name(operator: User) -> None:
    """claude:C-12."""
    session = claude(operator, submits(), prompt="[Image #1] Tidy the parser: https://x.example/a")
    assert NAME.match(desk.plan_path(session).stem)


def test_only_the_plan_file_may_be_written(operator: User) -> None:
    """claude:C-13, complaints:K-01: neither the project's files nor those beside the plan."""
    others = ["parser.py", ".plans/other.md", ".claude/settings.json", ".git/config"]
    calls = [call("Write", path=path, content="x") for path in others]
    session = claude(operator, {"tool_calls": calls}, submits(), permission_mode="yolo")
    refused = desk.results(session)[: len(others)]
    assert {result.verdict for result in refused} == {"denied"}
    assert all(str(desk.plan_path(session)) in result.text for result in refused)
    assert [path.name for path in (session.workspace / ".plans").iterdir()] == [
        desk.plan_path(session).name
    ]


def test_what_another_hand_left_in_the_file_is_no_plan(operator: User) -> None:
    """The row tells what the log tells, in a folder of the project as in the session's own."""
    session = claude(operator, {"tool_calls": [call("Write", path="${plan_file}", content=PLAN)]})
    desk.put_plan(session, b"# Theirs\n")
    planfiles.restore(session.id, str(session.state.plan.plan_id), below=session.state.plan.folder)
    assert desk.plan_path(session).read_text() == PLAN


# Submission


@pytest.mark.parametrize("content", [None, " \n"])
def test_a_missing_or_blank_plan_is_an_error_that_names_the_path(
    operator: User, content: str | None
) -> None:
    """claude:C-14, complaints:K-16: no empty review."""
    writes = [call("Write", path="${plan_file}", content=content)] if content else []
    session = claude(operator, {"tool_calls": [*writes, call("ExitPlanMode")]}, dict(DONE))
    result = desk.results(session)[-1]
    assert result.is_error
    assert f"Plan file: {desk.plan_path(session)}" in result.text
    assert not desk.every(session, ev.PlanSubmitted)


def test_the_exit_tool_takes_no_text(operator: User) -> None:
    """claude:C-14."""
    session = claude(operator, {"tool_calls": [call("ExitPlanMode", plan=PLAN)]}, dict(DONE))
    (result,) = desk.results(session)
    assert (result.verdict, result.is_error) == ("invalid", True)


@pytest.mark.parametrize("edits", [True, False])
def test_only_a_text_that_a_person_changed_is_labelled_so(
    operator: User, reviewer: User, *, edits: bool
) -> None:
    """claude:C-15."""
    asks = call("AskUserQuestion", questions=[{"text": "Which parser?"}])
    writes = call("Write", path="${plan_file}", content=PLAN)
    session = claude(
        operator, {"tool_calls": [writes, asks]}, {"tool_calls": [call("ExitPlanMode")]}
    )
    theirs = f"{PLAN}3. Test it\n" if edits else PLAN
    services.edit_plan(
        session.id, theirs.encode(), base_sha256=revisions.sha256(PLAN.encode()), by=operator
    )
    desk.answer(session, operator, "parser.py")
    session.work()
    desk.approve(session, reviewer)
    session.work()
    *_, result = desk.results(session)
    assert ("A person edited this text" in result.text) is edits
    assert result.text.endswith(f"## Approved plan\n\n{theirs}")
    assert desk.plan_path_of(session, session.state.plan.ids[0]).read_text() == theirs


def test_no_plan_approves_itself(operator: User, project: Project) -> None:
    """complaints:K-32."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    assert claude(operator, submits(), permission_mode="auto").turn.state == "waiting"


# Permission modes


@pytest.mark.parametrize("mode", PermissionMode)
def test_leaving_restores_the_mode_before_planning(
    operator: User, reviewer: User, project: Project, mode: PermissionMode
) -> None:
    """case:C051, claude:C-01 C-02, complaints:K-07 K-08."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = claude(operator, submits(), permission_mode=mode.value)
    assert session.state.plan.previous_mode is mode
    desk.approve(session, reviewer)
    assert session.state.permission_mode is mode
    assert session.state.plan.previous_mode is None


def test_a_gate_that_closed_meanwhile_lands_in_manual(
    operator: User, reviewer: User, project: Project
) -> None:
    """case:C051, claude:C-03: checked at the exit, and said."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    session = claude(operator, submits(), permission_mode="auto")
    Project.objects.filter(pk=project.pk).update(allow_auto=False)
    desk.approve(session, reviewer)
    (left,) = desk.every(session, ev.PlanModeExited)
    assert (left.restored_mode, left.note) == (PermissionMode.MANUAL, AUTO_IS_OFF)


# What it is told


def told(reach: Reach, config: PlanModeConfig, *events: ev.Event) -> ev.ReminderInjected | None:
    """Return the reminder that is due after ``events``, plan mode being on."""
    entered = ev.PlanModeEntered("tidy", PermissionMode.MANUAL, folder=".plans")
    state = core.fold([entered, *events])
    return plan_mode_reminder(state, config, reach, Ground(sandbox=True))


@pytest.fixture
def reach(tmp_path: Path) -> Reach:
    """A workspace with an empty plan file."""
    root = tmp_path / "workspace"
    plans = root / ".plans"
    plans.mkdir(parents=True)
    (plans / "tidy.md").write_bytes(b"")
    return Reach(
        ConfinedFolder(root),
        ConfinedFolder(tmp_path / "session"),
        PurePosixPath(".plans/tidy.md"),
        in_workspace=True,
    )


def test_whole_texts_are_the_first_the_sixth_and_the_eleventh(reach: Reach) -> None:
    """claude:C-17: five messages of people lie between two texts."""
    events: list[ev.Event] = []
    texts = []
    for _ in range(11):
        reminder = told(reach, CLAUDE, *events)
        assert reminder is not None
        texts.append(reminder.text)
        events += [reminder, *([ev.MessagePosted("go on", author=1)] * 4)]
        assert told(reach, CLAUDE, *events) is None
        events.append(ev.MessagePosted("go on", author=1))
    whole = [number for number, text in enumerate(texts, start=1) if "Five phases:" in text]
    assert whole == [1, 6, 11]
    assert all("Plan mode is still on" in text for text in texts if "Five phases:" not in text)


def test_compaction_brings_the_whole_text_again(reach: Reach) -> None:
    """claude:C-20."""
    first = told(reach, CLAUDE)
    assert first is not None
    again = told(reach, CLAUDE, first, ev.ContextCompacted("So far: nothing."))
    assert again is not None
    assert again.kind is ev.ReminderKind.FULL


def test_an_earlier_plan_is_to_be_read_first(reach: Reach) -> None:
    """claude:C-16."""
    reach.write(reach.locate(".plans/tidy.md"), b"# Earlier\n")
    reminder = told(reach, CLAUDE)
    assert reminder is not None
    assert reminder.kind is ev.ReminderKind.REENTRY
    for said in ("Read the plan file", "If the task is another one", "In both cases edit"):
        assert said in reminder.text
    assert reminder.text.endswith(f"Plan file: {reach.plan_path}\n</system-reminder>")


def test_agents_are_named_where_they_can_be_started(reach: Reach) -> None:
    """claude:C-21 C-22, complaints:K-22: what can't be called is not spoken of."""
    with_agents = told(reach, resolve("claude", Wishes(explorers=2, designers=4)))
    assert with_agents is not None
    assert "at most 2 of them" in with_agents.text
    assert "at most 4 in all" in with_agents.text
    alone = told(reach, replace(CLAUDE, explorers=0, designers=0))
    assert alone is not None
    assert "Agent" not in alone.text
    assert "profile" not in alone.text


def test_a_session_is_told_of_agents_if_its_catalogue_has_them(operator: User) -> None:
    """claude:C-21."""
    (reminder, *_) = desk.every(claude(operator, submits()), ev.ReminderInjected)
    assert ("tool Agent" in reminder.text) is ("Agent" in TOOLS)


def test_the_loop_is_told_where_it_was_chosen(operator: User, settings: Settings) -> None:
    """claude:C-23."""
    settings.PLAN_WORKFLOW = "iterative"
    (reminder, *_) = desk.every(claude(operator, submits()), ev.ReminderInjected)
    assert "in a loop" in reminder.text
    assert "Five phases" not in reminder.text
    kimi = play(operator, [submits(), DONE]).work()
    (reminder, *_) = desk.every(kimi, ev.ReminderInjected)
    assert "Five phases" in reminder.text


def test_a_turn_that_ends_in_prose_is_reminded_once_and_then_stops(operator: User) -> None:
    """claude:C-24."""
    session = claude(operator, {"text": "Is this plan fine?"})
    kinds = [event.kind for event in desk.every(session, ev.ReminderInjected)]
    assert kinds == ["full", "unsubmitted"]
    assert desk.stopped_early(session)


def test_the_preset_differs_by_its_knobs_alone() -> None:
    """claude:C-26: rejecting is there, too, as for kimi."""
    assert PRESETS["claude"].rejects
    assert PRESETS["claude"].enforcement == "hard"
