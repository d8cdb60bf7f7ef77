"""How children end, and how their parents hear of it."""

from dataclasses import replace
from functools import partial

import pytest
from django.contrib.auth.models import User

from planmode import families, services, turns
from planmode.core import events as ev
from planmode.models import Claim, Session
from planmode.store import eventlog
from tests import desk, faults
from tests.children import EXPLORES, FOUND, PLANS, Reply, spawns
from tests.factories import STOPS_EARLY, Play, call, claim, play
from tests.races import together

pytestmark = pytest.mark.django_db


def idle(child: Play, claims: int) -> Claim:
    """Return a claim of the child's turn that so many workers took without a trace."""
    return replace(claim(child), idle=claims)


def test_who_interrupts_the_parent_interrupts_the_child(operator: User) -> None:
    session = spawns(operator, [FOUND])
    services.cancel_turn(session.id)
    assert session.child.turn.state == "cancelled"
    assert session.turn.state == "cancelled"
    (reported,) = desk.every(session, ev.ChildReported)
    assert reported.state is ev.TurnState.CANCELLED
    session.child.work()
    session.work()
    assert not desk.every(session.child, ev.StepStarted)
    assert not desk.results(session)
    assert session.state == desk.refolded(session)


def test_who_interrupts_the_parent_ends_what_its_reply_still_asks_for(operator: User) -> None:
    calls: list[Reply] = [{"tool_calls": [EXPLORES, PLANS]}]
    session = play(operator, calls, {"explore": [FOUND]}).work()
    services.cancel_turn(session.id)
    assert session.child.turn.state == "cancelled"
    assert Session.objects.filter(parent=session.id).count() == 1


def test_a_person_may_interrupt_the_child_alone(operator: User) -> None:
    session = spawns(operator, [FOUND])
    services.cancel_turn(session.child.id)
    assert session.turn.state == "queued"
    session.work()
    assert desk.only(session).is_error
    assert "cancelled" in desk.only(session).text


@pytest.mark.django_db(transaction=True)
def test_the_worker_of_a_cancelled_child_writes_nothing_more(operator: User) -> None:
    session = spawns(operator, [FOUND])
    with faults.once_written(ev.StepStarted, lambda: services.cancel_turn(session.id)):
        session.child.work()
    assert not desk.every(session.child, ev.ModelReplied)
    assert len(desk.every(session, ev.ChildReported)) == 1


@pytest.mark.django_db(transaction=True)
def test_of_a_report_and_an_interruption_each_is_written_once(operator: User) -> None:
    """Whoever is first, no two wait for each other, and nobody waits for ever."""
    session = spawns(operator, [FOUND])
    child = session.child
    together([child.work, partial(services.cancel_turn, session.id)])
    assert session.turn.state == "cancelled"
    assert child.turn.state in {"done", "cancelled"}
    (reported,) = desk.every(session, ev.ChildReported)
    (ended,) = desk.every(child, ev.TurnEnded)
    assert reported.state is ended.state
    assert session.state == desk.refolded(session)
    assert child.state == desk.refolded(child)


@pytest.mark.parametrize(
    "kind", [ev.ToolStarted, ev.ChildStarted, ev.ToolFinished], ids=lambda kind: kind.__name__
)
def test_a_parent_s_worker_may_die_anywhere(operator: User, kind: type[ev.Event]) -> None:
    replies: list[Reply] = [{"tool_calls": [EXPLORES]}, STOPS_EARLY]
    session = play(operator, replies, {"explore": [FOUND]})
    with_deaths(session, kind)
    assert len(desk.every(session, ev.ChildStarted)) == 1
    assert len(desk.every(session, ev.ChildReported)) == 1
    assert Session.objects.filter(parent=session.id).count() == 1
    assert not desk.only(session).is_error


def with_deaths(session: Play, kind: type[ev.Event]) -> None:
    """Play parent and child; a worker of the parent dies before it writes a ``kind``."""
    if kind is ev.ToolFinished:
        session.work().child.work()
        faults.die(session, kind)
        session.work()
        return
    faults.die(session, kind)
    session.work().child.work()
    session.work()


@pytest.mark.parametrize(
    "kind",
    [ev.StepStarted, ev.ToolFinished, ev.TurnEnded, ev.ChildReported],
    ids=lambda k: k.__name__,
)
def test_a_child_s_worker_may_die_anywhere(operator: User, kind: type[ev.Event]) -> None:
    session = spawns(operator, [{"tool_calls": [call("Read", path="parser.py")]}, FOUND])
    child = session.child
    faults.die(child, kind)
    assert not desk.every(session, ev.ChildReported)
    assert session.turn.state == "waiting"
    child.work()
    session.work()
    assert len(desk.every(session, ev.ChildReported)) == 1
    assert not desk.only(session).is_error
    assert len(desk.every(child, ev.TurnEnded)) == 1


def test_a_child_that_takes_its_workers_along_is_reported(operator: User) -> None:
    session = spawns(operator, [FOUND])
    lost = idle(session.child, turns.MOST_IDLE_CLAIMS + 1)
    turns.end_lost(lost)
    session.work()
    assert "worker after worker" in desk.only(session).text


def test_a_child_whose_log_can_not_be_opened_is_reported(operator: User) -> None:
    session = spawns(operator, [FOUND])
    child = session.child
    lost = idle(child, turns.MOST_IDLE_CLAIMS + turns.LOG_TRIES + 1)
    Session.objects.filter(pk=child.id).update(state={"no": "state"})
    turns.end_lost(lost)
    assert child.turn.state == "failed"
    session.work()
    assert "worker after worker" in desk.only(session).text


def test_a_child_is_ended_by_its_row_though_nobody_can_be_told(operator: User) -> None:
    session = spawns(operator, [FOUND])
    child = session.child
    lost = idle(child, turns.MOST_IDLE_CLAIMS + turns.LOG_TRIES + 1)
    known = Session.objects.get(pk=session.id).state
    Session.objects.filter(pk=session.id).update(state={"no": "state"})
    turns.end_lost(lost)
    assert child.turn.state == "failed"
    Session.objects.filter(pk=session.id).update(state=known)
    services.cancel_turn(session.id)  # a person sees that it waits, and ends that
    assert session.turn.state == "cancelled"


def test_a_report_that_nobody_waits_for_is_not_written(operator: User) -> None:
    session = spawns(operator, [FOUND])
    child = session.child
    reported = ev.ChildReported(str(child.id), "", ev.TurnState.DONE)
    child.work()
    with eventlog.writing(session.id) as parent:
        families.tell(parent, reported)
    assert len(desk.every(session, ev.ChildReported)) == 1
