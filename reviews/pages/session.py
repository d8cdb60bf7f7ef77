"""The session page: what the agent does, and why."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from planmode import queries
from planmode import services as planmode
from planmode.access.may import Action, Caller, may, may_anywhere, visible
from planmode.access.requests import require as require_now
from planmode.core.errors import (
    ChildSessionError,
    MessageInvalidError,
    NoTurnError,
    SessionUnknownError,
)
from planmode.core.events import TurnState
from planmode.core.state import CallStatus
from planmode.queries import SessionRow
from reviews import dashboards
from reviews.dashboards import PAGE_SIZE
from reviews.models import Review
from reviews.pages.frame import (
    REFUSED,
    DeskRequest,
    before,
    page,
    require,
    require_anywhere,
    text_of,
)
from reviews.rendering import rendered
from reviews.timeline import Item, timeline, users

MOST_EVENTS: Final = 200
CARD_OF: Final = {"ExitPlanMode": "review", "AskUserQuestion": "question"}
"""Which card a waiting call has; any other call waits for a tool approval."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The card, or the child, that the turn waits for; ``kind`` names its page."""

    kind: str
    id: UUID


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the timeline with the names and the review that belong to it."""

    item: Item
    who: str
    review: Review | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A stretch of the log; ``older`` is where the one before it ends, if there is one."""

    entries: tuple[Entry, ...]
    older: int | None
    seq: int


@dataclass(frozen=True, slots=True)
class Draft:
    """The working plan; ``revision`` is the newest one when that holds the same bytes."""

    html: SafeString
    revision: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is true of the session now, and what this person may do about it."""

    session: SessionRow
    turn: str
    waiting: Waiting | None
    draft: Draft | None
    posts: bool
    cancels: bool

    @property
    def done(self) -> int:
        """How many lines of the agent's list are done."""
        return sum(item.status == "done" for item in self.session.state.todo)


@require_safe
@page
def sessions(request: DeskRequest) -> HttpResponse:
    """Show the newest sessions, or those before ``before``."""
    require_anywhere(request.caller, Action.READ_PLAN)
    seen = visible(request.caller, Action.READ_PLAN, project="project", owner="owner")
    found = queries.sessions(seen, limit=PAGE_SIZE + 1, before=before(request))
    rows = found[:PAGE_SIZE]
    more = rows[-1].id if len(found) > PAGE_SIZE else None
    return render(request, "reviews/sessions.html", {"rows": rows, "more": more})


