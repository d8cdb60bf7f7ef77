"""Sessions, their log, turns, plan files, blobs and revisions."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from uuid6 import uuid7

from planmode.core import state as core
from planmode.core.background import TaskState
from planmode.core.events import TurnState

CUT_STATES = (TurnState.FAILED.value, TurnState.STOPPED.value)
"""What a turn may be whose session needs somebody."""
OPEN_STATES = (TurnState.QUEUED.value, TurnState.RUNNING.value, TurnState.WAITING.value)


class Session(models.Model):
    """One agent at work on one workspace.

    ``state`` is the fold of the log, written with the events; ``seq`` and ``head`` are the log's
    length and last hash. ``parent`` is the session whose agent started this one's, a child.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    project = models.ForeignKey("access.Project", on_delete=models.PROTECT, related_name="+")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sessions"
    )
    title = models.CharField(max_length=200)
    workspace = models.CharField(max_length=1024)
    model = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    seq = models.PositiveBigIntegerField(default=0)
    head = models.CharField(max_length=64, blank=True)
    state = models.JSONField(default=dict)
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="children"
    )

    class Meta:
        indexes = [models.Index(fields=["project", "-created_at"], name="session_by_project")]

    def __str__(self) -> str:
        return f"session {self.pk}"

    @property
    def fold(self) -> core.SessionState:
        """The stored state as a value."""
        return core.loaded(self.state) if self.state else core.EMPTY


class EventRecord(models.Model):
    """One event of a session: ``canonical`` is the truth, the other columns are its index."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="records")
    seq = models.PositiveBigIntegerField()
    name = models.CharField(max_length=40)
    at = models.DateTimeField()
    canonical = models.BinaryField()
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="event_position_once"),
            models.UniqueConstraint(fields=["session", "previous"], name="event_chain_no_fork"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.seq} {self.name}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A worker's right to a turn; void as soon as the row's fencing number is another one."""

    turn_id: int
    session_id: UUID
    fence: int
    idle: int = 1
    """How many claims in a row there were, this one included, without any event since."""


class TurnQuerySet(models.QuerySet["Turn"]):
    """Questions about turns, and the one way to get hold of one."""

    def due(self) -> Self:
        """Return turns that a worker should take: queued and not too early, or left by a worker.

        A turn that was cancelled keeps its lease while a tool of it may still run: until that is
        over, the session's next turn waits, so that no two act on one workspace.
        """
        fresh = Q(state=TurnState.QUEUED, due_at__lte=Now())
        lost = Q(state=TurnState.RUNNING, lease_until__lt=Now())
        acting = Turn.objects.filter(
            session=OuterRef("session"), state=TurnState.CANCELLED, lease_until__gte=Now()
        )
        return self.filter(fresh | lost).exclude(Exists(acting))

    def open(self) -> Self:
        """Return turns that have not ended."""
        return self.filter(state__in=OPEN_STATES)

    def held(self, claim: Claim) -> Self:
        """Return the turn of ``claim`` as long as the claim is good."""
        return self.filter(pk=claim.turn_id, fence=claim.fence, state=TurnState.RUNNING)

    def claim(self, turn_id: int, *, worker: str, lease: timedelta) -> Claim | None:
        """Return a claim with a new fencing number, or ``None`` when there is nothing to do.

        One UPDATE, on condition that the number is still the one that was read: of two workers one
        wins, and no worker takes its successor's number for its own, however long it sleeps
        between two statements. Leases run on the database's clock.
        """
        turn = self.due().filter(pk=turn_id).first()
        if turn is None:
            return None
        seq = Session.objects.values_list("seq", flat=True).get(pk=turn.session_id)
        claim = Claim(turn.pk, turn.session_id, turn.fence + 1, turn.idle_after(seq))
        won = (
            self.due()
            .filter(pk=turn_id, fence=turn.fence)
            .update(
                state=TurnState.RUNNING,
                worker=worker,
                lease_until=Now() + lease,
                fence=claim.fence,
                idle_claims=claim.idle,
                claimed_seq=seq,
            )
        )
        return claim if won else None


class Turn(models.Model):
    """From a user message to the agent's stop. The row is the queue; Celery only says "look".

    ``fence`` grows with each claim: a worker that lost its claim can write nothing more.
    ``idle_claims`` counts those in a row that found the log as long as the one before had,
    ``claimed_seq``: workers that die with the turn leave no other trace.
    """

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="turns")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=12, default=TurnState.QUEUED.value)
    due_at = models.DateTimeField(db_default=Now())
    worker = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.PositiveIntegerField(default=0)
    idle_claims = models.PositiveIntegerField(default=0)
    claimed_seq = models.PositiveBigIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=60, blank=True)
    detail = models.TextField(blank=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="turn_number_once"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(state__in=OPEN_STATES), name="one_open_turn"
            ),
            models.CheckConstraint(
                condition=~Q(state=TurnState.RUNNING) | Q(lease_until__isnull=False),
                name="running_has_lease",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "due_at"], condition=Q(state__in=OPEN_STATES), name="turn_due"
            ),
            models.Index(
                fields=["ended_at"], condition=Q(state__in=CUT_STATES), name="turn_cut_short"
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.number} of {self.session_id}: {self.state}"

    def idle_after(self, seq: int) -> int:
        """Return the number of idle claims, with one made now, when the log's length is ``seq``."""
        return self.idle_claims + 1 if self.claimed_seq == seq else 1


