"""Whole sessions whose plan is an argument of the call."""

from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from pytest_django import Settings

from planmode import queries, services
from planmode.access.models import Project
from planmode.agent.contracts import ModelRequest
from planmode.agent.request import build_request, tool_specs
from planmode.agent.workspace import Reach
from planmode.core import events as ev
from planmode.core import wire
from planmode.core.errors import EventUnknownError, SessionInvalidError
from planmode.core.presets import PRESETS
from planmode.core.state import fold
from planmode.core.view import UserMessage
from planmode.models import PlanFile, Session, Turn
from planmode.store import revisions
from planmode.store.confined import ConfinedFolder
from prompts.rendering import render
from reviews.core.decisions import DecisionKind
from reviews.core.errors import DecisionIncompleteError
from tests import desk
from tests.factories import Play, call, play

pytestmark = pytest.mark.django_db

DSH: Final = PRESETS["dsh"]
SECTION: Final = "Look, think and write a plan. Change nothing.\n"
PLAN: Final = "# Tidy the parser\n\n1. Split it\n"
DONE: Final = {"text": "Done."}


@pytest.fixture(autouse=True)
def told(project: Project) -> None:
    """The project says how to plan."""
    Project.objects.filter(pk=project.pk).update(plan_section=SECTION)


def dsh(operator: User, *replies: dict[str, Any], **fields: Any) -> Play:  # noqa: ANN401 - of NewSession
    """Return a session of the preset after its first slice."""
    return play(operator, [*map(dict, replies), dict(DONE)], **{"preset": "dsh", **fields}).work()


def hands_over(plan: str = PLAN) -> dict[str, Any]:
    """Return a reply that submits ``plan``."""
    return {"tool_calls": [call("ExitPlanMode", plan=plan)]}


def request(session: Play, section: str = SECTION) -> ModelRequest:
    """Return what the session's model would be sent now."""
    reach = Reach(ConfinedFolder(session.workspace), None, None)
    return build_request(session.id, session.state, reach, DSH, section.strip())


# The section


def test_the_section_closes_the_system_text_while_planning(operator: User, reviewer: User) -> None:
    """dsh:D-16, dsh:D-14: present while plan mode is on, gone with the request after it."""
    session = dsh(operator, hands_over())
    assert request(session).system.endswith(f"(plan:policy):\n\n{SECTION.strip()}")
    desk.approve(session, reviewer)
    assert SECTION.strip() not in request(session).system


def test_tools_are_the_same_in_and_out_of_plan_mode(operator: User, reviewer: User) -> None:
    """dsh:D-18, dsh:D-12."""
    session = dsh(operator, hands_over())
    planning = request(session).tools
    desk.approve(session, reviewer)
    assert request(session).tools == planning == tool_specs(DSH)
    exits = next(spec for spec in planning if spec.name == "ExitPlanMode")
    assert exits.schema["required"] == ["plan"]
    assert "options" not in exits.schema["properties"]


@pytest.mark.parametrize("own", ["", " \n"])
def test_a_session_without_a_section_is_refused(operator: User, project: Project, own: str) -> None:
    """dsh:D-16: missing and blank fail before anything starts."""
    Project.objects.filter(pk=project.pk).update(plan_section=own)
    with pytest.raises(SessionInvalidError, match="plan section of project default, or PLAN_SEC"):
        dsh(operator)
    assert not Session.objects.exists()


def test_a_section_that_can_t_be_read_is_none(
    operator: User, project: Project, settings: Settings, tmp_path: Path
) -> None:
    """dsh:D-16: neither does a session start with it, nor does one go on."""
    session = play(operator, [DONE], preset="dsh")
    Project.objects.filter(pk=project.pk).update(plan_section="")
    settings.PLAN_SECTION_FILE = tmp_path / "section.md"
    settings.PLAN_SECTION_FILE.write_bytes(b"\xff")
    session.work()
    assert session.turn.reason == "no_section"
    with pytest.raises(SessionInvalidError, match="can't be read"):
        dsh(operator)


