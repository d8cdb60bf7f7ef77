"""Where a conversation was cut, and what undo took back."""

from collections.abc import Iterable

from planmode.core import events as ev


class Cuts:
    """What undo took back, and how far back it can go."""

    def __init__(self, points: Iterable[tuple[int, ev.Event]]) -> None:
        """Sort ``points``, the log's undos, compactions and forks with their numbers."""
        known = tuple(points)
        self._undone = [
            (event.to, seq) for seq, event in known if isinstance(event, ev.ConversationUndone)
        ]
        others = [seq for seq, event in known if not isinstance(event, ev.ConversationUndone)]
        self.floor = max((seq for seq in others if not self.undone_by(seq)), default=0)
        """No message before this number can be undone."""

    def undone_by(self, seq: int) -> int:
        """Return the number of the undo that took event ``seq`` back, 0 when none did."""
        return next((by for to, by in self._undone if to <= seq < by), 0)
