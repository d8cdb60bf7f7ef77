"""The working plan in the hands of a person."""

import hashlib
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from planmode import queries, services
from planmode.core import events as ev
from planmode.core.errors import (
    NoPlanFileError,
    NotPlanningError,
    PlanEditConflictError,
    PlanInvalidError,
    PlanTooLargeError,
    PlanUnderReviewError,
)
from planmode.store import planfiles
from reviews.core.decisions import DecisionKind
from tests import desk, faults
from tests.factories import PLAN, Play, call, play, submits

pytestmark = pytest.mark.django_db

NOTHING: Final = hashlib.sha256(b"").hexdigest()
EDITED: Final = b"# Tidy the parser\n\n1. Only read it\n"
DONE: Final[dict[str, Any]] = {"text": "Done.", "repeat": 20}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def revising(operator: User, reviewer: User, *replies: dict[str, Any]) -> Play:
    """Return a session whose submitted plan was sent back; it goes on with ``replies``."""
    session = play(operator, [submits(), *replies, DONE]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    return session


def edit(session: Play, by: User, content: bytes = EDITED, base: bytes = PLAN.encode()) -> str:
    return services.edit_plan(session.id, content, base_sha256=sha256(base), by=by)


def working(session: Play) -> bytes | None:
    plan_id = session.state.plan.plan_id
    assert plan_id is not None
    return queries.working_plan(session.id, plan_id)


def test_an_edit_is_told_and_the_card_says_whose_it_is(operator: User, reviewer: User) -> None:
    """claude:C-15: the bytes that are submitted are the person's, and the card says so.

    claude:C-26.
    """
    submit = {"tool_calls": [call("Read", path="${plan_file}"), call("ExitPlanMode")]}
    session = revising(operator, reviewer, submit)
    assert edit(session, operator) == sha256(EDITED)
    written = desk.every(session, ev.PlanFileWritten)[-1]
    assert (written.sha256, written.size, written.by) == (sha256(EDITED), len(EDITED), operator.pk)
    session.work()
    told = [event.kind for event in desk.every(session, ev.ReminderInjected)]
    assert "plan_edited" in told
    assert "Only read it" in desk.results(session)[-1].text
    submitted = desk.every(session, ev.PlanSubmitted)[-1]
    assert (submitted.sha256, submitted.edited_by) == (sha256(EDITED), operator.pk)


def test_a_plan_that_only_the_agent_wrote_is_nobody_s_edit(operator: User) -> None:
    """claude:C-15."""
    session = play(operator, [submits()]).work()
    assert desk.every(session, ev.PlanSubmitted)[0].edited_by is None


@pytest.mark.django_db(transaction=True)
def test_the_agent_s_own_edit_starts_from_the_person_s_text(operator: User, reviewer: User) -> None:
    """The file follows before the next tool runs, in the middle of a turn, too."""
    change = call("Edit", path="${plan_file}", old_string="Only read", new_string="Rewrite")
    session = revising(operator, reviewer, {"tool_calls": [call("Read", path="parser.py")]},
                       {"tool_calls": [change]})  # fmt: skip
    with faults.once_written(ev.StepStarted, lambda: edit(session, operator)):
        session.work()
    assert working(session) == EDITED.replace(b"Only read", b"Rewrite")
    assert desk.every(session, ev.PlanFileWritten)[-1].by is None


@pytest.mark.django_db(transaction=True)
def test_a_text_of_before_the_edit_does_not_replace_it(operator: User, reviewer: User) -> None:
    """Found here: the agent's whole text was written over what a person had just kept."""
    first, then = (call("Write", path="${plan_file}", content=text) for text in ("# A\n", "# B\n"))
    session = revising(operator, reviewer, {"tool_calls": [first]}, {"tool_calls": [then]})
    with faults.once_written(ev.StepStarted, lambda: edit(session, operator)):
        session.work()
    refused, written = desk.results(session)[-2:]
    assert refused.verdict is ev.Verdict.DENIED
    assert "plan_edited" in [event.kind for event in desk.every(session, ev.ReminderInjected)]
    assert written.verdict is ev.Verdict.RAN  # it knows by now


def test_an_edit_of_an_older_text_is_refused_and_says_what_is_there(
    operator: User, reviewer: User
) -> None:
    session = revising(operator, reviewer)
    edit(session, operator)
    with pytest.raises(PlanEditConflictError) as refused:
        edit(session, operator, b"# Mine\n")
    assert refused.value.current == sha256(EDITED)
    assert working(session) == EDITED


def test_nobody_edits_while_the_agent_writes(operator: User, reviewer: User) -> None:
    """Else one of the two texts would be lost."""
    write = call("Write", path="${plan_file}", content="# Agent's\n")
    session = revising(operator, reviewer, {"tool_calls": [write]})
    faults.die(session, ev.ToolFinished, number=2)
    with pytest.raises(PlanEditConflictError, match="writing"):
        edit(session, operator)
    with pytest.raises(PlanEditConflictError, match="writing"):
        services.clear_plan(session.id, by=operator)


def test_nobody_edits_what_is_under_review(operator: User, reviewer: User) -> None:
    """Found here: the approval named a file that held another text than the approved one."""
    session = play(operator, [submits(), DONE]).work()
    before = len(desk.log(session))
    with pytest.raises(PlanUnderReviewError, match="revision 1 is under review: ask for changes"):
        edit(session, operator)
    with pytest.raises(PlanUnderReviewError):
        services.clear_plan(session.id, by=operator)
    assert len(desk.log(session)) == before
    assert working(session) == PLAN.encode()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    assert edit(session, operator) == sha256(EDITED)


def test_an_unchanged_text_is_no_edit(operator: User, reviewer: User) -> None:
    session = revising(operator, reviewer)
    before = len(desk.log(session))
    assert edit(session, operator, PLAN.encode()) == sha256(PLAN.encode())
    assert len(desk.log(session)) == before


def test_a_person_may_write_the_plan_first(operator: User) -> None:
    session = play(operator, [DONE])
    services.edit_plan(session.id, EDITED, base_sha256=NOTHING, by=operator)
    session.work()
    assert desk.plan_path(session).read_bytes() == EDITED


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"x" * (planfiles.LARGEST + 1), PlanTooLargeError),
        (b"\xff", PlanInvalidError),
        (b"a\0b", PlanInvalidError),
    ],
)
def test_what_is_no_text_is_refused(operator: User, content: bytes, error: type[Exception]) -> None:
    session = play(operator, [DONE])
    with pytest.raises(error):
        services.edit_plan(session.id, content, base_sha256=NOTHING, by=operator)
    assert working(session) is None


