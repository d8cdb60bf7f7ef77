"""Again, back to an earlier message, and on as another session."""

from collections.abc import Callable
from typing import Any, Final

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import User

from planmode import queries, services
from planmode.core import events as ev
from planmode.core.errors import (
    ForkRefusedError,
    RetryRefusedError,
    TurnOpenError,
    UndoRefusedError,
)
from planmode.models import Blob, Revision, Session, Turn
from planmode.store import eventlog, planfiles
from reviews.core.decisions import DecisionKind
from reviews.models import AuditFact, FeedEntry, Question, Review, TelemetryEvent
from tests import desk
from tests.factories import Play, call, play, submits

pytestmark = pytest.mark.django_db

ASKS: Final = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]}


def done(times: int = 20) -> dict[str, Any]:
    """Return a reply without calls; a planning turn takes two, since it is reminded once."""
    return {"text": "Done.", "repeat": times}


def other_model(*replies: dict[str, Any]) -> str:
    """Return a model that answers again."""
    script = settings.SCRIPTS_DIR / "other.yaml"
    script.write_text(yaml.safe_dump({"replies": list(replies)}), encoding="utf-8")
    return f"scripted:{script.name}"


def writes(content: str) -> dict[str, Any]:
    return {"tool_calls": [call("Write", path="${plan_file}", content=content)]}


def say(session: Play, by: User, text: str = "go on") -> int:
    """Say something; return the number of the message."""
    services.post_message(session.id, text, author=by)
    seqs = [item.seq for item in eventlog.read(session.id)]
    return seqs[-2]


def working(session: Play) -> bytes | None:
    plan_id = session.state.plan.plan_id
    assert plan_id is not None
    return queries.working_plan(session.id, plan_id)


# Retry


def test_a_failed_turn_is_tried_again_without_a_word(operator: User) -> None:
    session = play(operator, [done(1)], plan=False).work()
    say(session, operator)
    assert (session.work().turn.state, session.turn.reason) == ("failed", "script_exhausted")
    Session.objects.filter(pk=session.id).update(model=other_model(done()))
    services.retry_turn(session.id, by=operator)
    session.work()
    assert (session.turn.number, session.turn.state) == (3, "done")
    assert len(desk.every(session, ev.MessagePosted)) == 2


def test_a_cancelled_turn_is_tried_again(operator: User) -> None:
    session = play(operator, [done()], plan=False)
    services.cancel_turn(session.id)
    services.retry_turn(session.id, by=operator)
    assert session.work().turn.state == "done"


def test_an_agent_that_had_the_last_word_is_told_to_go_on(operator: User) -> None:
    """Every provider wants to be asked something."""
    session = play(operator, [done()]).work()
    assert (session.turn.state, session.turn.reason) == ("stopped", "unsubmitted")
    services.retry_turn(session.id, by=operator)
    told = desk.every(session, ev.MessagePosted)[-1]
    assert told.origin is ev.Origin.INJECTION
    assert "go on" in told.text
    assert session.turn.state == "queued"


def test_a_turn_whose_row_alone_says_that_it_failed_is_tried_again(operator: User) -> None:
    session = play(operator, [done()], plan=False)
    Turn.objects.filter(pk=session.turn.pk).update(state="failed", reason="worker_lost")
    services.retry_turn(session.id, by=operator)
    (ended,) = desk.every(session, ev.TurnEnded)
    assert (ended.state, ended.reason) == ("failed", "worker_lost")
    assert session.work().turn.state == "done"


def test_a_turn_at_work_is_not_tried_again(operator: User) -> None:
    session = play(operator, [done()], plan=False)
    with pytest.raises(TurnOpenError):
        services.retry_turn(session.id, by=operator)


def rejected(session: Play, reviewer: User) -> None:
    session.work()
    desk.decide(session, reviewer, DecisionKind.REJECT, reason="no")
    session.work()


def test_a_turn_that_a_person_or_the_agent_ended_is_not_tried_again(
    operator: User, reviewer: User
) -> None:
    finished = play(operator, [done()], plan=False).work()
    stopped = play(operator, [submits()])
    rejected(stopped, reviewer)
    for session in (finished, stopped):
        with pytest.raises(RetryRefusedError):
            services.retry_turn(session.id, by=operator)


