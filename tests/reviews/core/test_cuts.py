"""What undo took back, and how far back it can go."""

from planmode.core import events as ev
from reviews.core.cuts import Cuts

COMPACTED = ev.ContextCompacted("So far.")
FORKED = ev.SessionForked("s", 5, None, by=1)


def undone(to: int) -> ev.ConversationUndone:
    return ev.ConversationUndone(to, by=1)


def test_without_a_cut_nothing_is_taken_back() -> None:
    cuts = Cuts([])
    assert cuts.floor == 0
    assert cuts.undone_by(1) == 0


def test_an_undo_takes_back_its_message_and_all_that_followed() -> None:
    cuts = Cuts([(9, undone(4))])
    assert [cuts.undone_by(seq) for seq in (3, 4, 8, 9, 10)] == [0, 9, 9, 0, 0]
    assert cuts.floor == 0


def test_no_undo_reaches_behind_a_compaction_or_a_fork() -> None:
    assert Cuts([(5, FORKED), (8, COMPACTED)]).floor == 8


def test_a_compaction_that_was_taken_back_is_no_floor() -> None:
    assert Cuts([(2, FORKED), (8, COMPACTED), (12, undone(6))]).floor == 2
