"""A reply as a plan: kept or refused, claimed, carried on."""

import pytest
from django.contrib.auth.models import User

from planmode import services
from planmode.agent import results
from planmode.core import events as ev
from planmode.core.errors import (
    DomainError,
    PlanInvalidError,
    PlanTooLargeError,
    PlanUnchangedError,
    StoredDataError,
)
from planmode.core.permission import PermissionMode
from planmode.core.state import EMPTY, REPLY
from planmode.store import blobs, eventlog
from reviews.core.decisions import DecisionKind
from reviews.models import Review
from tests import desk, faults
from tests.pi import (
    BOTH,
    FIRST,
    LONGER,
    PLAN,
    SECOND,
    approved,
    pi,
    reminders,
    steps,
    write,
)

pytestmark = pytest.mark.django_db


# Plans that can't be submitted


def test_the_same_plan_once_more_is_answered_and_then_left_to_a_person(
    operator: User, reviewer: User
) -> None:
    session = pi(operator, PLAN, PLAN, PLAN).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Smaller")
    session.work()
    (answer,) = reminders(session, ev.Variant.TURN_END)
    assert "has not changed since revision v1" in answer.text
    assert (session.turn.state, session.turn.reason) == ("stopped", "unsubmitted")
    assert Review.objects.count() == 1
    assert session.state.plan.steps == ()
    assert desk.refolded(session) == session.state


def test_a_plan_that_changed_after_the_answer_is_submitted(operator: User, reviewer: User) -> None:
    session = pi(operator, PLAN, PLAN, LONGER).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Smaller")
    assert session.work().review.revision_version == 2
    assert session.turn.state == "waiting"


def test_a_plan_that_can_t_be_kept_opens_no_review(
    operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "store", faults.BrokenStore)
    session = pi(operator, PLAN, "I can't submit it.").work()
    (answer,) = reminders(session, ev.Variant.TURN_END)
    assert "the disk is full" in answer.text
    assert session.turn.state == "done"
    assert not Review.objects.exists()
    assert not session.state.plan.revision_count


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PlanTooLargeError("2 MiB"), "it is too large: 2 MiB"),
        (PlanInvalidError("a NUL"), "not submitted: a NUL"),
        (PlanUnchangedError("same"), "has not changed since revision v0"),
        (StoredDataError("full"), "could not be stored: full"),
        (DomainError("odd"), "not submitted: odd"),
    ],
)
def test_each_refusal_says_how_to_submit_by_a_reply(error: DomainError, said: str) -> None:
    text = results.not_submitted(REPLY, error, EMPTY, plan_file="", source="reply").text
    assert said in text
    assert "numbered list under `Plan:`" in text
    assert "ExitPlanMode" not in text


def test_an_approval_whose_bytes_are_damaged_lets_nothing_be_done(
    operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = approved(operator, reviewer, "The stored plan is damaged.")
    monkeypatch.setattr(blobs, "store", faults.BrokenStore)
    session.work()
    (reviewed,) = reminders(session, ev.Variant.PLAN_REVIEW)
    assert "Carry out nothing" in reviewed.text
    assert session.state.plan.steps == ()
    assert session.turn.state == "done"


# Claims


def test_a_marker_is_a_claim_and_stands_in_the_same_append(operator: User, reviewer: User) -> None:
    """pi:P-24 P-25: without evidence, in any order, and never taken back."""
    session = approved(operator, reviewer, "[DONE:2] [done:9] `[DONE:1]`", "[DONE:01]")
    session.work()
    listed = [item.steps for item in desk.every(session, ev.PlanStepsListed)]
    assert listed == [steps(), steps(2), steps(1, 2)]
    events = desk.log(session)
    at = events.index(ev.PlanStepsListed(steps(2)))
    assert isinstance(events[at - 1], ev.ModelReplied)
    assert session.turn.state == "done"


def test_a_marker_while_planning_claims_nothing(operator: User) -> None:
    """pi:P-25: no step of a plan that nobody approved is done."""
    session = pi(operator, f"{PLAN}\n[DONE:1]").work()
    assert session.state.plan.steps == steps()


def test_open_steps_are_told_once_and_then_left_to_a_person(operator: User, reviewer: User) -> None:
    """pi:P-26."""
    session = approved(operator, reviewer, "[DONE:1]", "I can't.").work()
    (told,) = reminders(session, ev.Variant.TURN_END)
    assert f"2. {SECOND}" in told.text
    assert FIRST not in told.text
    assert "[DONE:n]" in told.text
    assert (session.turn.state, session.turn.reason) == ("stopped", "open_steps")


def test_an_answer_to_a_plan_does_not_use_up_the_reminder_of_open_steps(
    operator: User, reviewer: User
) -> None:
    session = pi(operator, PLAN, PLAN, LONGER, "[DONE:1] [DONE:2]", "[DONE:3]").work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="More")
    session.work()
    desk.approve(session, reviewer)
    session.work()
    kinds = [item.kind for item in reminders(session, ev.Variant.TURN_END)]
    assert kinds == [ev.ReminderKind.UNSUBMITTED, ev.ReminderKind.OPEN_STEPS]
    assert session.turn.state == "done"


