"""What of a session's log still counts, and where undo can go back to."""

from collections.abc import Sequence
from typing import TypeAlias

from planmode.core import events as ev

Numbered: TypeAlias = tuple[int, ev.Event]
"""An event with its number in the log."""


def living(events: Sequence[ev.Event]) -> list[Numbered]:
    """Return what no undo took back of ``events``, which are a log from its first event on."""
    kept: list[Numbered] = []
    for seq, event in enumerate(events, start=1):
        if isinstance(event, ev.ConversationUndone):
            kept = [item for item in kept if item[0] < event.to]
        kept.append((seq, event))
    return kept


def beginnings(events: Sequence[ev.Event]) -> list[int]:
    """Return the numbers of the messages that can be undone, oldest first.

    Such a message began a turn. What stands before a compaction is not in the conversation any
    more, and what stands before a fork belongs to another session: neither comes back.
    """
    found: list[int] = []
    before: Numbered | None = None
    for seq, event in living(events):
        match event:
            case ev.ContextCompacted() | ev.SessionForked():
                found = []
            case ev.TurnQueued() if before is not None and _is_said(before[1]):
                found.append(before[0])
            case _:
                pass
        before = (seq, event)
    return found


def plan_file(events: Sequence[ev.Event], plan_id: str) -> ev.PlanFileWritten | None:
    """Return what was last written into the plan's file, ``None`` when nothing was."""
    written = (
        event
        for _, event in reversed(living(events))
        if isinstance(event, ev.PlanFileWritten) and event.plan_id == plan_id
    )
    return next(written, None)


def _is_said(event: ev.Event) -> bool:
    return isinstance(event, ev.MessagePosted) and event.origin.counts