@require_safe
@page
def session(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Show a session with the newest lines of its timeline, or those before ``before``."""
    return _show(request, session_id)


@require_safe
@page
def lines(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Return the lines that changed behind ``after``, or the older ones before ``before``."""
    row = _readable(request, session_id)
    after = _number(request, "after")
    shown = _changed(row, after) if after is not None else _stretch(row, _number(request, "before"))
    return render(request, "reviews/_timeline.html", {"timeline": shown, "session": row})


@require_safe
@page
def line(request: DeskRequest, session_id: UUID, key: str) -> HttpResponse:
    """Show one line of the timeline with all of its text."""
    row = _readable(request, session_id)
    context = {"session": row, "timeline": _one(row, key)}
    return render(request, "reviews/line.html", context)


@require_safe
@page
def state(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Return the parts beside the timeline, for a page that was told of a change."""
    standing = _standing(_readable(request, session_id), request.caller)
    return render(request, "reviews/_session_state.html", {"standing": standing})


@require_POST
@page
def post_message(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Say something to the agent; what can't be taken comes back as it was typed."""
    text = text_of(request, "text")
    try:
        with transaction.atomic():
            require_now(request, Action.POST_MESSAGE, _readable(request, session_id).owned)
            planmode.post_message(session_id, text, author=request.user)
    except MessageInvalidError as error:
        return _show(request, session_id, text=text, problem=str(error), status=422)
    except ChildSessionError as error:
        return _show(request, session_id, text=text, problem=str(error), status=409)
    except REFUSED as error:
        return _show(request, session_id, text=text, problem=str(error), status=403)
    return HttpResponseRedirect(f"{reverse('session', args=[session_id])}#end")


@require_POST
@page
def cancel(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """End the open turn."""
    try:
        with transaction.atomic():
            require_now(request, Action.CANCEL_TURN, _readable(request, session_id).owned)
            planmode.cancel_turn(session_id)
    except NoTurnError as error:
        return _show(request, session_id, problem=str(error), status=409)
    return HttpResponseRedirect(f"{reverse('session', args=[session_id])}#end")


def _show(
    request: DeskRequest, session_id: UUID, *, text: str = "", problem: str = "", status: int = 200
) -> HttpResponse:
    row = _readable(request, session_id)
    earlier = _number(request, "before")
    context = {
        "session": row,
        "standing": _standing(row, request.caller),
        "timeline": _stretch(row, earlier),
        "newest": earlier is None,
        "text": text,
        "problem": problem,
        "hears": may_anywhere(request.caller, Action.HEAR_FEED),
    }
    return render(request, "reviews/session.html", context, status=status)


def _readable(request: DeskRequest, session_id: UUID) -> SessionRow:
    row = queries.session(session_id)
    require(request.caller, Action.READ_PLAN, row.owned, SessionUnknownError)
    return row


def _number(request: DeskRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < len(str(10**15))):
        raise BadRequest("the log has no such place")
    return int(text)


def _standing(row: SessionRow, caller: Caller) -> Standing:
    return Standing(
        session=row,
        turn=row.turn.state if row.turn else "",
        waiting=_waiting(row),
        draft=_draft(row),
        posts=row.parent is None and may(caller, Action.POST_MESSAGE, row.owned),
        cancels=bool(row.turn and not TurnState(row.turn.state).ended)
        and may(caller, Action.CANCEL_TURN, row.owned),
    )


def _waiting(row: SessionRow) -> Waiting | None:
    for pending in row.state.turn.calls:
        if pending.status is CallStatus.WAITING and pending.card in row.state.children:
            return Waiting("session", UUID(pending.card))
        if pending.status is CallStatus.WAITING and pending.card:
            return Waiting(CARD_OF.get(pending.call.name, "approval"), UUID(pending.card))
    return None


def _draft(row: SessionRow) -> Draft | None:
    """Return the working plan as it would read, while there is one."""
    plan = row.state.plan
    content = queries.working_plan(row.id, plan.plan_id) if plan.plan_id else None
    if content is None or plan.plan_id is None:
        return None
    same = plan.submitted.get(plan.plan_id) == hashlib.sha256(content).hexdigest()
    return Draft(
        rendered(content.decode("utf-8", "replace")).html,
        revision=plan.revision_count[plan.plan_id] if same else None,
    )


def _stretch(row: SessionRow, end: int | None) -> Timeline:
    """Return the newest lines, or those before ``end``, with their calls' later results."""
    events = queries.newest_events(row.id, before=end, limit=MOST_EVENTS)
    first = events[0].seq if events else 1
    later = queries.events(row.id, after=end - 1, limit=MOST_EVENTS) if end else []
    shown = [item for item in timeline([*events, *later]) if end is None or item.seq < end]
    older = first if first > 1 else None
    # The row was read first: what came since is shown already, and comes once more by push.
    return Timeline(_entries(row, shown), older, row.seq)


def _changed(row: SessionRow, after: int) -> Timeline:
    """Return the lines that came or changed behind ``after``.

    What came before is read, too: a result belongs to the line of its call.
    """
    known = queries.newest_events(row.id, before=after + 1, limit=MOST_EVENTS)
    news = queries.events(row.id, after=after, limit=MOST_EVENTS)
    shown = [item for item in timeline([*known, *news]) if item.touched > after]
    return Timeline(_entries(row, shown), None, news[-1].seq if news else after)


def _one(row: SessionRow, key: str) -> Timeline:
    """Return the line ``key`` alone: ``e``, its event's number, and which call of it."""
    number = key.removeprefix("e").partition("-")[0]
    if not (number.isascii() and number.isdigit() and len(number) < len(str(10**15))):
        raise Http404
    events = queries.events(row.id, after=int(number) - 1, limit=MOST_EVENTS)
    shown = [item for item in timeline(events) if item.key == key]
    if not shown:
        raise Http404
    return Timeline(_entries(row, shown), None, row.seq)


def _entries(row: SessionRow, items: Sequence[Item]) -> tuple[Entry, ...]:
    names = dashboards.usernames(users(items))
    calls = [item.call.call.id for item in items if item.call]
    reviews = dashboards.reviews_by_call(row.id, calls)
    return tuple(
        Entry(
            item,
            names.get(item.by, "") if item.by is not None else "",
            reviews.get(item.call.call.id) if item.call else None,
        )
        for item in items
    )