def test_a_turn_that_was_taken_back_is_not_tried_again(operator: User) -> None:
    session = play(operator, [done()], plan=False)
    services.cancel_turn(session.id)
    services.undo(session.id, 2, by=operator)
    with pytest.raises(RetryRefusedError, match="taken back"):
        services.retry_turn(session.id, by=operator)


# Undo


def test_undo_goes_back_to_before_the_message(operator: User) -> None:
    """kimi:H4 vector:RM-35: state and conversation are those of that moment."""
    session = play(operator, [done()], plan=False).work()
    before = session.state
    seq = say(session, operator)
    session.work()
    services.undo(session.id, seq, by=operator)
    assert session.state.plan == before.plan
    assert session.state.told == before.told
    assert desk.refolded(session) == session.state
    assert desk.every(session, ev.ConversationUndone) == [
        ev.ConversationUndone(seq, by=operator.pk)
    ]
    say(session, operator, "another way")
    assert session.work().turn.state == "done"


def test_undone_planning_leaves_no_stray_text(operator: User) -> None:
    """kimi:H5 vector:RM-36: neither the entry nor its reminder is in the conversation any more."""
    enters = {"tool_calls": [call("EnterPlanMode")]}
    session = play(operator, [{"text": "Hello."}, enters, done()], plan=False).work()
    seq = say(session, operator)
    session.work()
    assert session.state.plan.active
    services.undo(session.id, seq, by=operator)
    assert not queries.session(session.id).state.plan.active
    count = len(desk.every(session, ev.ReminderInjected))
    say(session, operator)
    session.work()
    assert len(desk.every(session, ev.ReminderInjected)) == count


def test_a_version_number_is_never_used_twice(operator: User, reviewer: User) -> None:
    """kimi:R6 vector:RN-12: nor are the bytes of one written over."""
    session = play(operator, [submits("# A\n"), submits("# B\n"), done()], plan=True).work()
    services.cancel_turn(session.id)
    seq = desk.log(session).index(desk.every(session, ev.MessagePosted)[0]) + 1
    services.undo(session.id, seq, by=operator)
    say(session, operator)
    session.work()
    rows = Revision.objects.filter(session_id=session.id).order_by("version")
    assert [(row.version, queries.revision_bytes(row.pk)) for row in rows] == [
        (1, b"# A\n"),
        (2, b"# B\n"),
    ]


def test_the_plan_file_goes_back_with_the_conversation(operator: User) -> None:
    session = play(operator, [writes("# A\n"), done(2), writes("# B\n"), done()]).work()
    seq = say(session, operator)
    session.work()
    assert working(session) == b"# B\n"
    services.undo(session.id, seq, by=operator)
    assert working(session) == b"# A\n"
    services.undo(session.id, 3, by=operator)
    assert working(session) == b"", "it was not written yet: it is emptied, not forgotten"
    say(session, operator)
    session.work()


def test_a_text_that_was_not_kept_is_not_made_up(operator: User) -> None:
    session = play(operator, [writes("# A\n"), done(2), writes("# B\n"), done()]).work()
    seq = say(session, operator)
    session.work()
    Blob.objects.all().delete()
    services.edit_plan(session.id, b"# C\n", base_sha256=sha_of(session), by=operator)
    length = len(desk.log(session))
    with pytest.raises(UndoRefusedError, match="not kept"):
        services.undo(session.id, seq, by=operator)
    with pytest.raises(ForkRefusedError, match="not kept"):
        services.fork(session.id, by=operator, at=seq - 1)
    assert len(desk.log(session)) == length
    assert working(session) == b"# C\n"
    assert Session.objects.count() == 1


def sha_of(session: Play) -> str:
    written = desk.every(session, ev.PlanFileWritten)[-1]
    return written.sha256


def test_an_agent_at_work_is_interrupted_first(operator: User) -> None:
    session = play(operator, [submits()]).work()
    act: Callable[[], object]
    for act in (
        lambda: services.undo(session.id, 3, by=operator),
        lambda: services.compact(session.id, "So far."),
    ):
        with pytest.raises(TurnOpenError, match="interrupt"):
            act()


@pytest.mark.parametrize("seq", [0, 1, 2, 4, 999])
def test_only_a_message_that_began_a_turn_is_taken_back(operator: User, seq: int) -> None:
    session = play(operator, [done()]).work()
    with pytest.raises(UndoRefusedError):
        services.undo(session.id, seq, by=operator)


