"""Calls that wait for a person."""

import pytest
from django.contrib.auth.models import User

from planmode.core import events as ev
from planmode.core.permission import PermissionMode
from planmode.core.state import CallStatus
from planmode.store import eventlog
from reviews.models import Approval
from tests import desk
from tests.desk import only
from tests.factories import call, one
from tests.requirements import need

pytestmark = pytest.mark.django_db


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
