"""The log: no gaps, a chain, all or nothing."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from uuid6 import uuid7

from planmode.core import events as ev
from planmode.core import wire
from planmode.core.errors import ClaimLostError, EventUnknownError, SessionUnknownError
from planmode.core.outcomes import Outcome
from planmode.core.permission import PermissionMode
from planmode.core.state import fold
from planmode.models import EventRecord, Session, Turn
from planmode.signals import Appended, events_appended
from planmode.store import eventlog
from tests import desk, faults
from tests.factories import Play, play
from tests.rows import Row, rows, wanted

pytestmark = pytest.mark.django_db

MANUAL = PermissionMode.MANUAL
DONE = {"text": "Done."}


@pytest.fixture
def session(operator: User) -> Play:
    """A session that has done nothing yet, outside plan mode."""
    return play(operator, [DONE], plan=False)


@contextmanager
def heard() -> Iterator[list[Appended]]:
    """Give a list of all that is told while the block runs."""
    told: list[Appended] = []

    def hear(appended: Appended, **_: object) -> None:
        told.append(appended)

    events_appended.connect(hear, weak=False)
    try:
        yield told
    finally:
        events_appended.disconnect(hear)


def raw(step: list[str]) -> ev.Event:
    """Return the event of a vector's step; a revision's number is in its own test."""
    match step:
        case ["enter" | "enter_legacy", plan_id, *_]:
            return ev.PlanModeEntered(plan_id, MANUAL)
        case ["exit", plan_id]:
            return ev.PlanModeExited(plan_id, MANUAL, Outcome.APPROVED)
        case ["cancel", plan_id]:
            return ev.PlanModeCancelled(plan_id or "", MANUAL)
        case ["revision", plan_id, version]:
            return ev.PlanRevisionRecorded(plan_id, int(version), "key", "0" * 64, 1)
        case _:
            raise AssertionError(step)


def switches(told: list[Appended]) -> list[bool]:
    """Return each time that listeners heard of plan mode going on or off."""
    events = [logged.event for appended in told for logged in appended.events]
    kinds = (ev.PlanModeEntered, ev.PlanModeExited, ev.PlanModeCancelled)
    return [isinstance(event, ev.PlanModeEntered) for event in events if isinstance(event, kinds)]


@pytest.mark.parametrize("row", rows("state"))
def test_what_is_written_is_heard_once_and_reading_is_silent(row: Row, session: Play) -> None:
    """kimi:S6: one status event for each enter, exit and cancel; replay tells nobody."""
    with heard() as told:
        for step in row["do"]:
            with eventlog.writing(session.id) as log:
                log.add(raw(step))
    with heard() as replayed:
        state = fold(desk.log(session))
    assert state == session.state
    expected = wanted(row)["status_events"]
    assert (switches(replayed) if row.get("replay") else switches(told)) == expected
    assert replayed == []


def test_events_are_numbered_and_chained(session: Play) -> None:
    with eventlog.writing(session.id) as log:
        log.add(ev.MessagePosted("a"), ev.MessagePosted("b"))
    records = list(EventRecord.objects.filter(session_id=session.id).order_by("seq"))
    assert [record.seq for record in records] == [1, 2, 3, 4, 5]
    assert records[0].previous == "0" * 64
    for before, behind in pairwise(records):
        assert behind.previous == before.hash
    stored = Session.objects.get(pk=session.id)
    assert (stored.seq, stored.head) == (5, records[-1].hash)


def test_a_record_s_hash_covers_all_that_it_says(session: Play) -> None:
    record = EventRecord.objects.get(session_id=session.id, seq=1)
    content = bytes(record.canonical)
    value = json.loads(content)
    assert list(value) == ["at", "data", "name", "seq", "session", "v"]
    assert value["name"] == record.name == "session.started"
    assert value["session"] == str(session.id)
    assert value["at"] == record.at.isoformat(timespec="microseconds")
    text = f"planmode:event:1\n{'0' * 64}\n".encode() + content
    assert record.hash == hashlib.sha256(text).hexdigest()


def test_the_state_includes_what_was_just_added(session: Play) -> None:
    with eventlog.writing(session.id) as log:
        log.add(ev.PlanModeEntered("p", MANUAL))
        assert log.state.plan.active
        assert not session.state.plan.active, "written when the block ends"
    assert session.state.plan.active


def test_listeners_hear_numbers_moments_and_hashes(session: Play, operator: User) -> None:
    with heard() as told, eventlog.writing(session.id) as log:
        log.add(ev.MessagePosted("a"), ev.MessagePosted("b"))
    (appended,) = told
    assert (appended.session_id, appended.owner_id) == (session.id, operator.pk)
    assert [logged.seq for logged in appended.events] == [4, 5]
    assert list(appended.events) == eventlog.read(session.id, after=3)


def test_a_copied_past_has_a_chain_of_its_own_and_is_told_to_nobody(session: Play) -> None:
    source = Session.objects.get(pk=session.id)
    copy = Session(project=source.project, owner=source.owner, title="t", model="m")
    past = eventlog.read(source.pk, limit=2)
    with heard() as told, eventlog.copying(copy, past) as log:
        assert log.state == fold(logged.event for logged in past)
        log.add(ev.SessionForked(str(source.pk), 2, "p", by=source.owner_id))
    records = list(EventRecord.objects.filter(session=copy).order_by("seq"))
    assert [record.name for record in records[:2]] == ["session.started", "message.posted"]
    assert [record.at for record in records[:2]] == [logged.at for logged in past]
    assert {record.hash for record in records}.isdisjoint(logged.hash for logged in past)
    assert [record.previous for record in records[1:]] == [record.hash for record in records[:-1]]
    (appended,) = told
    assert [logged.seq for logged in appended.events] == [3]
    assert Session.objects.get(pk=copy.pk).fold == fold(e.event for e in eventlog.read(copy.pk))


def test_a_block_that_adds_nothing_writes_nothing(session: Play) -> None:
    before = Session.objects.get(pk=session.id).head
    with heard() as told, eventlog.writing(session.id):
        pass
    assert told == []
    assert Session.objects.get(pk=session.id).head == before


def test_a_block_that_fails_leaves_nothing(session: Play) -> None:
    before = desk.log(session)
    with pytest.raises(ZeroDivisionError):
        write_and_fail(session)
    assert desk.log(session) == before


def write_and_fail(session: Play) -> None:
    with eventlog.writing(session.id) as log:
        log.add(ev.MessagePosted("a"))
        raise ZeroDivisionError


def test_a_listener_that_fails_takes_the_events_with_it(session: Play) -> None:
    """A card and its event exist together, or not at all."""
    before = desk.log(session)
    with (
        pytest.raises(faults.Killed),
        faults.death_at(1),
        eventlog.writing(session.id) as log,
    ):
        log.add(ev.MessagePosted("a"))
    assert desk.log(session) == before
    assert session.state == desk.refolded(session)


def test_no_number_and_no_predecessor_is_used_twice(session: Play) -> None:
    record = EventRecord.objects.get(session_id=session.id, seq=2)
    record.pk, record.previous = None, "f" * 64
    with pytest.raises(IntegrityError), transaction.atomic():
        record.save(force_insert=True)
    record.seq, record.previous = 99, EventRecord.objects.get(seq=2).previous
    with pytest.raises(IntegrityError), transaction.atomic():
        record.save(force_insert=True)


def test_a_session_that_does_not_exist(db: None) -> None:
    with pytest.raises(SessionUnknownError), eventlog.writing(uuid7()):
        raise AssertionError("the block must not run")


def test_a_claim_is_asked_for_before_the_block_runs(session: Play) -> None:
    claim = Turn.objects.claim(session.turn.pk, worker="w", lease=timedelta(seconds=9))
    assert claim is not None
    with eventlog.writing(session.id, claim=claim) as log:
        log.add(ev.StepStarted(1))
    Turn.objects.filter(pk=claim.turn_id).update(fence=claim.fence + 1)
    with pytest.raises(ClaimLostError), eventlog.writing(session.id, claim=claim):
        raise AssertionError("the block must not run")


def test_reading_from_either_end(session: Play) -> None:
    with eventlog.writing(session.id) as log:
        log.add(*(ev.MessagePosted(str(number)) for number in range(4, 8)))
    assert [logged.seq for logged in eventlog.read(session.id)] == [1, 2, 3, 4, 5, 6, 7]
    assert [logged.seq for logged in eventlog.read(session.id, after=5)] == [6, 7]
    assert [logged.seq for logged in eventlog.read(session.id, after=1, limit=2)] == [2, 3]
    assert [logged.seq for logged in eventlog.newest(session.id, limit=2)] == [6, 7]
    assert [logged.seq for logged in eventlog.newest(session.id, before=3, limit=9)] == [1, 2]
    assert eventlog.at(session.id, 5) == ev.MessagePosted("5")


def test_the_newest_of_a_kind(session: Play) -> None:
    with eventlog.writing(session.id) as log:
        log.add(ev.MessagePosted("a"), ev.MessagePosted("b"), ev.TodoListWritten(()))
    assert eventlog.last(session.id, ev.MessagePosted).text == "b"
    assert eventlog.find_last(session.id, ev.QuestionAsked) is None
    with pytest.raises(EventUnknownError, match=r"lacks question\.asked"):
        eventlog.last(session.id, ev.QuestionAsked)


def test_an_event_of_a_later_release_is_not_guessed_at(session: Play) -> None:
    stored = Session.objects.get(pk=session.id)
    content = {"at": "", "data": {}, "name": "plan.teleported", "seq": 4, "session": "", "v": 1}
    EventRecord.objects.create(
        session=stored,
        seq=4,
        name="plan.teleported",
        at=stored.created_at,
        canonical=wire.canonical(content),
        previous=stored.head,
        hash="f" * 64,
    )
    with pytest.raises(EventUnknownError, match="upgrade before you go on"):
        eventlog.read(session.id)