def test_nothing_before_a_compaction_is_taken_back(operator: User) -> None:
    """kimi:H4."""
    session = play(operator, [done()], plan=False).work()
    services.compact(session.id, "They said hello.")
    with pytest.raises(UndoRefusedError):
        services.undo(session.id, 2, by=operator)
    assert desk.every(session, ev.ContextCompacted) == [ev.ContextCompacted("They said hello.")]


# Fork


def forked(session: Play, by: User, at: int | None = None) -> Play:
    return Play(services.fork(session.id, by=by, at=at))


def test_a_fork_goes_on_from_what_was_said(operator: User) -> None:
    """kimi:H3: the log's beginning, the same workspace, and nothing due."""
    session = play(operator, [done()], plan=False).work()
    copy = forked(session, operator)
    rows = [Session.objects.get(pk=pk) for pk in (session.id, copy.id)]
    assert len({(row.workspace, row.model, row.title, row.owner_id) for row in rows}) == 1
    assert desk.log(copy) == [
        *desk.log(session),
        ev.SessionForked(str(session.id), len(desk.log(session)), None, by=operator.pk),
    ]
    assert not Turn.objects.filter(session_id=copy.id).exists()
    say(copy, operator)
    assert copy.work().turn.state == "done"
    assert desk.refolded(copy) == copy.state


def test_a_fork_has_a_plan_of_its_own(operator: User) -> None:
    """complaints:K-17 complaints:K-13 claude:C-12: neither writes into the other's file."""
    session = play(operator, [writes("# A\n"), done(2), writes("# B\n"), done()]).work()
    copy = forked(session, operator)
    ids = (session.state.plan.plan_id, copy.state.plan.plan_id)
    assert ids[0] != ids[1]
    assert working(copy) == b"# A\n"
    say(copy, operator)
    copy.work()
    assert desk.plan_path(copy) != desk.plan_path(session)
    assert working(copy) == b"# B\n"
    assert working(session) == b"# A\n"


def test_a_fork_at_an_earlier_place_has_the_plan_of_that_moment(operator: User) -> None:
    session = play(operator, [writes("# A\n"), done(2), writes("# B\n"), done()]).work()
    seq = say(session, operator)
    session.work()
    assert working(session) == b"# B\n"
    copy = forked(session, operator, at=seq - 1)
    assert working(copy) == b"# A\n"
    nothing = forked(session, operator, at=2)
    assert planfiles.kept(nothing.id, nothing.state.plan.plan_id or "") is None


def test_what_happened_elsewhere_makes_no_cards_or_figures(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), ASKS, done()]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    session.work()
    kinds = (Review, Question, TelemetryEvent, AuditFact, FeedEntry, Revision)
    before = [kind.objects.count() for kind in kinds]
    copy = forked(session, operator)
    assert [kind.objects.count() for kind in kinds] == before
    assert copy.state.plan.review is None


def test_what_waits_for_a_person_is_cut(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), submits("# Other\n")]).work()
    copy = forked(session, operator)
    assert not copy.state.turn.open
    assert copy.state.turn.calls == ()
    say(copy, operator)
    copy.work()
    assert copy.turn.state == "waiting"
    assert copy.review.pk != session.review.pk
    desk.approve(copy, reviewer)
    assert session.review.status == "open", "an approval of one is none of the other"


def test_a_session_at_work_is_not_forked(operator: User) -> None:
    """kimi:H3."""
    session = play(operator, [done()])
    with pytest.raises(TurnOpenError):
        services.fork(session.id, by=operator)


@pytest.mark.parametrize("at", [0, -1, 10_000])
def test_a_fork_needs_a_place_in_the_log(operator: User, at: int) -> None:
    session = play(operator, [done()], plan=False).work()
    with pytest.raises(ForkRefusedError, match="1 to"):
        services.fork(session.id, by=operator, at=at)


def test_what_another_session_said_is_not_taken_back_here(operator: User) -> None:
    session = play(operator, [done()], plan=False).work()
    copy = forked(session, operator)
    with pytest.raises(UndoRefusedError):
        services.undo(copy.id, 2, by=operator)


def test_an_approved_plan_goes_along(operator: User, reviewer: User) -> None:
    session = play(operator, [submits()]).work()
    desk.approve(session, reviewer)
    assert session.work().turn.state == "failed"
    copy = forked(session, operator)
    assert copy.state.plan.approved_revision == str(session.review.revision_id)
