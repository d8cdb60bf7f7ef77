"""What a log tells on the timeline."""

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.outcomes import Closure, Outcome
from planmode.core.permission import PermissionMode
from planmode.signals import Logged
from reviews.timeline import CallLine, Item, Line, Progress, gist, pretty, timeline, users

START = datetime(2026, 1, 1, tzinfo=UTC)
WRITE = ToolCall("call-1", "Write", '{"path": "a.py"}')
EXIT = ToolCall("call-2", "ExitPlanMode")
REPLY = ev.ModelReplied("Here it is.", (WRITE, EXIT), "a-model")
SUBMITTED = ev.PlanSubmitted("r", "call-2", "rev", "a-plan", 1, "0" * 64, "Title")
REFUSED = ev.ToolFinished("call-1", "Write", "no", verdict=ev.Verdict.DENIED, is_error=True)


def logged(*events: ev.Event, first: int = 1) -> list[Logged]:
    return [
        Logged(seq, START + timedelta(seconds=seq), event, "")
        for seq, event in enumerate(events, start=first)
    ]


def told(*events: ev.Event, first: int = 1) -> tuple[Item, ...]:
    return timeline(logged(*events, first=first))


def call_of(item: Item) -> CallLine:
    assert item.call is not None
    return item.call


EACH: list[tuple[ev.Event, list[Line]]] = [
    (ev.SessionForked("s", 3, None, by=7), [Line.FORKED]),
    (ev.ConversationUndone(3, by=7), [Line.UNDONE]),
    (ev.ContextCompacted("So far."), [Line.COMPACTED]),
    (ev.PlanModeRequested(active=True, by=7), [Line.PLAN_CHOSEN]),
    (ev.PlanFileWritten("p", "0" * 64, 1, by=7), [Line.PLAN_EDITED]),
    (ev.PermissionModeRequested(PermissionMode.YOLO, by=7), [Line.MODE_CHOSEN]),
    (
        ev.PermissionModeChanged(PermissionMode.YOLO, PermissionMode.MANUAL, by=7),
        [Line.MODE_CHANGED],
    ),
    (ev.AutoBreakerOpened(3, 3), [Line.BREAKER]),
    (ev.ChildStarted("c", "call-1", "explore", "Look"), [Line.CALL]),
    (ev.ChildReported("c", "Done.", ev.TurnState.DONE), []),
    (ev.SessionStarted("p", "w", "m", "kimi", PermissionMode.MANUAL, 7), [Line.STARTED]),
    (ev.MessagePosted("Hello", author=7), [Line.MESSAGE]),
    (ev.TurnQueued(1), [Line.TURN]),
    (ev.StepStarted(1), []),
    (ev.ModelReplied("Hm.", (), "m"), [Line.REPLY]),
    (ev.ModelFailed("timeout", "late", 1000), [Line.FAILURE]),
    (ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.FULL, "t", "a"), [Line.REMINDER]),
    (ev.ToolStarted("c", "Read"), [Line.CALL]),
    (ev.ToolFinished("c", "Read", "text"), [Line.CALL]),
    (ev.ApprovalRequested("a", "c", "Bash", "Run x", "{}"), [Line.APPROVAL]),
    (ev.ApprovalResolved("a", allow=True, note="", by=7), [Line.APPROVAL_ANSWER]),
    (ev.QuestionAsked("q", "c", (ev.QuestionItem("Why?"),)), [Line.QUESTION]),
    (ev.QuestionAnswered("q", ("So",), 7), [Line.QUESTION_ANSWER]),
    (ev.PlanModeEntered("a", PermissionMode.MANUAL), [Line.ENTERED]),
    (ev.PlanModeExited("a", PermissionMode.MANUAL, "approved"), [Line.EXITED]),
    (ev.PlanModeCancelled("a", PermissionMode.MANUAL), [Line.CANCELLED]),
    (ev.PlanStepsListed(()), []),
    (ev.PlanRevisionRecorded("a", 1, "k", "0" * 64, 3), [Line.REVISION]),
    (SUBMITTED, [Line.SUBMISSION]),
    (ev.PlanResolved("r", Outcome.APPROVED, by=7), [Line.DECISION]),
    (ev.PlanReviewClosed("r", Closure.SUPERSEDED), [Line.CLOSED]),
    (ev.CommentReplied("c", "done"), []),
    (ev.TodoListWritten((ev.TodoItem("x", "done"),)), [Line.TODO]),
    (ev.TurnEnded(1, ev.TurnState.DONE), [Line.TURN_END]),
]


