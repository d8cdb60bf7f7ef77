"""Preset pi, whole sessions: a reply is the plan, a person decides."""

from typing import Any, Final, NoReturn

import pytest
from django.contrib.auth.models import User

from planmode import services, turns
from planmode.agent import request
from planmode.core import events as ev
from planmode.core.outcomes import Outcome
from planmode.core.view import AssistantMessage, UserMessage
from planmode.store import revisions
from reviews.core.decisions import DecisionKind
from reviews.core.errors import DecisionIncompleteError
from reviews.models import Approval, Review
from tests import desk
from tests.factories import call
from tests.pi import (
    BOTH,
    FIRST,
    LONGER,
    PLAN,
    SECOND,
    approved,
    offered,
    pi,
    reminders,
    sent,
    steps,
    told,
)

pytestmark = pytest.mark.django_db

CHINESE: Final = "计划\uff1a\n\n1. 拆分\n2. 测试\n"
READ_ONLY: Final = {
    "Read",
    "Grep",
    "Glob",
    "Bash",
    "AskUserQuestion",
    "TodoList",
    "reply_to_comment",
}
WRITES: Final = {"Write", "Edit", "CronCreate", "TaskStop"}


# The plan


def test_a_reply_with_steps_is_the_submission(operator: User) -> None:
    """pi:P-13 P-18 P-20: its bytes are the revision, and the turn waits for a person."""
    session = pi(operator, PLAN).work()
    assert session.turn.state == "waiting"
    (submitted,) = desk.every(session, ev.PlanSubmitted)
    assert (submitted.call_id, submitted.version, submitted.options) == ("", 1, ())
    assert revisions.content(revisions.find(session.review.revision_id)).decode() == PLAN
    assert session.state.plan.steps == steps()
    assert desk.refolded(session) == session.state


@pytest.mark.parametrize(
    ("above", "title"),
    [("Let me think.", "Split the parser"), ("Let me think.\n\n# In two halves", "In two halves")],
)
def test_a_plan_is_called_by_its_heading_else_as_the_session(
    operator: User, above: str, title: str
) -> None:
    """pi:P-20: what a person decides about has a name, not the first words of a reply."""
    session = pi(operator, f"{above}\n\n{PLAN}", prompt="Split the parser").work()
    (submitted,) = desk.every(session, ev.PlanSubmitted)
    row = revisions.find(session.review.revision_id)
    assert (submitted.title, row.title, session.review.title) == (title,) * 3


def test_a_plan_in_chinese_is_one(operator: User) -> None:
    """pi:P-17: whatever the colon, and however short the steps."""
    session = pi(operator, CHINESE).work()
    assert [step.text for step in session.state.plan.steps] == ["拆分", "测试"]
    assert session.turn.state == "waiting"


def test_a_reply_without_a_plan_ends_the_turn(operator: User) -> None:
    """pi:P-13 P-20: a list alone is no plan."""
    session = pi(operator, "1. I read it.\n2. It is fine.").work()
    assert session.turn.state == "done"
    assert not Review.objects.exists()
    assert session.state.plan.active


def test_a_plan_while_nobody_plans_opens_no_review(operator: User) -> None:
    """pi:P-20."""
    session = pi(operator, PLAN, plan=False).work()
    assert session.turn.state == "done"
    assert not Review.objects.exists()
    assert session.state.plan.steps == ()


def test_a_question_comes_before_the_plan(operator: User, reviewer: User) -> None:
    """pi:P-03."""
    asks = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which half first?"}])]}
    session = pi(operator, asks, PLAN).work()
    desk.answer(session, reviewer, "The left one")
    assert session.work().review.revision_version == 1


# What a person decides


def test_the_first_request_that_carries_the_plan_out_has_all_of_it(
    operator: User, reviewer: User
) -> None:
    """pi:P-22 P-23: once, with the text that was approved, its steps and how they are marked."""
    session = approved(operator, reviewer, BOTH).work()
    (reviewed,) = reminders(session, ev.Variant.PLAN_REVIEW)
    events = desk.log(session)
    (second,) = [at for at, event in enumerate(events) if event == ev.StepStarted(2)]
    assert events.index(reviewed) < second
    for part in (PLAN.strip(), f"1. {FIRST}\n2. {SECOND}", "[DONE:n]", "sha256"):
        assert part in reviewed.text, part
    assert sum("## Approved plan" in text for text in told(session)) == 1
    assert (session.turn.state, session.turn.reason) == ("done", "")
    assert desk.refolded(session) == session.state


