"""Lines of the reference of preset dsh, in whole sessions."""

import pytest
from django.contrib.auth.models import User

from planmode import services
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core.state import Wanted, fold
from reviews.core.decisions import DecisionKind
from reviews.models import Question, Review
from tests import desk, faults
from tests.factories import call, play
from tests.plays import ASKS, done, enter, leave

pytestmark = pytest.mark.django_db

PLAN = "# Tidy\n\nRead and split.\n"
SUBMITS = {"tool_calls": [call("ExitPlanMode", plan=PLAN)]}


@pytest.fixture(autouse=True)
def section(project: Project) -> None:
    """The project says how to plan."""
    Project.objects.filter(pk=project.pk).update(plan_section="Plan first.")


def test_each_beginning_of_the_log_tells_the_mode_of_then(operator: User, reviewer: User) -> None:
    """dsh:D-01."""
    session = play(operator, [SUBMITS, done()], preset="dsh").work()
    desk.approve(session, reviewer)
    session.work()
    log = desk.log(session)
    entered, left = (
        next(at for at, event in enumerate(log, start=1) if isinstance(event, kind))
        for kind in (ev.PlanModeEntered, ev.PlanModeExited)
    )
    told = [fold(log[:length]).plan.active for length in range(len(log) + 1)]
    assert told == [entered <= length < left for length in range(len(log) + 1)]


def test_what_waits_is_the_target_and_not_a_flag(operator: User) -> None:
    """dsh:D-08: nothing waits, plan mode waits to begin, plan mode waits to end."""
    off = play(operator, [done()], preset="dsh", plan=False)
    assert not off.state.wanted.pending
    enter(off, operator)
    assert not off.state.plan.active
    assert off.state.wanted == Wanted(active=True, by=operator.pk)
    on = play(operator, [done()], preset="dsh")
    leave(on, operator)
    assert on.state.plan.active
    assert on.state.wanted == Wanted(active=False, by=operator.pk)


def test_what_is_chosen_while_a_call_fails_counts_when_it_is_made_again(operator: User) -> None:
    """dsh:D-13, differently on purpose: each attempt is a request of its own, compiled anew."""
    failing = {**done(), "fail": {"kind": "error", "times": 1}}
    session = play(operator, [failing], preset="dsh", plan=False).work()
    assert session.turn.state == "queued"
    enter(session, operator)
    assert not session.state.plan.active
    faults.retry_time_comes(session)
    session.work()
    kinds = [type(event) for event in desk.log(session)]
    assert kinds.index(ev.PlanModeEntered) < kinds.index(ev.ModelReplied)
    assert session.state.plan.active


def test_an_approval_survives_the_worker_that_should_tell_it(
    operator: User, reviewer: User
) -> None:
    """dsh:D-29: what is recorded is told, and what is not recorded is no approval."""
    session = play(operator, [SUBMITS, done()], preset="dsh").work()
    desk.approve(session, reviewer)
    faults.die(session, ev.ToolFinished)
    session.work()
    (result,) = desk.results(session)
    assert not result.is_error
    assert not session.state.plan.active


@pytest.mark.parametrize("replies", [[SUBMITS, done()], [ASKS, done()]])
def test_who_interrupts_the_turn_takes_its_question_back(
    operator: User, replies: list[dict[str, object]]
) -> None:
    """dsh:D-30."""
    session = play(operator, replies, preset="dsh").work()
    assert session.turn.state == "waiting"
    services.cancel_turn(session.id)
    cards = [*Review.objects.all(), *Question.objects.all()]
    assert [card.status for card in cards] == ["withdrawn"]
    assert session.state.plan.active


def test_with_words_beside_it_a_yes_stays_a_yes(operator: User, reviewer: User) -> None:
    """dsh:D-25: consent is the decision's own name; no text, and no two answers, make one."""
    session = play(operator, [SUBMITS, done()], preset="dsh").work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Approve")
    assert session.state.plan.active
    assert session.review.outcome == "revise"