@pytest.mark.parametrize(
    ("event", "lines"), [pytest.param(*pair, id=type(pair[0]).__name__) for pair in EACH]
)
def test_each_event_tells_its_line(event: ev.Event, lines: list[Line]) -> None:
    assert [item.line for item in told(event)] == lines


def test_there_is_a_row_for_each_event() -> None:
    assert {type(event) for event, _ in EACH} == set(get_args(ev.Event))


def test_a_call_and_its_result_are_one_line() -> None:
    reply, write, exit_call = told(REPLY, ev.ToolStarted("call-1", "Write"), REFUSED)
    assert (reply.line, reply.key) == (Line.REPLY, "e1")
    assert call_of(write).call == WRITE
    assert call_of(write).gist == "a.py"
    assert call_of(write).result == REFUSED
    assert call_of(write).refused
    assert (write.seq, write.touched) == (1, 3)
    assert call_of(exit_call).progress is Progress.DUE
    assert len({reply.key, write.key, exit_call.key}) == 3


@pytest.mark.parametrize(
    "asks",
    [
        SUBMITTED,
        ev.ApprovalRequested("a", "call-2", "Bash", "Run x", "{}"),
        ev.QuestionAsked("q", "call-2", (ev.QuestionItem("Why?"),)),
    ],
    ids=lambda event: type(event).__name__,
)
def test_a_call_that_asks_a_person_waits(asks: ev.Event) -> None:
    *_, exit_call, card = told(REPLY, asks)
    assert call_of(exit_call).progress is Progress.WAITING
    assert exit_call.touched == card.seq == 2


def test_the_end_of_a_turn_ends_its_open_calls() -> None:
    due = ToolCall("call-3", "Read")
    reply = ev.ModelReplied("", (WRITE, EXIT, due), "a-model")
    write, exit_call, read, *_, end = told(
        reply, REFUSED, SUBMITTED, ev.TurnEnded(1, ev.TurnState.CANCELLED)
    )
    assert (call_of(write).progress, write.touched) == (Progress.ENDED, 2)
    assert call_of(exit_call).progress is Progress.CANCELLED
    assert call_of(read).progress is Progress.CANCELLED
    assert exit_call.touched == read.touched == end.seq == 4


def test_a_call_that_ran_when_its_turn_ended_was_interrupted() -> None:
    started = ev.ToolStarted("call-1", "Write")
    _, write, *_ = told(REPLY, started, ev.TurnEnded(1, ev.TurnState.CANCELLED))
    assert call_of(write).progress is Progress.INTERRUPTED


def test_a_result_without_its_call_stands_alone_under_a_key_of_its_own() -> None:
    (alone,) = told(REFUSED, first=40)
    assert alone.key == "e40"
    assert call_of(alone).gist == ""
    assert call_of(alone).refused


def test_an_id_that_a_provider_uses_again_is_another_call() -> None:
    again = ev.ModelReplied("", (WRITE,), "a-model")
    items = told(REPLY, REFUSED, again, ev.ToolFinished("call-1", "Write", "ok"))
    first, second = (item for item in items if item.call and item.call.call.id == "call-1")
    assert call_of(first).refused
    assert not call_of(second).refused
    assert second.touched == 4


def test_a_reply_of_nothing_is_shown_all_the_same() -> None:
    assert [item.line for item in told(ev.ModelReplied("", (), "m"))] == [Line.REPLY]


