"""With which revision a page compares, and what it shows."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

from reviews.changes import Change, Comparison, changes, compared, known
from reviews.core.blocks import Block
from reviews.core.diff import excerpt
from reviews.core.errors import ReviewUnknownError
from reviews.core.pairing import Effort
from reviews.core.split import SplitHunk, split
from reviews.dashboards import SessionReviews
from reviews.models import Review
from reviews.pages.frame import DeskRequest

LINES_SHOWN: Final = 2000
"""So many lines of the source, and of the changes, are one page."""


class Why(StrEnum):
    """Why a revision is the one that is compared with."""

    ASKED = "asked"
    SEEN = "seen"
    PREVIOUS = "previous"


@dataclass(frozen=True, slots=True)
class Base:
    """The revision that is compared with."""

    review: Review
    why: Why


@dataclass(frozen=True, slots=True)
class Difference:
    """What a page shows of a difference: ``drawn`` or ``hunks``, ``None`` if there is neither.

    They are a part of ``line_count`` lines, ``next_line`` begins the next one. ``rest`` unchanged
    lines behind the last hunk are not shown. ``plain``: drawing was asked for and is too much.
    """

    comparison: Comparison
    drawn: tuple[Change, ...] | None = None
    hunks: tuple[SplitHunk, ...] = ()
    rest: int = 0
    line_count: int = 0
    next_line: int | None = None
    plain: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything of what is drawn changed."""
        return any(not change.kept for change in self.drawn or ())


def base_of(request: DeskRequest, review: Review, others: SessionReviews) -> Base | None:
    """Return what to compare ``review`` with; ``others`` are all reviews of its session.

    What ``from`` names; else the newest revision of the plan before this one that the person has
    had open, else the one before. ``None`` where there is nothing before.

    Raises:
        ReviewUnknownError: ``from`` names no review of this session.
    """
    asked = request.GET.get("from")
    if asked:
        return Base(_named(asked, others), Why.ASKED)
    track = others.of_plan(review.plan_id)
    before = [other for other in track if other.revision_version < review.revision_version]
    if not before:
        return None
    last = next((other for other in reversed(before) if other.pk in others.seen), None)
    return Base(last, Why.SEEN) if last else Base(before[-1], Why.PREVIOUS)


def _named(text: str, others: SessionReviews) -> Review:
    try:
        wanted = UUID(text)
    except ValueError:
        wanted = None
    found = next((other for other in others.all if other.pk == wanted), None)
    if found is None:
        raise ReviewUnknownError("there is no such revision in this session")
    return found


def counted(base: Base | None, review: Review) -> Comparison | None:
    """Return how much changed, if somebody has looked already."""
    return known(base.review.sha256, review.sha256) if base else None


def drawn_changes(old: str, text: str, start: int) -> Difference:
    """Return the changes as they are drawn, from their line ``start`` (from 1)."""
    found = changes(old, text)
    difference = Difference(compared(old, text), drawn=found, plain=found is None)
    if found is None:
        return difference
    place = 0
    shown: list[Change] = []
    following: int | None = None
    for change in found:
        if start <= place + 1 < start + LINES_SHOWN:
            shown.append(change)
        elif place + 1 >= start + LINES_SHOWN and following is None:
            following = place + 1
        place += change.last - change.first + 1
    return replace(difference, drawn=tuple(shown), line_count=place, next_line=following)


def changed_lines(
    difference: Difference, old: str, text: str, blocks: tuple[Block, ...], start: int
) -> Difference:
    """Add the changed lines, side by side, from the one at ``start`` (from 1)."""
    found = difference.comparison
    part = excerpt(found.outline, old, text, start=start - 1, most=LINES_SHOWN)
    end = start + LINES_SHOWN
    return replace(
        difference,
        hunks=split(part, found.moves, blocks, Effort()),
        rest=part.rest,
        line_count=found.outline.shown,
        next_line=end if end <= found.outline.shown else None,
    )