def test_the_installation_s_section_is_for_projects_without_their_own(
    operator: User, project: Project, settings: Settings, tmp_path: Path
) -> None:
    """dsh:D-16."""
    settings.PLAN_SECTION_FILE = tmp_path / "section.md"
    settings.PLAN_SECTION_FILE.write_text("For all.\n", encoding="utf-8")
    Project.objects.filter(pk=project.pk).update(plan_section="")
    assert dsh(operator, hands_over()).turn.state == "waiting"


def test_an_agent_whose_section_went_missing_plans_no_further(
    operator: User, project: Project
) -> None:
    """dsh:D-16: instructions alone constrain it, so without them it is not asked."""
    session = play(operator, [DONE], preset="dsh")
    Project.objects.filter(pk=project.pk).update(plan_section="")
    session.work()
    assert (session.turn.state, session.turn.reason) == ("failed", "no_section")
    assert not desk.every(session, ev.ModelReplied)


# Nothing is blocked


def test_nothing_is_blocked_while_planning(operator: User) -> None:
    """dsh:D-17: what asks is a matter of the permission mode, which plan mode does not touch."""
    writes = call("Write", path="notes.md", content="x")
    asked = dsh(operator, {"tool_calls": [writes]})
    assert asked.approval.tool == "Write"
    ran = dsh(operator, {"tool_calls": [writes]}, hands_over(), permission_mode="accept_edits")
    assert (ran.workspace / "notes.md").read_text() == "x"
    assert ran.state.plan.active


# Submission


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param("## Second level\n\nText", id="second level"),
        pytest.param("Text without a heading", id="no heading"),
        pytest.param("# \n\nText", id="a heading without text"),
        pytest.param(" ", id="blank"),
    ],
)
def test_a_plan_begins_with_its_title(operator: User, plan: str) -> None:
    """dsh:D-23."""
    session = dsh(operator, hands_over(plan), DONE)
    (result, *_) = desk.results(session)
    assert result.is_error
    assert "heading of the first level" in result.text
    assert session.state.plan.active
    assert not desk.every(session, ev.PlanSubmitted)


def test_outside_of_plan_mode_nothing_is_submitted(operator: User) -> None:
    """dsh:D-23: plan mode is asked about before the text."""
    session = dsh(operator, hands_over("no title"), plan=False)
    (result,) = desk.results(session)
    assert (result.verdict, result.is_error) == ("denied", True)
    assert "it is off" in result.text


def test_what_is_reviewed_is_the_argument_byte_for_byte(operator: User) -> None:
    """dsh:D-24; no plan file, no row of one."""
    plan = "\n# Tidy  \r\n\n1. Söme\n\n"
    session = dsh(operator, hands_over(plan))
    (submitted,) = desk.every(session, ev.PlanSubmitted)
    row = revisions.find(session.review.revision_id)
    assert revisions.content(row) == plan.encode()
    assert (submitted.title, submitted.options) == ("Tidy", ())
    assert not PlanFile.objects.exists()
    assert request(session).plan_file == ""


def test_a_card_is_called_by_the_first_heading(operator: User) -> None:
    """dsh:D-32."""
    assert dsh(operator, hands_over("# Tidy the parser\n\n## Why\n")).review.title.endswith(
        "Tidy the parser"
    )


def test_the_same_text_is_no_new_plan(operator: User, reviewer: User) -> None:
    """complaints:K-43."""
    session = dsh(operator, hands_over(), hands_over(), hands_over(f"{PLAN}2. Test it\n"))
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Test it.")
    session.work()
    (_, again) = desk.results(session)
    assert again.text.startswith("The plan was not submitted, because it has not changed since")
    assert session.state.plan.revision_count == {session.state.plan.plan_id: 2}


# Outcomes


def test_an_approval_counts_from_its_transaction_on(operator: User, reviewer: User) -> None:
    """dsh:D-28, complaints:K-53: ours takes effect when the person decides."""
    session = dsh(operator, hands_over())
    desk.approve(session, reviewer)
    assert not session.state.plan.active
    session.work()
    (result,) = desk.results(session)
    assert not result.is_error
    assert result.text.endswith(f"## Approved plan\n\n{PLAN}")
    assert "Saved as" not in result.text
    assert session.turn.state == "done"
    assert not desk.every(session, ev.ReminderInjected)