def test_what_the_reviewer_notes_comes_with_the_approval(operator: User, reviewer: User) -> None:
    session = pi(operator, PLAN, BOTH).work()
    desk.approve(session, reviewer, feedback="Mind the tests")
    session.work()
    (reviewed,) = reminders(session, ev.Variant.PLAN_REVIEW)
    assert '<from source="reviewer">\nMind the tests\n</from>' in reviewed.text


def test_an_approval_without_start_waits_for_a_message(operator: User, reviewer: User) -> None:
    session = pi(operator, PLAN, BOTH).work()
    desk.approve(session, reviewer, start=False)
    session.work()
    assert (session.turn.state, session.turn.reason) == ("stopped", "approved")
    services.post_message(session.id, "Start now", author=operator)
    session.work()
    assert session.state.plan.steps == steps(1, 2)
    assert "not to be started now" in told(session)[-2]


def test_refining_gives_the_feedback_and_waits_for_the_plan_anew(
    operator: User, reviewer: User
) -> None:
    """pi:P-21: still planning, and the new reply is the whole plan."""
    session = pi(operator, PLAN, LONGER).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="And the docs?")
    session.work()
    (reviewed,) = reminders(session, ev.Variant.PLAN_REVIEW)
    assert "And the docs?" in reviewed.text
    assert session.state.plan.active
    assert session.review.revision_version == 2
    assert len(session.state.plan.steps) == 3


def test_refining_without_a_word_is_refused(operator: User, reviewer: User) -> None:
    """pi:P-21."""
    session = pi(operator, PLAN).work()
    with pytest.raises(DecisionIncompleteError):
        desk.decide(session, reviewer, DecisionKind.REVISE, feedback=" ")
    assert session.turn.state == "waiting"


def test_prose_after_a_refinement_leaves_no_older_plan_behind(
    operator: User, reviewer: User
) -> None:
    """pi:P-19: nothing is left that a person could execute by mistake."""
    session = pi(operator, PLAN, "Let me think about that.").work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Smaller")
    session.work()
    assert session.state.plan.steps == ()
    assert session.turn.state == "done"
    assert session.state.plan.active
    assert not Review.objects.open().exists()


def test_staying_leaves_the_turn_to_the_person(operator: User, reviewer: User) -> None:
    """pi:P-20: nothing changes, and the agent waits for what is said next."""
    session = pi(operator, PLAN, LONGER).work()
    desk.decide(session, reviewer, DecisionKind.DISMISS)
    session.work()
    assert session.turn.number == 1
    assert (session.turn.state, session.turn.reason) == ("stopped", "dismissed")
    assert session.state.plan.active
    services.post_message(session.id, "Add the docs", author=operator)
    session.work()
    assert any("Nothing was approved" in text for text in told(session))
    assert session.review.revision_version == 2


def test_what_is_said_while_the_plan_waits_is_given_with_the_answer(
    operator: User, reviewer: User
) -> None:
    session = pi(operator, PLAN, BOTH).work()
    services.post_message(session.id, "Use pytest", author=operator)
    desk.approve(session, reviewer)
    session.work()
    texts = [item.text for item in sent(session).messages if isinstance(item, UserMessage)]
    assert "Use pytest" in texts
    assert session.turn.state == "done"


def test_an_interrupted_plan_may_be_submitted_again(operator: User) -> None:
    session = pi(operator, PLAN, PLAN).work()
    services.cancel_turn(session.id)
    assert session.review.status == "withdrawn"
    services.post_message(session.id, "Again", author=operator)
    assert session.work().review.revision_version == 2


# Tools


def test_while_planning_the_tools_are_a_read_only_list(operator: User) -> None:
    """pi:P-03 P-05: what is offered follows the state of each request."""
    session = pi(operator, PLAN)
    assert offered(session) >= READ_ONLY
    assert not offered(session) & WRITES


def test_leaving_gives_back_what_was_there_before(operator: User, reviewer: User) -> None:
    """pi:P-04."""
    before = offered(pi(operator, "Hi.", plan=False))
    session = approved(operator, reviewer, BOTH)
    assert offered(session) == before
    assert offered(session) >= READ_ONLY | WRITES
    assert not before & {"EnterPlanMode", "ExitPlanMode"}


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("Write", {"path": "parser.py", "content": "x"}, "work on no file at all"),
        ("Edit", {"path": "parser.py", "old_string": "1", "new_string": "2"}, "on no file at all"),
        ("EnterPlanMode", {}, "this session has no EnterPlanMode"),
        ("ExitPlanMode", {}, "this session has no ExitPlanMode"),
    ],
)
def test_a_call_that_was_not_offered_is_refused(
    operator: User, name: str, args: dict[str, Any], said: str
) -> None:
    """pi:P-02 P-03 P-06: by the guard, whatever the model was told of."""
    session = pi(operator, {"tool_calls": [call(name, **args)]}, "Done.").work()
    (result,) = desk.results(session)
    assert result.verdict is ev.Verdict.DENIED
    assert said in result.text
    assert "under a line `Plan:`" in result.text or "list under `Plan:`" in result.text
    assert (session.workspace / "parser.py").read_text() == "value = 1\n"
    assert not Review.objects.exists()