class Blob(models.Model):
    """Bytes that never change, named by their SHA-256."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    size = models.PositiveBigIntegerField()
    stored_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.sha256[:12]} ({self.size} bytes)"


class Revision(models.Model):
    """A submitted plan: the exact bytes, for ever."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="revisions")
    plan_id = models.CharField(max_length=120)
    version = models.PositiveIntegerField()
    key = models.CharField(max_length=160)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    title = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "plan_id", "version"], name="revision_version_once"
            ),
        ]
        indexes = [models.Index(fields=["-created_at", "-id"], name="revision_newest")]

    def __str__(self) -> str:
        return f"{self.plan_id} v{self.version}"


class PlanFile(models.Model):
    """The plan file's current bytes, so that any worker can put the file back."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="plan_files")
    agent = models.CharField(max_length=60, default="main")
    plan_id = models.CharField(max_length=120)
    content = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "agent", "plan_id"], name="plan_file_once"),
        ]

    def __str__(self) -> str:
        return f"plan file {self.plan_id} of {self.session_id}"


class Heartbeat(models.Model):
    """A process that works on turns was alive at ``seen_at`` (the database's clock).

    ``address`` is the URL of the pages that it serves, without a slash at its end; else empty.
    """

    worker = models.CharField(max_length=120, primary_key=True)
    address = models.CharField(max_length=300, blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.worker} at {self.seen_at}"


class BackgroundTaskQuerySet(models.QuerySet["BackgroundTask"]):
    """Questions about background tasks."""

    def running(self) -> Self:
        """Return those whose end nobody has noted yet."""
        return self.filter(state=TaskState.RUNNING)


class BackgroundTask(models.Model):
    """A command that goes on after its call; ``number`` counts the session's from 1.

    ``host``, ``spot``, ``pid`` and ``pid_started`` name the process that follows it (see
    ``core.background.Identity``), ``mark`` what it started where there is no sandbox. ``limit_s``
    is its time in seconds, ``size`` its output in bytes, known once it has ended.
    """

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="tasks")
    number = models.PositiveIntegerField()
    call_id = models.CharField(max_length=200)
    command = models.TextField()
    sandboxed = models.BooleanField()
    limit_s = models.PositiveIntegerField()
    mark = models.CharField(max_length=32, blank=True)
    state = models.CharField(max_length=12, default=TaskState.RUNNING.value)
    exit_code = models.IntegerField(null=True, blank=True)
    reason = models.CharField(max_length=20, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    host = models.CharField(max_length=255, blank=True)
    spot = models.CharField(max_length=120, blank=True)
    pid = models.PositiveIntegerField(null=True, blank=True)
    pid_started = models.PositiveBigIntegerField(default=0)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = BackgroundTaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="task_number_once"),
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in TaskState]), name="task_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=TaskState.RUNNING, ended_at__isnull=True)
                | (~Q(state=TaskState.RUNNING) & Q(ended_at__isnull=False)),
                name="task_ended_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state=TaskState.DONE) | Q(exit_code=0, exit_code__isnull=False),
                name="task_done_has_code",
            ),
        ]
        indexes = [
            models.Index(
                fields=["started_at"], condition=Q(state=TaskState.RUNNING), name="task_running"
            )
        ]

    def __str__(self) -> str:
        return f"task {self.number} of {self.session_id}: {self.state}"


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    """Questions about scheduled prompts."""

    def active(self) -> Self:
        """Return those that will be given again."""
        return self.filter(active=True)

    def due(self, now: datetime) -> Self:
        """Return active ones whose time has come at ``now`` (aware)."""
        return self.active().filter(next_at__lte=now)


class Schedule(models.Model):
    """A prompt that the session is given at the times of a cron line (UTC).

    ``last_at`` is when it was last given, ``last_seq`` the log's number of that message.
    """

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="schedules")
    number = models.PositiveIntegerField()
    cron = models.CharField(max_length=100)
    prompt = models.TextField()
    once = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    created_by_call = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    next_at = models.DateTimeField()
    last_at = models.DateTimeField(null=True, blank=True)
    last_seq = models.PositiveBigIntegerField(null=True, blank=True)

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="schedule_number_once"),
            models.CheckConstraint(
                condition=Q(last_at__isnull=True, last_seq__isnull=True)
                | Q(last_at__isnull=False, last_seq__isnull=False),
                name="schedule_given_is_logged",
            ),
            models.CheckConstraint(
                condition=~Q(active=True, once=True, last_at__isnull=False),
                name="schedule_once_is_once",
            ),
        ]
        indexes = [models.Index(fields=["next_at"], condition=Q(active=True), name="schedule_next")]

    def __str__(self) -> str:
        return f"schedule {self.number} of {self.session_id}: {self.cron}"
