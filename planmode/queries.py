"""Questions about sessions, for the floors above."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from planmode.access.may import Owned
from planmode.core import events as ev
from planmode.core import wire
from planmode.core.errors import (
    NoPlanFileError,
    NotPlanningError,
    RevisionUnknownError,
    SessionUnknownError,
)
from planmode.core.failures import HALTS
from planmode.core.guard import Ground, effective
from planmode.core.permission import AUTO_IS_OFF, AUTO_PAUSES, BREAKER_IS_OPEN, PermissionMode
from planmode.core.presets import PRESETS, PlanModeConfig
from planmode.core.state import SessionState
from planmode.knobs import knobs, section_of
from planmode.models import (
    CUT_STATES,
    BackgroundTask,
    EventRecord,
    Heartbeat,
    Revision,
    Schedule,
    Session,
    Turn,
)
from planmode.signals import Logged
from planmode.store import blobs, eventlog, planfiles, revisions

MOST_EVENTS = 200
MOST_JOBS = 50


@dataclass(frozen=True, slots=True)
class TurnRow:
    """The newest turn of a session; ``worker`` is empty unless one runs it.

    ``taken_back``: it was undone after its end, so that end counts no more.
    """

    number: int
    state: str
    reason: str
    detail: str
    worker: str
    ended_at: datetime | None
    taken_back: bool


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as pages and the API show it; ``seq`` is the log's length.

    ``parent`` is the session whose agent started this one's.
    """

    id: UUID
    title: str
    project: str
    owned: Owned
    owner: str
    workspace: str
    model: str
    created_at: datetime
    seq: int
    state: SessionState
    turn: TurnRow | None
    parent: UUID | None = None


@dataclass(frozen=True, slots=True)
class ModeRow:
    """The permission mode ``name``, and the one that counts now.

    ``pending`` waits for the next step; ``note`` says why another one counts.
    """

    name: PermissionMode
    effective: PermissionMode
    pending: PermissionMode | None
    note: str


@dataclass(frozen=True, slots=True)
class PlanRow:
    """The working plan of a session that plans; ``edited_by`` is a user id, ``sha256`` its hash.

    ``content`` is empty as long as nobody has written it.
    """

    plan_id: str
    content: bytes
    sha256: str
    edited_by: int | None


@dataclass(frozen=True, slots=True)
class StoppedRow:
    """A session whose newest turn ended unfinished although nobody decided so."""

    id: UUID
    title: str
    project: str
    owned: Owned
    owner: str
    model: str
    state: str
    reason: str
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision without its bytes; ``size`` in bytes."""

    id: UUID
    session_id: UUID
    owned: Owned
    owner: str
    model: str
    plan_id: str
    version: int
    key: str
    sha256: str
    size: int
    title: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A background task as it was last seen; ``size`` is in bytes, known once it has ended.

    ``reason`` says why it did not end by itself; ``sandboxed`` that it could change nothing.
    """

    number: int
    command: str
    sandboxed: bool
    state: str
    exit_code: int | None
    reason: str
    size: int
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A schedule; times are aware. One that is not ``active`` comes no more."""

    number: int
    cron: str
    prompt: str
    once: bool
    active: bool
    next_at: datetime
    last_at: datetime | None


def session(session_id: UUID) -> SessionRow:
    """Return one session.

    Raises:
        SessionUnknownError: there is none.
    """
    row = Session.objects.select_related("project", "owner").filter(pk=session_id).first()
    if row is None:
        raise SessionUnknownError(f"no session {session_id}")
    return _session_rows([row], row.turns.order_by("-number")[:1])[0]


def sessions(seen: Q, *, limit: int, before: UUID | None = None) -> list[SessionRow]:
    """Return the newest ``limit`` sessions that match ``seen``, before the id ``before``.

    Those that agents started are not among them. ``seen`` comes from ``may.visible`` with
    ``project="project"`` and ``owner="owner"``.
    """
    rows = Session.objects.select_related("project", "owner").filter(seen, parent=None)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    page = list(rows.order_by("-pk")[:limit])
    return _session_rows(page, Turn.objects.filter(session__in=page).order_by("number"))


def stopped(seen: Q, *, limit: int) -> list[StoppedRow]:
    """Return the sessions that need somebody, those that stopped last first, at most ``limit``.

    A message, another try or an undo since then says that somebody was there; what an agent started
    is its own business. ``seen`` comes from ``may.visible`` with ``project="session__project"`` and
    ``owner="session__owner"``.
    """
    later = Turn.objects.filter(session=OuterRef("session"), number__gt=OuterRef("number"))
    halted = Q(state=ev.TurnState.FAILED) | Q(state=ev.TurnState.STOPPED, reason__in=HALTS)
    cut = Turn.objects.filter(state__in=CUT_STATES)  # the index has these alone
    rows = cut.filter(seen, halted).exclude(session__parent__isnull=False)
    rows = (
        rows.exclude(Exists(later))
        .exclude(Exists(_undone_since()))
        .select_related("session__project", "session__owner")
    )
    return [_stopped_row(turn) for turn in rows.order_by("-ended_at", "-pk")[:limit]]


def config(state: SessionState) -> PlanModeConfig:
    """Return how a session in this state does plan mode."""
    return knobs(state.preset)


def projects_without_section() -> list[str]:
    """Return the names of projects with agents at work that nothing tells how to plan.

    Raises:
        OSError: the installation's text can't be read.
    """
    told = [name for name, config in PRESETS.items() if config.workflow == "section"]
    turns = Turn.objects.open().filter(session__state__preset__in=told)
    rows = turns.values_list("session__project__name", "session__project__plan_section").distinct()
    return sorted(name for name, own in rows if not section_of(own))


def owned(session_id: UUID) -> Owned:
    """Return what the access rules need of a session.

    Raises:
        SessionUnknownError: there is none.
    """
    found = Session.objects.filter(pk=session_id).values_list("project_id", "owner_id").first()
    if found is None:
        raise SessionUnknownError(f"no session {session_id}")
    return Owned(*found)


def positions(session_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the length of each session's log: one query for all that somebody watches."""
    return dict(Session.objects.filter(pk__in=session_ids).values_list("pk", "seq"))


