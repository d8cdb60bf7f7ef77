"""What of a log still counts after undo, compaction and fork."""

from typing import Final

from planmode.core import events as ev
from planmode.core.history import beginnings, living, plan_file

FIRST: Final[tuple[ev.Event, ...]] = (ev.MessagePosted("Tidy", author=1), ev.TurnQueued(1))
SECOND: Final[tuple[ev.Event, ...]] = (ev.MessagePosted("More", author=1), ev.TurnQueued(2))


def written(digit: str, plan_id: str = "p") -> ev.PlanFileWritten:
    return ev.PlanFileWritten(plan_id, digit * 64, 3)


def test_a_message_that_began_a_turn_can_be_undone() -> None:
    """kimi:H4: messages that a turn took in, and those that we put in, are no such places."""
    taken_in = ev.MessagePosted("and tests", author=1)
    ours = ev.MessagePosted("go on", origin=ev.Origin.INJECTION)
    log: list[ev.Event] = [*FIRST, taken_in, ev.StepStarted(1), *SECOND, ours, ev.TurnQueued(3)]
    assert beginnings(log) == [1, 5]


def test_a_prompt_of_the_clock_can_be_undone() -> None:
    assert beginnings([ev.MessagePosted("tick", origin=ev.Origin.CRON_JOB), ev.TurnQueued(1)]) == [
        1
    ]


def test_a_turn_that_begins_again_is_no_place_to_go_back_to() -> None:
    assert beginnings([ev.TurnQueued(1), *FIRST]) == [2]


def test_what_was_undone_can_t_be_undone_again() -> None:
    log: list[ev.Event] = [*FIRST, *SECOND, ev.ConversationUndone(3, by=1), *SECOND]
    assert beginnings(log) == [1, 6]
    assert [seq for seq, _ in living(log)] == [1, 2, 5, 6, 7]


def test_an_undo_of_an_undo_takes_both_back() -> None:
    log: list[ev.Event] = [
        *FIRST,
        *SECOND,
        ev.ConversationUndone(3, by=1),
        ev.ConversationUndone(1, by=1),
    ]
    assert [seq for seq, _ in living(log)] == [6]


def test_nothing_before_a_compaction_comes_back() -> None:
    """kimi:H4."""
    assert beginnings([*FIRST, ev.ContextCompacted("so far"), *SECOND]) == [4]


def test_nothing_before_a_fork_comes_back() -> None:
    assert beginnings([*FIRST, ev.SessionForked("s", 2, None, by=1), *SECOND]) == [4]


def test_the_plan_s_newest_bytes_are_those_that_no_undo_took_back() -> None:
    log: list[ev.Event] = [
        written("a"),
        written("b", "q"),
        *FIRST,
        written("c"),
        ev.ConversationUndone(3, by=1),
    ]
    assert plan_file(log, "p") == written("a")
    assert plan_file(log[:5], "p") == written("c")
    assert plan_file(log, "none") is None
