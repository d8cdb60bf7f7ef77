"""The plan on its review's page, as one view shows it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, assert_never

from django.core.cache import cache
from django.core.exceptions import BadRequest
from django.http import HttpRequest

from planmode import queries
from planmode.core.errors import StoredDataError
from reviews.core.diff import ENGINE, Diff, Outline, excerpt, lines_of, outline
from reviews.models import Review
from reviews.rendering import Rendering, rendered

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

    ``lines`` or ``changes`` are a part of ``line_count`` lines, ``next_line`` begins the next one.
    ``changes`` and ``found`` are ``None`` where there is nothing to compare with; ``found`` is so,
    too, while nobody has looked at the changes.
    """

    view: View
    previous: Review | None
    found: Outline | None = None
    rendering: Rendering | None = None
    lines: tuple[tuple[int, str], ...] = ()
    line_count: int = 0
    next_line: int | None = None
    changes: Diff | None = None


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
    request: HttpRequest, review: Review, text: str, *, track: tuple[Review, ...]
) -> PlanView:
    """Return what the page shows of ``text``, the plan that ``review`` is about.

    ``track`` are the reviews of all its revisions, oldest first.

    Raises:
        BadRequest: the address names a view or a line that there is not.
    """
    start, previous = _first_line(request), _previous(review, track)
    found = cache.get(_key(previous, review)) if previous else None
    plan = PlanView(view_of(request), previous, found)
    match plan.view:
        case View.CLEAN:
            return replace(plan, rendering=rendered(text))
        case View.SOURCE:
            return _source(plan, text, start)
        case View.CHANGES:
            return _changed(plan, review, text, start)
        case _:
            assert_never(plan.view)


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
        return queries.revision_bytes(review.revision_id).decode("utf-8")
    except StoredDataError:
        return None
