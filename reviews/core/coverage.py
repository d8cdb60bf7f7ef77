"""What a new revision did about a comment."""

from enum import StrEnum

from reviews.core.anchors import Fate


class Coverage(StrEnum):
    """How far a comment was dealt with, as far as a program can tell."""

    CHANGED = "changed"  # the text that it is about is another, or gone
    REPLIED = "replied"  # the agent answered, and the text is as it was
    UNTOUCHED = "untouched"


def covered(fate: Fate, *, whole: bool, replied: bool, later: bool) -> Coverage | None:
    """Return what became of a comment; ``None`` while no ``later`` revision could do anything.

    A comment on the ``whole`` plan has no text of its own that could change.
    """
    if not later:
        return Coverage.REPLIED if replied else None
    if not whole and fate in {Fate.CHANGED, Fate.LOST}:
        return Coverage.CHANGED
    return Coverage.REPLIED if replied else Coverage.UNTOUCHED