def test_planning_anew_forgets_the_steps(operator: User, reviewer: User) -> None:
    """pi:P-01: nobody plans and carries out at the same time."""
    session = approved(operator, reviewer, BOTH).work()
    write(session, ev.PlanModeEntered("calm-teal-heron", PermissionMode.MANUAL, by=operator.pk))
    assert session.state.plan.steps == ()
    assert session.state.plan.approved_revision == ""


def test_a_person_who_leaves_plan_mode_lets_nothing_be_carried_out(operator: User) -> None:
    """pi:P-02 P-30: what they chose during the turn comes before the plan of its reply."""
    session = pi(operator, PLAN, "Fine.")
    faults.die(session, ev.PlanStepsListed)
    write(session, ev.PlanModeRequested(active=False, by=operator.pk))
    session.work()
    assert not Review.objects.exists()
    assert not session.state.plan.active
    assert session.state.plan.steps == ()
    assert session.turn.state == "done"


# What outlives a process, and what goes back


@pytest.mark.parametrize("kind", [ev.PlanStepsListed, ev.PlanRevisionRecorded, ev.PlanSubmitted])
def test_a_worker_that_dies_with_the_submission_leaves_no_half_of_it(
    operator: User, kind: type[ev.Event]
) -> None:
    """pi:P-30."""
    session = pi(operator, PLAN)
    faults.die(session, kind)
    assert not Review.objects.exists()
    assert session.state.plan.steps == ()
    session.work()
    assert session.review.revision_version == 1
    assert len(desk.every(session, ev.PlanSubmitted)) == 1


def test_a_worker_that_dies_between_approval_and_work_loses_nothing(
    operator: User, reviewer: User
) -> None:
    """pi:P-30 P-31 P-33: the next one delivers the plan, once."""
    session = approved(operator, reviewer, BOTH)
    faults.die(session, ev.ReminderInjected)
    session.work()
    assert len(reminders(session, ev.Variant.PLAN_REVIEW)) == 1
    assert session.turn.state == "done"


def test_a_turn_that_is_interrupted_after_the_approval_loses_no_plan(
    operator: User, reviewer: User
) -> None:
    """pi:P-30 P-33: the next turn begins with it."""
    session = approved(operator, reviewer, BOTH)
    services.cancel_turn(session.id)
    services.post_message(session.id, "Go on", author=operator)
    session.work()
    assert PLAN.strip() in reminders(session, ev.Variant.PLAN_EXECUTION)[0].text
    assert session.state.plan.steps == steps(1, 2)


def test_a_worker_that_dies_with_a_claim_reads_no_reply_twice(
    operator: User, reviewer: User
) -> None:
    """pi:P-31: reply and claim are one append, so no reply has to be read again."""
    session = approved(operator, reviewer, BOTH)
    faults.die(session, ev.PlanStepsListed)
    assert session.state.plan.steps == steps()
    session.work()
    assert session.state.plan.steps == steps(1, 2)
    assert session.state == desk.refolded(session)


def test_an_undo_goes_back_to_the_steps_of_then(operator: User, reviewer: User) -> None:
    """pi:P-32: what was taken back counts no more."""
    session = approved(operator, reviewer, "[DONE:1]", "I stop.", "[DONE:2]").work()
    services.post_message(session.id, "Go on", author=operator)
    said = next(
        logged.seq
        for logged in eventlog.read(session.id)
        if isinstance(logged.event, ev.MessagePosted) and logged.event.text == "Go on"
    )
    session.work()
    assert session.state.plan.steps == steps(1, 2)
    write(session, ev.ConversationUndone(said, by=operator.pk))
    assert session.state.plan.steps == steps(1)
    assert desk.refolded(session) == session.state


def test_a_fork_goes_on_with_the_steps_of_its_beginning(operator: User, reviewer: User) -> None:
    """pi:P-32: the steps are what the log tells, and a fork has its beginning."""
    session = approved(operator, reviewer, "[DONE:1]", "I stop.").work()
    write(session, ev.SessionForked("another", 9, None, by=operator.pk))
    assert session.state.plan.steps == steps(1)


def test_after_a_compaction_the_plan_and_its_open_steps_are_given_again(
    operator: User, reviewer: User
) -> None:
    """pi:P-34."""
    session = approved(operator, reviewer, "[DONE:1]", "I stop.", "[DONE:2]").work()
    write(session, ev.ContextCompacted("We split the parser."))
    services.post_message(session.id, "Go on", author=operator)
    session.work()
    (again,) = reminders(session, ev.Variant.PLAN_EXECUTION)
    assert PLAN.strip() in again.text
    assert f"not marked as done:\n\n2. {SECOND}\n" in again.text
    assert "[DONE:n]" in again.text
    assert session.turn.state == "done"


def test_after_a_compaction_while_planning_the_instructions_are_given_again(
    operator: User,
) -> None:
    """pi:P-34."""
    session = pi(operator, "Hi.", PLAN).work()
    write(session, ev.ContextCompacted("We said hello."))
    services.post_message(session.id, "Plan now", author=operator)
    session.work()
    assert len(reminders(session, ev.Variant.PLAN_MODE)) == 2
    assert session.turn.state == "waiting"