def test_keep_planning_is_an_error_with_the_words_of_the_reviewer(
    operator: User, reviewer: User
) -> None:
    """dsh:D-26."""
    session = dsh(operator, hands_over(), hands_over(f"{PLAN}2. Test it\n"))
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Test it, too.")
    session.work()
    (result,) = desk.results(session)
    assert (result.is_error, result.stops_turn) == (True, False)
    assert "Test it, too." in result.text
    assert session.turn.state == "waiting"


def test_a_dismissal_stops_the_turn_and_waits(operator: User, reviewer: User) -> None:
    """dsh:D-27: the person has the turn, and plan mode stays on."""
    session = dsh(operator, hands_over())
    desk.decide(session, reviewer, DecisionKind.DISMISS)
    session.work()
    (result,) = desk.results(session)
    assert (result.is_error, result.stops_turn) == (True, True)
    assert "has taken the turn" in result.text
    assert (session.turn.state, session.turn.reason) == ("stopped", "dismissed")
    assert session.state.plan.active


def test_later_calls_of_the_reply_wait_for_the_decision(operator: User, reviewer: User) -> None:
    """dsh:D-28: after a dismissal they do not run at all."""
    batch = {
        "tool_calls": [call("ExitPlanMode", plan=PLAN), call("Read", path="parser.py")],
    }
    session = dsh(operator, batch)
    assert desk.results(session) == []
    desk.decide(session, reviewer, DecisionKind.DISMISS)
    session.work()
    assert [result.verdict for result in desk.results(session)] == ["ran", "skipped"]


@pytest.mark.parametrize("kind", [DecisionKind.REJECT, DecisionKind.REJECT_AND_EXIT])
def test_a_plan_is_approved_sent_back_or_dismissed(
    operator: User, reviewer: User, kind: DecisionKind
) -> None:
    """dsh:D-25: there is no other answer to it."""
    session = dsh(operator, hands_over())
    with pytest.raises(DecisionIncompleteError, match="approve, revise, dismiss"):
        desk.decide(session, reviewer, kind)
    assert session.review.status == "open"
    assert not queries.config(session.state).rejects


def test_no_plan_approves_itself(operator: User, project: Project) -> None:
    """complaints:K-32: not in permission mode auto, either."""
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    assert dsh(operator, hands_over(), permission_mode="auto").turn.state == "waiting"


# Notices


def test_entering_by_the_tool_is_told_by_its_result_alone(operator: User) -> None:
    """dsh:D-15: a notice is for what a person changed; there is no plan file to wait for."""
    session = dsh(operator, {"tool_calls": [call("EnterPlanMode")]}, hands_over(), plan=False)
    (entered,) = desk.results(session)
    assert "stands in your instructions" in entered.text
    assert "plan file" not in entered.text.lower()
    assert not desk.every(session, ev.ReminderInjected)
    assert session.turn.state == "waiting"


def test_no_notice_before_the_first_request(operator: User) -> None:
    """dsh:D-15: its system text already tells it."""
    session = dsh(operator, hands_over())
    assert not desk.every(session, ev.ReminderInjected)
    (message, *_) = request(session).messages
    assert isinstance(message, UserMessage)
    assert message.origin is ev.Origin.USER


def test_a_turn_that_ends_without_a_plan_is_reminded_in_words_of_its_own(operator: User) -> None:
    session = dsh(operator, DONE)
    (told,) = desk.every(session, ev.ReminderInjected)
    assert "Pass the complete plan to ExitPlanMode" in told.text
    assert "plan file" not in told.text
    assert (session.turn.state, session.turn.reason) == ("stopped", "unsubmitted")


# What people choose


def choosing(operator: User, choices: list[bool], *, plan: bool) -> Play:
    """Return a session that waits for an answer while ``choices`` are made, after what follows."""
    asks = call("AskUserQuestion", questions=[{"text": "Which parser?"}])
    session = dsh(operator, {"tool_calls": [asks]}, dict(DONE), plan=plan)
    for active in choices:
        services.choose_plan_mode(session.id, active=active, by=operator)
    desk.answer(session, operator, "parser.py")
    return session.work()


