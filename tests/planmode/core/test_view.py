"""The conversation, in an order that providers take."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.view import AssistantMessage, Message, ToolMessage, UserMessage, transcript

ONE, TWO = ToolCall("c1", "Read"), ToolCall("c2", "Write")
STEP = ev.StepStarted(1)


def texts(*events: ev.Event) -> list[str]:
    """Return the conversation in short: who, and what."""
    return [short(message) for message in transcript(events, cut_text="cut")]


def short(message: Message) -> str:
    match message:
        case UserMessage(text=text):
            return f"user: {text}"
        case AssistantMessage(text=text):
            return f"agent: {text}"
        case ToolMessage(call_id=call_id, text=text):
            return f"{call_id}: {text}"


def said(text: str, *calls: ToolCall) -> ev.ModelReplied:
    return ev.ModelReplied(text, calls, "m")


def test_who_speaks_and_where_it_stands_in_the_log() -> None:
    events: list[ev.Event] = [
        ev.MessagePosted("go", origin=ev.Origin.CRON_JOB),
        ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.FULL, "plan!", "p"),
        STEP,
        said("look", ONE),
        ev.ToolStarted("c1", "Read"),
        ev.ToolFinished("c1", "Read", "no", is_error=True),
    ]
    assert transcript(events, cut_text="cut") == (
        UserMessage("go", ev.Origin.CRON_JOB, 1),
        UserMessage("plan!", ev.Origin.INJECTION, 2, variant=ev.Variant.PLAN_MODE),
        AssistantMessage("look", (ONE,), 4),
        ToolMessage("c1", "Read", "no", is_error=True, seq=6),
    )


def test_a_message_that_comes_during_the_model_call_stands_behind_the_reply() -> None:
    assert texts(STEP, ev.MessagePosted("wait"), said("ok")) == ["agent: ok", "user: wait"]


def test_nothing_stands_between_a_call_and_its_results() -> None:
    """kimi:2.4.10."""
    assert texts(
        STEP,
        ev.MessagePosted("a"),
        said("look", ONE, TWO),
        ev.ToolFinished("c1", "Read", "1"),
        ev.MessagePosted("b"),
        ev.ToolFinished("c2", "Write", "2"),
    ) == ["agent: look", "c1: 1", "c2: 2", "user: a", "user: b"]


def test_a_failed_call_has_seen_what_came_with_it() -> None:
    assert texts(STEP, ev.MessagePosted("a"), ev.ModelFailed("error", "", 1), STEP) == ["user: a"]


def test_a_step_that_a_dead_worker_began_holds_nothing_back_from_its_successor() -> None:
    """Counted as seen by the second ``step.started``, so it must be shown to its model call."""
    assert texts(STEP, ev.MessagePosted("a"), STEP) == ["user: a"]
    assert texts(STEP, ev.MessagePosted("a"), STEP, ev.MessagePosted("b")) == ["user: a"]


def test_a_cancelled_turn_leaves_no_call_without_a_result() -> None:
    cancelled = ev.TurnEnded(1, ev.TurnState.CANCELLED)
    assert texts(STEP, said("look", ONE, TWO), ev.ToolFinished("c1", "Read", "1"), cancelled) == [
        "agent: look",
        "c1: 1",
        "c2: cut",
    ]
    assert texts(STEP, ev.MessagePosted("a"), cancelled) == ["user: a"]


def test_what_is_no_speech_is_left_out() -> None:
    assert texts(ev.TurnQueued(1), ev.TodoListWritten(())) == []


def posted(text: str) -> ev.MessagePosted:
    return ev.MessagePosted(text)


def test_what_was_taken_back_is_not_said_any_more() -> None:
    """kimi:H4."""
    assert texts(
        posted("a"),
        STEP,
        said("one"),
        posted("b"),
        STEP,
        said("two", ONE),
        posted("c"),
        ev.ConversationUndone(4, by=1),
        posted("d"),
    ) == ["user: a", "agent: one", "user: d"]


def test_what_was_held_back_when_a_turn_was_taken_back_comes_no_more() -> None:
    during: list[ev.Event] = [
        posted("a"),
        STEP,
        posted("b"),
        ev.ConversationUndone(1, by=1),
        posted("c"),
    ]
    assert texts(*during) == ["user: c"]


def test_a_summary_stands_for_all_that_was_said_before_it() -> None:
    """kimi:2.7, kimi:2.3; the summary is ours, so no person said it."""
    log: list[ev.Event] = [
        posted("a"),
        STEP,
        said("one"),
        ev.ContextCompacted("so far"),
        posted("b"),
    ]
    assert texts(*log) == ["user: so far", "user: b"]
    summary = transcript(log, cut_text="cut")[0]
    assert summary == UserMessage("so far", ev.Origin.INJECTION, 4)


def test_a_fork_leaves_no_call_of_its_source_without_a_result() -> None:
    """kimi:H3."""
    fork = ev.SessionForked("s", 3, None, by=1)
    assert texts(posted("a"), STEP, said("look", ONE), fork, posted("b")) == [
        "user: a",
        "agent: look",
        "c1: cut",
        "user: b",
    ]


def reminded(variant: ev.Variant, text: str) -> ev.ReminderInjected:
    return ev.ReminderInjected(variant, ev.ReminderKind.FULL, text, "p")


def test_of_a_variant_that_replaces_itself_the_last_text_alone_is_kept() -> None:
    """pi:P-23, pi:P-27: by type, so what a person quotes stays."""
    log: list[ev.Event] = [
        reminded(ev.Variant.PLAN_MODE, "old"),
        posted("old"),
        reminded(ev.Variant.TURN_END, "end"),
        reminded(ev.Variant.PLAN_MODE, "newer"),
        reminded(ev.Variant.TURN_END, "end again"),
        reminded(ev.Variant.PLAN_MODE, "newest"),
    ]
    kept = transcript(log, cut_text="cut", only_newest=[ev.Variant.PLAN_MODE])
    assert [message.text for message in kept if isinstance(message, UserMessage)] == [
        "old",
        "end",
        "end again",
        "newest",
    ]
    assert len(transcript(log, cut_text="cut")) == len(log)


def test_files_come_with_the_message_that_brought_them() -> None:
    """dsh:D-21."""
    image = ev.Attachment("a.png", "image/png", "0" * 64, 3)
    (message,) = transcript([ev.MessagePosted("look", attachments=(image,))], cut_text="cut")
    assert isinstance(message, UserMessage)
    assert message.attachments == (image,)


EVENTS = st.sampled_from(
    [
        ev.MessagePosted("said"),
        ev.ReminderInjected(ev.Variant.PLAN_MODE, ev.ReminderKind.SPARSE, "text", "p"),
        STEP,
        ev.ModelFailed("error", "", 1),
        ev.TurnEnded(1, ev.TurnState.FAILED),
    ]
)


@st.composite
def steps(draw: st.DrawFn) -> list[ev.Event]:
    """A log of whole steps with messages anywhere; the last turn is over."""
    log: list[ev.Event] = []
    for number in range(draw(st.integers(1, 4))):
        calls = tuple(ToolCall(f"c{number}-{n}", "Read") for n in range(draw(st.integers(0, 3))))
        answered = calls[: draw(st.integers(0, len(calls)))]
        parts: list[ev.Event] = [STEP, said("text", *calls)]
        parts += [ev.ToolFinished(call.id, "Read", "ok") for call in answered]
        if len(answered) < len(calls):
            parts.append(ev.TurnEnded(1, ev.TurnState.CANCELLED))
        for part in parts:
            log += [ev.MessagePosted("m") for _ in range(draw(st.integers(0, 2)))]
            log.append(part)
    return [*log, ev.TurnEnded(1, ev.TurnState.DONE)]


@given(steps())
def test_each_call_is_followed_by_its_results_and_no_message_is_lost(log: list[ev.Event]) -> None:
    messages = transcript(log, cut_text="cut")
    assert messages == transcript(log, cut_text="cut")
    posted = sum(isinstance(event, ev.MessagePosted) for event in log)
    assert sum(isinstance(message, UserMessage) for message in messages) == posted
    called = [c.id for m in messages if isinstance(m, AssistantMessage) for c in m.calls]
    assert [m.call_id for m in messages if isinstance(m, ToolMessage)] == called
    for before, behind in pairwise(messages):
        if isinstance(behind, ToolMessage):
            assert not isinstance(before, UserMessage)


@given(st.lists(EVENTS))
def test_any_log_compiles_to_the_same_messages_twice(log: list[ev.Event]) -> None:
    assert transcript(log, cut_text="cut") == transcript(tuple(log), cut_text="cut")