def test_of_a_tool_that_does_not_exist_those_are_named_that_are_offered(operator: User) -> None:
    """pi:P-06."""
    session = pi(operator, {"tool_calls": [call("Fly")]}, "Done.").work()
    (result,) = desk.results(session)
    assert "TodoList" in result.text
    assert "ExitPlanMode" not in result.text
    assert "Write" not in result.text


def broken(*_: object, **__: object) -> NoReturn:
    raise ZeroDivisionError


def test_a_gate_that_breaks_is_shut(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """pi:P-07."""
    monkeypatch.setattr(turns, "judge", broken)
    session = pi(operator, {"tool_calls": [call("Read", path="parser.py")]}, "Done.").work()
    (result,) = desk.results(session)
    assert result.verdict is ev.Verdict.DENIED
    assert not desk.every(session, ev.ToolStarted)


def test_a_filter_that_breaks_lets_nothing_pass_unfiltered(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pi:P-07: no request is made at all."""
    monkeypatch.setattr(request, "transcript", broken)
    session = pi(operator, "Hi.")
    with pytest.raises(ZeroDivisionError):
        session.work()
    assert not desk.every(session, ev.ModelReplied)
    assert (session.turn.state, session.turn.reason) == ("failed", "internal_error")


def test_permission_mode_yolo_opens_no_way_around_the_gate(operator: User) -> None:
    """pi:P-08 P-11: a command is parsed; what only looks harmless is refused."""
    tricks = [
        call("Bash", command="find . -name parser.py -delete"),
        call("Bash", command="cat parser.py | sh"),
        call("Bash", command="git diff --output=parser.py"),
    ]
    session = pi(operator, {"tool_calls": tricks}, "Done.", permission_mode="yolo").work()
    assert {result.verdict for result in desk.results(session)} == {ev.Verdict.DENIED}
    assert all("numbered list under `Plan:`" in result.text for result in desk.results(session))


# What the model is sent


def test_of_the_reminders_the_newest_alone_is_sent(operator: User) -> None:
    """pi:P-27 P-28: by type, and the log keeps all of them."""
    session = pi(operator, "Hi.", "Hi again.").work()
    banner = reminders(session, ev.Variant.PLAN_MODE)[0].text
    services.post_message(session.id, f"You said: {banner}", author=operator)
    session.work()
    assert len(reminders(session, ev.Variant.PLAN_MODE)) == 2
    texts = [item.text for item in sent(session).messages if isinstance(item, UserMessage)]
    assert texts.count(banner) == 1
    assert f"You said: {banner}" in texts


def test_once_planning_is_over_no_text_says_that_it_goes_on(operator: User, reviewer: User) -> None:
    """pi:P-27."""
    session = approved(operator, reviewer, BOTH).work()
    assert not any("Plan mode is on" in text for text in told(session))
    assert any("restrictions are lifted" in text for text in told(session))
    services.post_message(session.id, "Thanks", author=operator)
    assert len(reminders(session, ev.Variant.PLAN_REVIEW)) == 1


def test_nothing_that_is_sent_speaks_of_a_file_or_a_tool_for_plans(
    operator: User, reviewer: User
) -> None:
    """pi:P-02 P-29: each reminder is a message of the user's role, shown or not."""
    session = approved(operator, reviewer, BOTH).work()
    now = sent(session)
    words = [now.system, *told(session), *(tool.description for tool in now.tools)]
    assert not [text for text in words if "ExitPlanMode" in text or "plan file" in text.lower()]
    assert isinstance(now.messages[-1], AssistantMessage)


def test_only_a_person_approves_whatever_the_permission_mode(operator: User) -> None:
    """pi:P-20: permission mode auto decides about no plan."""
    session = pi(operator, PLAN, permission_mode="auto").work()
    assert session.turn.state == "waiting"
    assert session.review.outcome != Outcome.AUTO_APPROVED
    assert not Approval.objects.exists()