def events(session_id: UUID, *, after: int = 0, limit: int = MOST_EVENTS) -> list[Logged]:
    """Return at most ``limit`` events behind number ``after``, oldest first."""
    return eventlog.read(session_id, after=after, limit=limit)


def newest_events(
    session_id: UUID, *, before: int | None = None, limit: int = MOST_EVENTS
) -> list[Logged]:
    """Return the last ``limit`` events before number ``before`` (of all without it)."""
    return eventlog.newest(session_id, before=before, limit=limit)


def turning_points(session_id: UUID) -> list[Logged]:
    """Return where the conversation was cut, oldest first: undo, compaction, fork."""
    return eventlog.of_kinds(
        session_id, ev.ConversationUndone, ev.ContextCompacted, ev.SessionForked
    )


def working_plan(session_id: UUID, plan_id: str) -> bytes | None:
    """Return the plan file as the agent last wrote it, ``None`` when it has not."""
    return planfiles.kept(session_id, plan_id)


def plan(session_id: UUID) -> PlanRow:
    """Return the working plan, with the hash that an edit has to name.

    Raises:
        SessionUnknownError: no such session.
        NotPlanningError: plan mode is off.
        NoPlanFileError: the session's preset keeps no plan file.
    """
    state = session(session_id).state
    if not state.plan.active or state.plan.plan_id is None:
        raise NotPlanningError("there is no working plan")
    if knobs(state.preset).plan_folder == "none":
        raise NoPlanFileError(f"with the preset {state.preset} the plan stands in the conversation")
    content = planfiles.kept(session_id, state.plan.plan_id) or b""
    edited_by = state.plan.edited_by
    return PlanRow(state.plan.plan_id, content, revisions.sha256(content), edited_by)


def mode(state: SessionState) -> ModeRow:
    """Return the permission mode of a session in ``state``, as it counts here and now."""
    ground = Ground(auto=settings.AUTO_MODE, auto_pauses=settings.AUTO_WHILE_PLANNING == "pause")
    counts = effective(state, ground)
    note = "" if counts is state.permission_mode else _why_not_auto(state)
    return ModeRow(state.permission_mode, counts, state.wanted.mode, note)


def _why_not_auto(state: SessionState) -> str:
    if not settings.AUTO_MODE:
        return AUTO_IS_OFF
    return BREAKER_IS_OPEN if state.breaker.open else AUTO_PAUSES


def tasks(session_id: UUID, *, limit: int = MOST_JOBS) -> list[TaskRow]:
    """Return the session's newest background tasks, the newest first."""
    rows = BackgroundTask.objects.filter(session_id=session_id).order_by("-number")
    return [_task_row(row) for row in rows[:limit]]


def schedules(session_id: UUID, *, limit: int = MOST_JOBS) -> list[ScheduleRow]:
    """Return the session's newest schedules, the newest first."""
    rows = Schedule.objects.filter(session_id=session_id).order_by("-number")
    return [_schedule_row(row) for row in rows[:limit]]


def active_schedules(session_id: UUID) -> list[ScheduleRow]:
    """Return the session's schedules that are still to come, the oldest first."""
    rows = Schedule.objects.filter(session_id=session_id).active().order_by("number")
    return [_schedule_row(row) for row in rows]


def revision(revision_id: UUID) -> RevisionRow:
    """Return one revision.

    Raises:
        RevisionUnknownError: there is none.
    """
    found = revision_rows(Q(pk=revision_id), limit=1)
    if not found:
        raise RevisionUnknownError(f"no revision {revision_id}")
    return found[0]