def notices(session: Play) -> list[str]:
    """Return the kinds of the notices about plan mode, in order."""
    told = desk.every(session, ev.ReminderInjected)
    return [event.kind for event in told if event.variant is ev.Variant.PLAN_MODE]


@pytest.mark.parametrize(
    ("plan", "choices", "expected"),
    [
        pytest.param(False, [True], ["entered"], id="on"),
        pytest.param(True, [False], ["exit"], id="off"),
        pytest.param(False, [True, False], [], id="on and off again"),
        pytest.param(True, [False, True], [], id="off and on again"),
        pytest.param(True, [True], [], id="what it is already"),
    ],
)
def test_a_notice_says_what_a_person_changed_since_the_last_request(
    operator: User, *, plan: bool, choices: list[bool], expected: list[str]
) -> None:
    """dsh:D-15, dsh:D-05 D-06 D-09 D-11: one sentence, and none for what was taken back."""
    session = choosing(operator, choices, plan=plan)
    assert notices(session) == expected
    entered = len(desk.every(session, ev.PlanModeEntered)) - plan
    assert entered + len(desk.every(session, ev.PlanModeCancelled)) == len(expected)


def test_the_event_stands_before_the_step_that_it_changes(operator: User) -> None:
    """dsh:D-12, dsh:D-14: and the request of that step shows it."""
    session = choosing(operator, [True], plan=False)
    names = [type(event).__name__ for event in desk.log(session)]
    changed = names.index("PlanModeEntered")
    assert names[changed : changed + 3] == ["PlanModeEntered", "ReminderInjected", "StepStarted"]
    assert SECTION.strip() in request(session).system


def test_a_notice_is_one_line_in_the_reminder_s_tags(operator: User) -> None:
    """dsh:D-15."""
    (notice, *_) = desk.every(choosing(operator, [False], plan=True), ev.ReminderInjected)
    assert notice.text.splitlines()[1:-1] == [render("reminders/section/exit_by_person")]


def test_a_fork_goes_on_planning(operator: User) -> None:
    """dsh:D-03: the log alone tells the state."""
    session = dsh(operator, hands_over())
    assert desk.refolded(session) == session.state
    forked = Play(services.fork(session.id, by=operator))
    assert forked.state.plan.active
    assert forked.state.plan.review is None


def test_the_last_event_alone_says_whether_plan_mode_is_on(operator: User, reviewer: User) -> None:
    """dsh:D-01, dsh:D-03: at every point of the log."""
    session = dsh(operator, hands_over())
    desk.approve(session, reviewer)
    session.work()
    events, active = desk.log(session), False
    for length, event in enumerate(events, start=1):
        match event:
            case ev.PlanModeEntered():
                active = True
            case ev.PlanModeExited() | ev.PlanModeCancelled():
                active = False
            case _:
                pass
        assert fold(events[:length]).plan.active is active


def test_a_choice_that_is_neither_on_nor_off_is_no_event() -> None:
    """dsh:D-02: refused when it is read, so it can't have been written."""
    name, payload = wire.dumped(ev.PlanModeRequested(active=True, by=1))
    for wrong in ("perhaps", 7, [True]):
        with pytest.raises(EventUnknownError):
            wire.loaded(name, wire.VERSION, {**payload, "active": wrong})


def test_a_turn_that_is_cancelled_withdraws_its_review_and_goes_on_planning(
    operator: User,
) -> None:
    """dsh:D-30, complaints:K-10: nothing but an approval leaves plan mode."""
    session = dsh(operator, hands_over())
    services.cancel_turn(session.id)
    assert session.review.status == "withdrawn"
    assert session.state.plan.active


def test_a_review_outlives_whoever_opened_it(operator: User, reviewer: User) -> None:
    """dsh:D-29: it is rows, and the answer is delivered by any worker."""
    session = dsh(operator, hands_over())
    Turn.objects.update(worker="gone", fence=F("fence") + 1)
    desk.approve(session, reviewer)
    session.work()
    assert "A person approved your plan." in desk.results(session)[0].text
