"""Random valid histories: the log alone tells the state."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from planmode import services
from planmode.access.models import Project
from planmode.core import events as ev
from planmode.core import wire
from planmode.core.errors import DomainError
from planmode.core.state import EMPTY, apply, fold
from planmode.models import EventRecord, Session
from planmode.signals import Appended, events_appended
from reviews.core.decisions import DecisionKind
from reviews.models import Approval, Card, DecisionRecord, Question, Review, TelemetryEvent
from tests import desk, faults
from tests.factories import Play, call, play

pytestmark = pytest.mark.django_db

Reply = dict[str, Any]

WRITES: Final = [call("Write", path="${plan_file}", content=f"# Plan {n}\n") for n in range(3)]
CALLS: Final = [
    *WRITES,
    call("Write", path="parser.py", content="value = 2\n"),
    call("Edit", path="parser.py", old_string="value", new_string="count"),
    call("Read", path="parser.py"),
    call("Bash", command="echo hi"),
    call("TodoList", items=[{"text": "Read", "status": "done"}]),
    call("AskUserQuestion", questions=[{"text": "Which?"}, {"text": "When?"}]),
    call("EnterPlanMode"),
    *[call("ExitPlanMode")] * 3,
    call("ExitPlanMode", options=[{"label": "Small"}, {"label": "Large"}]),
    call("ExitPlanMode", options=[]),
    call("Teleport"),
]
ENDLESS: Final[list[Reply]] = [
    {"tool_calls": [WRITES[0], call("ExitPlanMode")]},
    {"text": "Done.", "repeat": 50},
]

_reply = st.builds(
    lambda calls, fail: {
        "tool_calls": list(calls),
        **({"fail": {"kind": "error", "times": fail}} if fail else {}),
    },
    st.lists(st.sampled_from(CALLS), min_size=1, max_size=4),
    st.sampled_from([0, 0, 0, 0, 1, 5]),
)
_scripts = st.lists(_reply, min_size=1, max_size=5).map(lambda replies: [*replies, *ENDLESS])


# What can happen next


def work(session: Play, _: User) -> None:
    faults.retry_time_comes(session)
    session.work()


def worker_dies(session: Play, _: User) -> None:
    """Die in the third append from here: wherever that is."""
    faults.retry_time_comes(session)
    with faults.death_at(3), suppress(faults.Killed):
        session.work()
    faults.lease_runs_out(session)


def worker_dies_at_once(session: Play, _: User) -> None:
    faults.retry_time_comes(session)
    with faults.death_at(1), suppress(faults.Killed):
        session.work()
    faults.lease_runs_out(session)


def approve(session: Play, reviewer: User) -> None:
    desk.approve(session, reviewer, option=offered(session))


def approve_and_wait(session: Play, reviewer: User) -> None:
    desk.approve(session, reviewer, option=offered(session), start=False, feedback="later")


def offered(session: Play) -> str:
    options = session.review.options
    return str(options[0]["label"]) if options else ""


def revise(session: Play, reviewer: User) -> None:
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")


def reject(session: Play, reviewer: User) -> None:
    desk.decide(session, reviewer, DecisionKind.REJECT, reason="no")


def reject_and_exit(session: Play, reviewer: User) -> None:
    desk.decide(session, reviewer, DecisionKind.REJECT_AND_EXIT)


def dismiss(session: Play, reviewer: User) -> None:
    desk.decide(session, reviewer, DecisionKind.DISMISS)


def decide_on_other_bytes(session: Play, reviewer: User) -> None:
    desk.approve(session, reviewer, sha256="0" * 64)


def answer(session: Play, reviewer: User) -> None:
    desk.answer(session, reviewer, "this", "now")


def allow(session: Play, reviewer: User) -> None:
    desk.allow(session, reviewer)


def refuse(session: Play, reviewer: User) -> None:
    desk.allow(session, reviewer, yes=False, note="no")


def say(session: Play, reviewer: User) -> None:
    services.post_message(session.id, "and tests", author=reviewer)


def cancel(session: Play, _: User) -> None:
    services.cancel_turn(session.id)


def respond(session: Play, reviewer: User) -> None:
    """Answer what is open: how depends on the length of the log, so that all ways come up."""
    if session.state.plan.review:
        DECISIONS[session.state.turn.steps % len(DECISIONS)](session, reviewer)
    elif session.turn.state == "waiting":
        for act in (answer, (allow, refuse)[session.state.turn.steps % 2]):
            do(session, reviewer, act)


DECISIONS: Final = (approve, revise, reject, reject_and_exit, dismiss, approve_and_wait)
WORK: Final = (work, work, work, work, worker_dies, worker_dies_at_once)
ACTS: Final = (
    *DECISIONS, respond, respond, respond, respond, respond, respond, decide_on_other_bytes, answer,
    allow, refuse, say, say, cancel,
)  # fmt: skip
"""Whatever is done comes after some work, by a worker that may die."""


def do(session: Play, reviewer: User, act: Any) -> None:  # noqa: ANN401 - one of ACTS
    """Let it happen; where there is nothing to decide on, that is refused."""
    with suppress(DomainError, Review.DoesNotExist, Question.DoesNotExist, Approval.DoesNotExist):
        act(session, reviewer)


@contextmanager
def compared() -> Iterator[list[str]]:
    """Give a list of each append after which the stored state was not the fold of the log."""
    wrong: list[str] = []
    # By the chain's hash, which names all that came before: also after a transaction that was lost.
    folds = {wire.NO_HASH: EMPTY}

    def compare(appended: Appended, **_: object) -> None:
        stored = Session.objects.get(pk=appended.session_id)
        new = EventRecord.objects.filter(session=stored, seq__gte=appended.events[0].seq)
        for row in new.order_by("seq"):
            folds[row.hash] = apply(folds[row.previous], wire_event(row), seq=row.seq)
        if folds[stored.head] != stored.fold:
            wrong.append(f"after number {stored.seq}")

    events_appended.connect(compare, weak=False)
    try:
        yield wrong
    finally:
        events_appended.disconnect(compare)


def wire_event(row: EventRecord) -> ev.Event:
    value = wire.parsed(bytes(row.canonical))
    return wire.loaded(value["name"], value["v"], value["data"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    replies=_scripts,
    acts=st.lists(st.tuples(st.sampled_from(WORK), st.sampled_from(ACTS)), min_size=4, max_size=12),
    mode=st.sampled_from(["manual", "accept_edits", "auto", "yolo"]),
    plan=st.booleans(),
)
@example(
    replies=ENDLESS, acts=[(work, cancel), (work, say), (work, work)], mode="manual", plan=True
)
@example(replies=ENDLESS, acts=[(work, say), (work, reject), (work, work)], mode="yolo", plan=True)
def test_the_log_tells_the_state(  # noqa: PLR0913 - what a history is made of
    operator: User,
    reviewer: User,
    project: Project,
    *,
    replies: list[Reply],
    acts: list[tuple[Any, Any]],
    mode: str,
    plan: bool,
) -> None:
    """``fold(events)`` equals the stored state after each append, and all else that must hold.

    dsh:D-01.
    """
    Project.objects.filter(pk=project.pk).update(allow_auto=True)
    with compared() as wrong:
        # Copied: what YAML would write as an alias the script's reader refuses.
        session = play(operator, json.loads(json.dumps(replies)), permission_mode=mode, plan=plan)
        for act in chain.from_iterable(acts):
            do(session, reviewer, act)
    assert not wrong
    check_log(session)
    check_calls(session)
    check_desk(session)


def check_log(session: Play) -> None:
    """Numbers without gaps, a chain that holds, and the state that the whole log tells."""
    rows = list(EventRecord.objects.filter(session_id=session.id).order_by("seq"))
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    previous = wire.NO_HASH
    for row in rows:
        assert row.previous == previous
        assert row.hash == wire.link("event", previous, bytes(row.canonical))
        previous = row.hash
    stored = Session.objects.get(pk=session.id)
    assert (stored.head, stored.seq) == (previous, len(rows))
    assert fold(wire_event(row) for row in rows) == stored.fold


def check_calls(session: Play) -> None:
    """Each call has one result, unless it still waits for it or its turn ended before."""
    finished = Counter(result.call_id for result in desk.results(session))
    waiting = {pending.call.id for pending in session.state.turn.calls}
    open_calls: set[str] = set()
    for event in desk.log(session):
        match event:
            case ev.ModelReplied(calls=calls):
                open_calls |= {item.id for item in calls}
            case ev.ToolFinished(call_id=call_id):
                assert call_id in open_calls
                open_calls.discard(call_id)
            case ev.TurnEnded(state=ended):
                assert not open_calls or ended in {"cancelled", "failed"}
                open_calls.clear()
            case _:
                pass
    assert set(finished.values()) <= {1}
    assert open_calls == waiting


def check_desk(session: Play) -> None:
    """One decision for each resolved review, told once in log, telemetry and row."""
    resolved = desk.every(session, ev.PlanResolved)
    reviews = Review.objects.filter(session_id=session.id)
    decided = {str(review.pk): review.outcome for review in reviews.filter(status="resolved")}
    assert decided == {event.review: event.outcome for event in resolved}
    assert len(resolved) == len(decided)
    assert DecisionRecord.objects.filter(review__session_id=session.id).count() == len(decided)
    told = TelemetryEvent.objects.filter(session_id=session.id, name="plan_resolved")
    assert {str(row.review_id): row.outcome for row in told} == decided
    open_ids = {str(review.pk) for review in reviews.open()}
    assert open_ids == ({session.state.plan.review} - {None})
    if not session.state.turn.open:
        for kind in (Question, Approval, Review):
            assert not kind.objects.filter(session_id=session.id, status=Card.Status.OPEN).exists()
