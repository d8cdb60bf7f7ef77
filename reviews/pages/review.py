"""The review page: the plan, what changed, and the decision."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never
from uuid import UUID

from django.core.cache import cache
from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planmode import queries
from planmode.access.may import Action, Caller, may, may_anywhere
from planmode.access.requests import caller as caller_now
from planmode.core.errors import StoredDataError
from planmode.core.options import SHOWN_FROM
from planmode.core.plansteps import PlanStep
from prompts.unseen import says_something
from reviews import dashboards, feed, services
from reviews.core.decisions import LONGEST_FEEDBACK, Decision, DecisionKind, offered
from reviews.core.diff import ENGINE, Diff, Outline, excerpt, lines_of, outline
from reviews.core.errors import (
    DecisionIncompleteError,
    ReviewClosedError,
    ReviewUnknownError,
    RevisionStaleError,
)
from reviews.models import Card, Review
from reviews.pages.frame import REFUSED, DeskRequest, page, require, text_of
from reviews.rendering import Rendering, rendered
from reviews.services import owned

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


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the review stands for one person.

    ``offered`` are the decisions that they may take now, ``why_not`` says why one is missing;
    ``track`` are the reviews of all the plan's revisions, ``newer`` the newest behind this one.
    ``waits``: after a dismissal the agent waits for the person.
    ``steps`` are those of this revision, as long as the session goes by them.
    """

    review: Review
    state: str
    who: str
    offered: tuple[DecisionKind, ...]
    why_not: str
    damaged: bool
    track: tuple[Review, ...]
    newer: Review | None
    acknowledged: datetime | None
    waits: bool
    steps: tuple[PlanStep, ...]

    @property
    def open(self) -> bool:
        """Whether the review waits for a decision."""
        return bool(self.review.status == Card.Status.OPEN)

    @property
    def has_choice(self) -> bool:
        """Whether an approval has to name an option."""
        return len(self.review.options) >= SHOWN_FROM

    @property
    def awaited(self) -> bool:
        """Whether the agent has yet to be given the outcome."""
        return self.review.status == Card.Status.RESOLVED and self.acknowledged is None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a field; an empty ``field`` is about the whole form."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A decision as it was typed, and what is wrong with it."""

    kind: DecisionKind
    option: str = ""
    feedback: str = ""
    reason: str = ""
    start: bool = True
    problems: tuple[Problem, ...] = ()

    @property
    def words(self) -> str:
        """What was typed."""
        return self.feedback or self.reason

    def problem(self, field: str) -> str:
        """Return what is wrong with ``field``; empty when nothing is."""
        return next((p.text for p in self.problems if p.field == field), "")

    @property
    def option_problem(self) -> str:
        """What is wrong with the choice."""
        return self.problem("option")

    @property
    def feedback_problem(self) -> str:
        """What is wrong with the feedback."""
        return self.problem("feedback")

    @property
    def reason_problem(self) -> str:
        """What is wrong with the reason."""
        return self.problem("reason")