def test_those_who_act_are_named() -> None:
    assert users(told(ev.MessagePosted("x", author=7), REPLY)) == {7}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param('{"command": "ls\\n -l"}', "ls -l", id="one line"),
        pytest.param('{"path": "src", "pattern": "def"}', "def", id="the pattern before the path"),
        pytest.param('{"path": "' + "d/" * 40 + 'plan.md"}', "…/plan.md", id="a path's end"),
        pytest.param('{"command": "' + "x" * 100 + '"}', "x" * 79 + "…", id="cut"),
        pytest.param('{"items": []}', "", id="nothing telling"),
        pytest.param("[1]", "", id="no object"),
        pytest.param("{not json", "", id="no JSON"),
        pytest.param("[" * 100_000, "", id="nested without end"),
    ],
)
def test_the_most_telling_argument(args: str, expected: str) -> None:
    assert gist(args) == expected


def test_arguments_are_laid_out_when_they_are_json() -> None:
    assert pretty('{"a":"ü"}') == '{\n  "a": "ü"\n}'
    assert pretty("{not json") == "{not json"


def test_long_arguments_are_not_laid_out() -> None:
    """Their indents would be longer than they are, by far."""
    deep = "[" * 900 + "1," * 2000 + "1" + "]" * 900
    assert pretty(deep) == deep


def test_what_the_agent_writes_is_told_by_its_call_and_a_person_s_edit_by_itself() -> None:
    assert told(ev.PlanFileWritten("a", "0" * 64, 3)) == ()
    (item,) = told(ev.PlanFileWritten("a", "0" * 64, 3, by=7))
    assert item.by == 7


SAID = ev.MessagePosted("Hello", author=7)


def test_a_message_that_began_a_turn_can_be_undone() -> None:
    first, _, later = told(SAID, ev.TurnQueued(1), SAID)
    assert (first.begins, first.touched) == (True, 2)
    assert not later.begins


def test_what_nobody_said_can_not_be_undone() -> None:
    pushed = ev.MessagePosted("Go on", origin=ev.Origin.INJECTION)
    assert not told(pushed, ev.TurnQueued(1))[0].begins
    started = ev.SessionStarted("p", "w", "m", "kimi", PermissionMode.MANUAL, 7)
    assert not told(started, ev.TurnQueued(1))[0].begins
    assert not told(ev.TurnQueued(1))[0].begins


def test_what_was_undone_is_taken_back_and_its_lines_changed() -> None:
    log = logged(SAID, ev.TurnQueued(1), ev.ConversationUndone(1, by=7), SAID, ev.TurnQueued(2))
    first, turn, undone, second, _ = timeline(log, log[2:3])
    assert (first.taken_back, first.begins, first.touched) == (True, False, 3)
    assert turn.taken_back
    assert (undone.taken_back, second.taken_back, second.begins) == (False, False, True)


def test_no_message_before_a_compaction_can_be_undone() -> None:
    log = logged(SAID, ev.TurnQueued(1), ev.ContextCompacted("So far."), SAID, ev.TurnQueued(2))
    first, _, _, second, _ = timeline(log, log[2:3])
    assert (first.begins, first.taken_back, second.begins) == (False, False, True)


def test_the_call_of_an_agent_names_its_session() -> None:
    asks = ToolCall("call-1", "Agent", '{"task": "Look"}')
    child = ev.ChildStarted("c", "call-1", "explore", "Look")
    call, *_ = told(ev.ModelReplied("", (asks,), "m"), ev.ToolStarted("call-1", "Agent"), child)
    assert call_of(call).child == "c"
    assert call_of(call).progress is Progress.WAITING
    ended = ev.ToolFinished("call-1", "Agent", "It said so.")
    call, *_ = told(ev.ModelReplied("", (asks,), "m"), child, ended)
    assert (call_of(call).child, call_of(call).result) == ("c", ended)
