"""The plan on its review's page, as one view shows it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from django.core.cache import cache
from django.core.exceptions import BadRequest
from django.http import HttpRequest

from planmode import queries
from planmode.core.errors import StoredDataError
from reviews import services
from reviews.changes import Comparison, compared
from reviews.core.blocks import Block, cut
from reviews.core.contents import Section, changed_since, contents, language
from reviews.core.diff import lines_of
from reviews.dashboards import SessionReviews
from reviews.models import Review
from reviews.pages.comparing import (
    LINES_SHOWN,
    Base,
    Difference,
    Why,
    base_of,
    changed_lines,
    counted,
    drawn_changes,
)
from reviews.pages.frame import DeskRequest
from reviews.rendering import VERSION, Drawing, drawn


class View(StrEnum):
    """How the plan is shown, in the order of the tabs."""

    CHANGES = "changes"
    CLEAN = "clean"
    SPLIT = "split"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class PlanView:
    """The plan as one view shows it.

    ``drawing`` is the plan block by block, ``language`` the one that it is written in. ``sections``
    are its table of contents. ``changed`` and ``unseen`` hold the first lines of blocks: those
    whose words the previous revision had not, and those that this person never had on the screen.

    ``base`` is what the plan is compared with, if there is anything; ``found`` counts what changed
    since, once somebody looked; ``difference`` is what the views of changes show of it, ``None``
    where there is nothing to compare with. ``lines`` are a part of the source's ``line_count``
    lines, ``next_line`` begins the next one.
    """

    view: View
    base: Base | None
    found: Comparison | None = None
    drawing: Drawing | None = None
    language: str = "en"
    sections: tuple[Section, ...] = ()
    changed: frozenset[int] = frozenset()
    unseen: frozenset[int] = frozenset()
    lines: tuple[tuple[int, str], ...] = ()
    line_count: int = 0
    next_line: int | None = None
    difference: Difference | None = None

    @property
    def previous(self) -> Review | None:
        """The revision that is compared with."""
        return self.base.review if self.base else None

    @property
    def asked(self) -> str:
        """What an address adds to stay with a revision that somebody chose; else nothing."""
        return f"&from={self.base.review.pk}" if self.base and self.base.why is Why.ASKED else ""

    @property
    def to_see(self) -> int:
        """How many changed blocks the person has not seen; of a first revision, any blocks."""
        return len(self.unseen & self.changed)

    @property
    def next_unseen(self) -> int:
        """Where the first of them begins; 0 when there is none."""
        return min(self.unseen & self.changed, default=0)


def view_of(request: HttpRequest) -> View | None:
    """Return the view that was asked for, if one was.

    Raises:
        BadRequest: there is none of that name.
    """
    asked = request.GET.get("view") or request.POST.get("view")
    try:
        return View(asked) if asked else None
    except ValueError as error:
        raise BadRequest("there is no such view") from error


def plan_view(
    request: DeskRequest, review: Review, text: str, *, others: SessionReviews
) -> PlanView:
    """Return what the page shows of ``text``, the plan that ``review`` is about.

    ``others`` are all reviews of its session. Whoever names no view sees what changed, as soon as
    there is anything to compare with.

    Raises:
        BadRequest: the address names a view or a line that there is not.
        ReviewUnknownError: the address names no revision of this session to compare with.
    """
    start, base = _first_line(request), base_of(request, review, others)
    view = view_of(request) or (View.CHANGES if base else View.CLEAN)
    compares = base is not None and view in {View.CHANGES, View.SPLIT}
    old = text_of_plan(base.review) if base and compares else None
    plan = PlanView(view, base, None if compares else counted(base, review))
    plan = _read(plan, review, (text, old), request.caller.user_id)
    match view:
        case View.CLEAN:
            return plan
        case View.SOURCE:
            return _source(plan, text, start)
        case View.CHANGES | View.SPLIT:
            return plan if old is None else _changed(plan, old, text, start)
        case _:
            assert_never(view)


def _read(
    plan: PlanView, review: Review, texts: tuple[str, str | None], person_id: int
) -> PlanView:
    """Add what all views need: the blocks, which of them changed, which are still unseen.

    ``texts`` are the plan's, and that of the base if it was read.
    """
    text, old = texts
    drawing = drawn(text)
    blocks = tuple(block.block for block in drawing.blocks)
    changed = _changed_blocks(plan.previous, review, blocks, old)
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
    previous: Review | None, review: Review, blocks: tuple[Block, ...], old: str | None
) -> frozenset[int]:
    """Return the first lines of the blocks that are new since ``previous``; without one, of all."""
    if previous is None:
        return changed_since((), blocks)
    key = f"changed-blocks:{VERSION}:{previous.sha256}:{review.sha256}"
    found: frozenset[int] | None = cache.get(key)
    if found is None:
        before = text_of_plan(previous) if old is None else old
        found = changed_since(() if before is None else cut(before), blocks)
        if before is not None:
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


def _changed(plan: PlanView, old: str, text: str, start: int) -> PlanView:
    """Add what changed since the base: by line, too, if it can't be drawn."""
    if plan.view is View.CHANGES:
        difference = drawn_changes(old, text, start)
    else:
        difference = Difference(compared(old, text))
    if difference.drawn is None:
        blocks = tuple(block.block for block in plan.drawing.blocks) if plan.drawing else ()
        difference = changed_lines(difference, old, text, blocks, start)
    return replace(plan, found=difference.comparison, difference=difference)


def _next(start: int, count: int) -> int | None:
    """Return where the part behind the one at ``start`` begins, if there is one."""
    return start + LINES_SHOWN if start - 1 + LINES_SHOWN < count else None


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
