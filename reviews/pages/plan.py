"""The plan on its review's page, as one view shows it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

from django.core.cache import cache
from django.core.exceptions import BadRequest
from django.http import HttpRequest

from planmode import queries
from planmode.core.errors import StoredDataError
from reviews import services
from reviews.core.blocks import Block, cut
from reviews.core.contents import Section, changed_since, contents, language
from reviews.core.diff import ENGINE, Diff, Outline, excerpt, lines_of, outline
from reviews.models import Review
from reviews.pages.frame import DeskRequest
from reviews.rendering import VERSION, Drawing, drawn

LINES_SHOWN: Final = 2000
"""So many lines of the source, and of the changes, are one page."""
OUTLINE_S: Final = 24 * 60 * 60
"""Seconds that the outline of two revisions is kept: at worst it took seconds to find."""


class View(StrEnum):
    """How the plan is shown."""

    CLEAN = "clean"
    SOURCE = "source"
    CHANGES = "changes"


@dataclass(frozen=True, slots=True)
class PlanView:
    """The plan as one view shows it.

    ``drawing`` is the plan block by block, ``language`` the one that it is written in. ``sections``
    are its table of contents. ``changed`` and ``unseen`` hold the first lines of blocks: those
    whose words the previous revision had not, and those that this person never had on the screen.

    ``lines`` or ``changes`` are a part of ``line_count`` lines, ``next_line`` begins the next one.
    ``changes`` and ``found`` are ``None`` where there is nothing to compare with; ``found`` is so,
    too, while nobody has looked at the changes.
    """

    view: View
    previous: Review | None
    found: Outline | None = None
    drawing: Drawing | None = None
    language: str = "en"
    sections: tuple[Section, ...] = ()
    changed: frozenset[int] = frozenset()
    unseen: frozenset[int] = frozenset()
    lines: tuple[tuple[int, str], ...] = ()
    line_count: int = 0
    next_line: int | None = None
    changes: Diff | None = None

    @property
    def to_see(self) -> int:
        """How many changed blocks the person has not seen; of a first revision, any blocks."""
        return len(self.unseen & self.changed)

    @property
    def next_unseen(self) -> int:
        """Where the first of them begins; 0 when there is none."""
        return min(self.unseen & self.changed, default=0)


def view_of(request: HttpRequest) -> View:
    """Return the view that was asked for.

    Raises:
        BadRequest: there is none of that name.
    """
    try:
        return View(request.GET.get("view") or request.POST.get("view") or View.CLEAN)
    except ValueError as error:
        raise BadRequest("there is no such view") from error


def plan_view(
    request: DeskRequest, review: Review, text: str, *, track: tuple[Review, ...]
) -> PlanView:
    """Return what the page shows of ``text``, the plan that ``review`` is about.

    ``track`` are the reviews of all its revisions, oldest first.

    Raises:
        BadRequest: the address names a view or a line that there is not.
    """
    start, previous = _first_line(request), _previous(review, track)
    found = cache.get(_key(previous, review)) if previous else None
    plan = _read(PlanView(view_of(request), previous, found), review, text, request.caller.user_id)
    match plan.view:
        case View.CLEAN:
            return plan
        case View.SOURCE:
            return _source(plan, text, start)
        case View.CHANGES:
            return _changed(plan, review, text, start)
        case _:
            assert_never(plan.view)


def _read(plan: PlanView, review: Review, text: str, person_id: int) -> PlanView:
    """Add what all views need: the blocks, which of them changed, which are still unseen."""
    drawing = drawn(text)
    blocks = tuple(block.block for block in drawing.blocks)
    changed = _changed_blocks(plan.previous, review, blocks)
    unseen = frozenset(block.first for block in services.unseen(review, person_id, blocks))
    return replace(
        plan,
        drawing=drawing,
        language=language(text),
        sections=contents(blocks, changed=changed if plan.previous else (), unseen=unseen),
        changed=changed,
        unseen=unseen,
    )


def _changed_blocks(
    previous: Review | None, review: Review, blocks: tuple[Block, ...]
) -> frozenset[int]:
    """Return the first lines of the blocks that are new since ``previous``; without one, of all."""
    if previous is None:
        return changed_since((), blocks)
    key = f"changed-blocks:{VERSION}:{previous.sha256}:{review.sha256}"
    found: frozenset[int] | None = cache.get(key)
    if found is None:
        old = text_of_plan(previous)
        found = changed_since(() if old is None else cut(old), blocks)
        if old is not None:
            cache.set(key, found, timeout=None)
    return found


def _source(plan: PlanView, text: str, start: int) -> PlanView:
    lines = tuple(enumerate(lines_of(text), start=1))
    return replace(
        plan,
        lines=lines[start - 1 : start - 1 + LINES_SHOWN],
        line_count=len(lines),
        next_line=_next(start, len(lines)),
    )


def _changed(plan: PlanView, review: Review, text: str, start: int) -> PlanView:
    """Add what changed since the previous revision, if that one can be read."""
    old = text_of_plan(plan.previous) if plan.previous else None
    if plan.previous is None or old is None:
        return replace(plan, found=None)
    found = plan.found or outline(old, text)
    if plan.found is None:
        cache.set(_key(plan.previous, review), found, timeout=OUTLINE_S)
    return replace(
        plan,
        found=found,
        line_count=found.shown,
        next_line=_next(start, found.shown),
        changes=excerpt(found, old, text, start=start - 1, most=LINES_SHOWN),
    )


def _key(previous: Review, review: Review) -> str:
    return f"outline:{ENGINE}:{previous.sha256}:{review.sha256}"


def _next(start: int, count: int) -> int | None:
    """Return where the part behind the one at ``start`` begins, if there is one."""
    return start + LINES_SHOWN if start - 1 + LINES_SHOWN < count else None


def _previous(review: Review, track: tuple[Review, ...]) -> Review | None:
    before = [r for r in track if r.revision_version < review.revision_version]
    return before[-1] if before else None


def _first_line(request: HttpRequest) -> int:
    text = request.GET.get("line", "1")
    if not (text.isascii() and text.isdigit() and len(text) < len(str(10**9)) and int(text)):
        raise BadRequest("there is no such line")
    return int(text)


def text_of_plan(review: Review) -> str | None:
    """Return the plan as it was submitted; ``None`` when its bytes are not what they were."""
    try:
        return queries.plan_bytes(review.sha256).decode("utf-8")
    except StoredDataError:
        return None