def revision_rows(seen: Q, *, limit: int, before: UUID | None = None) -> list[RevisionRow]:
    """Return the newest ``limit`` revisions that match ``seen``, before the id ``before``.

    ``seen`` comes from ``may.visible`` with ``project="session__project"`` and
    ``owner="session__owner"``, or is any condition on revisions.
    """
    rows = Revision.objects.select_related("session__owner").filter(seen)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return [_revision_row(row) for row in rows.order_by("-pk")[:limit]]


def revision_bytes(revision_id: UUID) -> bytes:
    """Return the bytes of a revision, verified against its hash.

    Raises:
        RevisionUnknownError: there is none.
        StoredDataError: the bytes are missing or damaged.
    """
    return revisions.content(revisions.find(revision_id))


def plan_bytes(sha256: str) -> bytes:
    """Return the bytes that have this hash, verified: what a review names is what is read.

    Raises:
        StoredDataError: the bytes are missing or damaged.
    """
    return blobs.store().get(sha256)


def workers_seen(within: timedelta) -> list[str]:
    """Return the workers that were alive ``within`` this time, by the database's clock."""
    alive = Heartbeat.objects.filter(seen_at__gt=Now() - within)
    return list(alive.order_by("worker").values_list("worker", flat=True))


def serving_address(within: timedelta) -> str:
    """Return the URL of the pages that a process alive ``within`` this time serves, or nothing.

    Processes that only work on turns know of no pages.
    """
    alive = Heartbeat.objects.filter(seen_at__gt=Now() - within).exclude(address="")
    return alive.order_by("-seen_at").values_list("address", flat=True).first() or ""


def _undone_since() -> QuerySet[EventRecord]:
    """Return the undos of a turn's session after that turn's end, for a query of turns."""
    return EventRecord.objects.filter(
        session=OuterRef("session"),
        name=wire.name_of(ev.ConversationUndone),
        at__gte=OuterRef("ended_at"),
    )


def _session_rows(rows: Sequence[Session], turns: Iterable[Turn]) -> list[SessionRow]:
    """Return ``rows``, each with the last of its ``turns``."""
    newest = {turn.session_id: turn for turn in turns}
    folds = [row.fold for row in rows]
    # An undo leaves no step behind, so hardly ever is there a turn to ask the log about.
    asked = [
        newest[row.pk].pk
        for row, fold in zip(rows, folds, strict=True)
        if row.pk in newest and not fold.turn.open and not fold.turn.steps
    ]
    undone: set[int] = set()
    if asked:
        found = Turn.objects.filter(Exists(_undone_since()), pk__in=asked)
        undone.update(found.values_list("pk", flat=True))
    shown = {key: _turn_row(turn, taken_back=turn.pk in undone) for key, turn in newest.items()}
    return [
        _session_row(row, fold, shown.get(row.pk)) for row, fold in zip(rows, folds, strict=True)
    ]


def _session_row(row: Session, fold: SessionState, turn: TurnRow | None) -> SessionRow:
    return SessionRow(
        id=row.pk,
        title=row.title,
        project=row.project.name,
        owned=Owned(row.project_id, row.owner_id),
        owner=row.owner.get_username(),
        workspace=row.workspace,
        model=row.model,
        created_at=row.created_at,
        seq=row.seq,
        state=fold,
        turn=turn,
        parent=row.parent_id,
    )


def _stopped_row(turn: Turn) -> StoppedRow:
    session = turn.session
    return StoppedRow(
        id=session.pk,
        title=session.title,
        project=session.project.name,
        owned=Owned(session.project_id, session.owner_id),
        owner=session.owner.get_username(),
        model=session.model,
        state=turn.state,
        reason=turn.reason,
        ended_at=turn.ended_at or session.created_at,
    )


def _turn_row(turn: Turn, *, taken_back: bool) -> TurnRow:
    worker = turn.worker if turn.state == "running" else ""
    return TurnRow(
        number=turn.number,
        state=turn.state,
        reason=turn.reason,
        detail=turn.detail,
        worker=worker,
        ended_at=turn.ended_at,
        taken_back=taken_back,
    )


def _revision_row(row: Revision) -> RevisionRow:
    return RevisionRow(
        id=row.pk,
        session_id=row.session_id,
        owned=Owned(row.session.project_id, row.session.owner_id),
        owner=row.session.owner.get_username(),
        model=row.session.model,
        plan_id=row.plan_id,
        version=row.version,
        key=row.key,
        sha256=row.sha256,
        size=row.size,
        title=row.title,
        created_at=row.created_at,
    )


def _task_row(row: BackgroundTask) -> TaskRow:
    return TaskRow(
        number=row.number,
        command=row.command,
        sandboxed=row.sandboxed,
        state=row.state,
        exit_code=row.exit_code,
        reason=row.reason,
        size=row.size,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def _schedule_row(row: Schedule) -> ScheduleRow:
    return ScheduleRow(
        number=row.number,
        cron=row.cron,
        prompt=row.prompt,
        once=row.once,
        active=row.active,
        next_at=row.next_at,
        last_at=row.last_at,
    )