def test_there_is_nothing_to_edit_without_a_plan(operator: User) -> None:
    session = play(operator, [DONE], plan=False)
    with pytest.raises(NotPlanningError):
        edit(session, operator)


def test_a_preset_without_a_plan_file_has_none_to_edit(operator: User) -> None:
    session = play(operator, [DONE], preset="pi")
    with pytest.raises(NoPlanFileError, match="tell it what to change"):
        edit(session, operator)
    with pytest.raises(NoPlanFileError):
        services.clear_plan(session.id, by=operator)


def test_clearing_empties_the_file_and_leaves_plan_mode_on(operator: User, reviewer: User) -> None:
    """kimi:S14: no revision is made."""
    session = revising(operator, reviewer)
    assert services.clear_plan(session.id, by=operator)
    assert not services.clear_plan(session.id, by=operator)
    session.work()
    assert working(session) == b""
    assert desk.plan_path(session).read_bytes() == b""
    assert session.state.plan.active
    assert len(desk.every(session, ev.PlanRevisionRecorded)) == 1


def test_clearing_does_nothing_outside_plan_mode(operator: User) -> None:
    """kimi:S14."""
    session = play(operator, [DONE], plan=False)
    assert not services.clear_plan(session.id, by=operator)
    assert not desk.every(session, ev.PlanFileWritten)
