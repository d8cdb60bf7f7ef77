"""The session page: what the agent does, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from planmode import queries
from planmode.access.may import Action, may, may_anywhere, visible
from planmode.core.errors import SessionUnknownError
from planmode.core.events import MessagePosted
from planmode.core.permission import PermissionMode
from planmode.queries import SessionRow
from planmode.signals import Logged
from reviews import dashboards
from reviews.dashboards import PAGE_SIZE
from reviews.models import Review
from reviews.pages.frame import DeskRequest, before, page, require, require_anywhere
from reviews.pages.standing import standing
from reviews.timeline import Item, timeline, users

MOST_EVENTS: Final = 200


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
class Typed:
    """What somebody sent that could not be taken, to be shown again; ``problem`` says why."""

    text: str = ""
    problem: str = ""
    status: int = 200


NOTHING_TYPED: Final = Typed()


@dataclass(frozen=True, slots=True)
class Command:
    """A form of a command, and what it does."""

    form: str
    does: Promise


COMMANDS: Final = (
    Command("/plan", _("plan mode begins")),
    Command("/plan TEXT", _("plan mode begins, and the text is sent")),
    Command("/plan off", _("plan mode ends without a decision")),
    Command("/plan clear", _("the working plan becomes empty")),
    Command("/mode NAME", _("the permission mode: manual, accept_edits, auto or yolo")),
)
"""All commands, as the composer lists them."""


@require_safe
@page
def sessions(request: DeskRequest) -> HttpResponse:
    """Show the newest sessions, or those before ``before``."""
    require_anywhere(request.caller, Action.READ_PLAN)
    seen = visible(request.caller, Action.READ_PLAN, project="project", owner="owner")
    found = queries.sessions(seen, limit=PAGE_SIZE + 1, before=before(request))
    rows = found[:PAGE_SIZE]
    more = rows[-1].id if len(found) > PAGE_SIZE else None
    starts = may_anywhere(request.caller, Action.START_SESSION)
    context = {"rows": rows, "more": more, "starts": starts}
    return render(request, "reviews/sessions.html", context)


@require_safe
@page
def session(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Show a session with the newest lines of its timeline, or those before ``before``."""
    return show(request, session_id)


@require_safe
@page
def lines(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Return the lines that changed behind ``after``, or the older ones before ``before``."""
    row = readable(request, session_id)
    after = _number(request, "after")
    points = queries.turning_points(row.id)
    end = _number(request, "before")
    shown = _stretch(row, points, end) if after is None else _changed(row, points, after)
    context = {"timeline": shown, "session": row, "goes_back": _goes_back(request, row)}
    return render(request, "reviews/_timeline.html", context)


@require_safe
@page
def line(request: DeskRequest, session_id: UUID, key: str) -> HttpResponse:
    """Show one line of the timeline with all of its text."""
    row = readable(request, session_id)
    context = {"session": row, "timeline": _one(row, key)}
    return render(request, "reviews/line.html", context)


def _goes_back(request: DeskRequest, row: SessionRow) -> bool:
    """Return whether the person may go back to a message; no agent's own agent can."""
    return row.parent is None and may(request.caller, Action.FORK_SESSION, row.owned)


@require_safe
@page
def state(request: DeskRequest, session_id: UUID) -> HttpResponse:
    """Return the parts beside the timeline, for a page that was told of a change."""
    row = readable(request, session_id)
    context = {"standing": standing(row, request.caller, queries.turning_points(row.id))}
    return render(request, "reviews/_session_state.html", context)


def show(request: DeskRequest, session_id: UUID, typed: Typed = NOTHING_TYPED) -> HttpResponse:
    """Show the session, with what was typed and could not be taken."""
    row = readable(request, session_id)
    points = queries.turning_points(row.id)
    earlier = _number(request, "before")
    stands = standing(row, request.caller, points)
    again = _said_before(request, row) if stands.rights.posts else ""
    context = {
        "session": row,
        "standing": stands,
        "timeline": _stretch(row, points, earlier),
        "newest": earlier is None,
        "typed": typed,
        "commands": COMMANDS,
        "text": typed.text or again,
        "modes": tuple(PermissionMode),
        "media_types": ",".join(settings.ATTACHMENT_TYPES),
        "hears": may_anywhere(request.caller, Action.HEAR_FEED),
    }
    return render(request, "reviews/session.html", context, status=typed.status)


def _said_before(request: DeskRequest, row: SessionRow) -> str:
    """Return the text of the message ``again``: who took it back may want to say it otherwise."""
    seq = _number(request, "again")
    found = queries.events(row.id, after=seq - 1, limit=1) if seq else []
    event = found[0].event if found else None
    return event.text if isinstance(event, MessagePosted) else ""


def readable(request: DeskRequest, session_id: UUID) -> SessionRow:
    """Return a session that the person may read.

    Raises:
        SessionUnknownError: there is none, or none that they may know of.
        NotAllowedError: they may know of it, but not read it.
    """
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


def _stretch(row: SessionRow, points: Sequence[Logged], end: int | None) -> Timeline:
    """Return the newest lines, or those before ``end``, with their calls' later results."""
    events = queries.newest_events(row.id, before=end, limit=MOST_EVENTS)
    first = events[0].seq if events else 1
    later = queries.events(row.id, after=end - 1, limit=MOST_EVENTS) if end else []
    lines = timeline([*events, *later], points)
    shown = [item for item in lines if end is None or item.seq < end]
    older = first if first > 1 else None
    # The row was read first: what came since is shown already, and comes once more by push.
    return Timeline(_entries(row, shown), older, row.seq)


def _changed(row: SessionRow, points: Sequence[Logged], after: int) -> Timeline:
    """Return the lines that came or changed behind ``after``.

    What came before is read, too: a result belongs to the line of its call.
    """
    known = queries.newest_events(row.id, before=after + 1, limit=MOST_EVENTS)
    news = queries.events(row.id, after=after, limit=MOST_EVENTS)
    shown = [item for item in timeline([*known, *news], points) if item.touched > after]
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