@require_safe
@page
def review(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Show a review; ``decide`` names the sheet that is open (without a script)."""
    return _show(request, review_id, sheet=_asked_sheet(request), status=200)


@require_safe
@page
def state(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Return the parts that others can change, for a page that was told of a change."""
    card = _readable(request, review_id)
    desk = _desk(card, request.caller, damaged=_text(card) is None)
    return render(request, "reviews/_review_state.html", {"desk": desk, "view": _view(request)})


@require_POST
@page
def decide(request: DeskRequest, review_id: UUID) -> HttpResponse:
    """Take a decision; what can't be taken comes back with everything that was typed."""
    sheet = _sent_sheet(request)
    decision = Decision(
        sheet.kind,
        request.POST.get("sha256", ""),
        option=sheet.option,
        feedback=sheet.feedback,
        reason=sheet.reason,
        start=sheet.start,
    )
    try:
        with transaction.atomic():
            services.decide(review_id, decision, by=caller_now(request))
    except (ReviewClosedError, RevisionStaleError) as error:
        return _back(request, review_id, sheet, Problem("", str(error)), status=409)
    except DecisionIncompleteError as error:
        problem = _incomplete(sheet, review_id, error)
        return _back(request, review_id, sheet, problem, status=422)
    except StoredDataError:
        problem = Problem("", _("The stored plan is damaged. It can't be approved."))
        return _back(request, review_id, sheet, problem, status=500)
    except REFUSED as error:
        return _back(request, review_id, sheet, Problem("", str(error)), status=403)
    return HttpResponseRedirect(f"{reverse('review', args=[review_id])}#decision")


def _back(
    request: DeskRequest, review_id: UUID, sheet: Sheet, problem: Problem, *, status: int
) -> HttpResponse:
    return _show(request, review_id, sheet=replace(sheet, problems=(problem,)), status=status)


def _show(
    request: DeskRequest, review_id: UUID, *, sheet: Sheet | None, status: int
) -> HttpResponse:
    cursor = feed.head()  # first: what happens after it reaches the page by push
    card = _readable(request, review_id)
    text = _text(card)
    desk = _desk(card, request.caller, damaged=text is None)
    context = {
        "desk": desk,
        "plan": None if text is None else _plan(request, desk, text),
        "view": _view(request),
        "sheet": sheet,
        "kinds": tuple(DecisionKind),
        "cursor": cursor,
        "hears": may_anywhere(request.caller, Action.HEAR_FEED),
    }
    return render(request, "reviews/review.html", context, status=status)


def _readable(request: DeskRequest, review_id: UUID) -> Review:
    card = dashboards.review(review_id)
    require(request.caller, Action.READ_PLAN, owned(card), ReviewUnknownError)
    return card


def _text(card: Review) -> str | None:
    """Return the plan as it was submitted; ``None`` when its bytes are not what they were."""
    try:
        return queries.revision_bytes(card.revision_id).decode("utf-8")
    except StoredDataError:
        return None


def _desk(card: Review, caller: Caller, *, damaged: bool) -> Desk:
    track = dashboards.reviews_of_plan(card)
    newest, config = track[-1], queries.config(card.session.fold)
    closed = damaged or card.status != Card.Status.OPEN
    mine = () if closed else _decisions_of(card, caller)
    return Desk(
        review=card,
        state=dashboards.state_of(card),
        who=dashboards.who_answered(card),
        offered=tuple(kind for kind in offered(config) if kind in mine),
        waits=config.after_dismiss == "waits",
        why_not=_why_not(card, caller),
        damaged=damaged,
        track=tuple(track),
        newer=newest if newest.revision_version > card.revision_version else None,
        acknowledged=dashboards.acknowledged(card),
        steps=_steps(card),
    )


def _steps(card: Review) -> tuple[PlanStep, ...]:
    plan = card.session.fold.plan
    return plan.steps if plan.revision == str(card.revision_id) else ()


def _decisions_of(card: Review, caller: Caller) -> tuple[DecisionKind, ...]:
    own = card.session.owner_id == caller.user_id and not card.project.allow_self_review
    decides = may(caller, Action.DECIDE, owned(card)) and not own
    dismisses = may(caller, Action.DISMISS, owned(card))
    return tuple(
        kind for kind in DecisionKind if (dismisses if kind is DecisionKind.DISMISS else decides)
    )


def _why_not(card: Review, caller: Caller) -> str:
    if not may(caller, Action.DECIDE, owned(card)):
        return _("You can read this plan. Deciding takes the role reviewer or lead.")
    if card.session.owner_id == caller.user_id and not card.project.allow_self_review:
        return _("This is your own agent's plan. In this project somebody else has to decide.")
    return ""


def _view(request: DeskRequest) -> View:
    try:
        return View(request.GET.get("view") or request.POST.get("view") or View.CLEAN)
    except ValueError as error:
        raise BadRequest("there is no such view") from error


def _plan(request: DeskRequest, desk: Desk, text: str) -> PlanView:
    start, previous = _first_line(request), _previous(desk)
    found = cache.get(_key(previous, desk.review)) if previous else None
    plan = PlanView(_view(request), previous, found)
    match plan.view:
        case View.CLEAN:
            return replace(plan, rendering=rendered(text))
        case View.SOURCE:
            return _source(plan, text, start)
        case View.CHANGES:
            return _changed(plan, desk.review, text, start)
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
    old = _text(plan.previous) if plan.previous else None
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


def _previous(desk: Desk) -> Review | None:
    before = [r for r in desk.track if r.revision_version < desk.review.revision_version]
    return before[-1] if before else None


def _first_line(request: DeskRequest) -> int:
    text = request.GET.get("line", "1")
    if not (text.isascii() and text.isdigit() and len(text) < len(str(10**9)) and int(text)):
        raise BadRequest("there is no such line")
    return int(text)


def _asked_sheet(request: DeskRequest) -> Sheet | None:
    if "decide" not in request.GET:
        return None
    return Sheet(_kind(request.GET["decide"]), option=request.GET.get("option", ""))


def _kind(text: str) -> DecisionKind:
    try:
        return DecisionKind(text)
    except ValueError as error:
        raise BadRequest("there is no such decision") from error


def _sent_sheet(request: DeskRequest) -> Sheet:
    kind = _kind(request.POST.get("decision", ""))
    approves = kind is DecisionKind.APPROVE
    return Sheet(
        kind,
        option=text_of(request, "option"),
        feedback=text_of(request, "feedback"),
        reason=text_of(request, "reason"),
        # A box that is not ticked sends nothing; the other sheets have no such box.
        start="start" in request.POST if approves else True,
    )


def _incomplete(sheet: Sheet, review_id: UUID, error: DecisionIncompleteError) -> Problem:
    """Return the problem at its field, as far as the field can be told."""
    labels = [option["label"] for option in dashboards.review(review_id).options]
    for name in ("feedback", "reason"):
        if len(getattr(sheet, name).encode("utf-8", "surrogatepass")) > LONGEST_FEEDBACK:
            return Problem(name, _("This text is too long: 64 KiB is the limit. Shorten it."))
    if sheet.kind is DecisionKind.APPROVE and len(labels) >= SHOWN_FROM and not sheet.option:
        return Problem("option", _("Choose the option that you approve."))
    if sheet.kind is DecisionKind.REVISE and not says_something(sheet.feedback):
        return Problem("feedback", _("Say what the agent should change."))
    return Problem("", str(error))
