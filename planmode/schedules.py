"""Prompts that a session is given by the clock."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import OperationalError
from django.db.models import Max

from planmode import turns
from planmode.core import events as ev
from planmode.core import schedule as lines
from planmode.core import wire
from planmode.core.errors import (
    MessageInvalidError,
    ScheduleInvalidError,
    ScheduleUnknownError,
    TooManyJobsError,
)
from planmode.models import Claim, EventRecord, Schedule
from planmode.store import eventlog
from planmode.store.eventlog import Log
from prompts.rendering import escaped, render
from prompts.unseen import says_something

logger = logging.getLogger(__name__)

MOST_ACTIVE: Final = 20
"""Schedules of one session that are still to come."""
MOST_AT_ONCE: Final = 100
"""Schedules that one sweep looks at, the longest due first."""


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """A prompt and the cron line (UTC) of its times; ``once``: the first of them only."""

    call_id: str
    cron: str
    prompt: str
    once: bool = False


def create(claim: Claim, new: NewSchedule, *, now: datetime) -> Schedule:
    """Keep a schedule whose first time is the first one after ``now`` (aware).

    Raises:
        ScheduleInvalidError: the line can't be read, or never comes true.
        MessageInvalidError: the prompt says nothing.
        TooManyJobsError: the session has enough of them.
        ClaimLostError: another worker holds the turn.
    """
    cron = lines.checked_line(new.cron)
    next_at = lines.next_time(cron, now)
    if not says_something(new.prompt):
        raise MessageInvalidError("the prompt is blank")
    with eventlog.writing(claim.session_id, claim=claim) as log:
        schedules = Schedule.objects.filter(session=log.session)
        if schedules.active().count() >= MOST_ACTIVE:
            raise TooManyJobsError(f"{MOST_ACTIVE} schedules are active already; delete one first")
        newest = schedules.aggregate(number=Max("number"))["number"] or 0
        return Schedule.objects.create(
            session=log.session,
            number=newest + 1,
            cron=cron,
            prompt=new.prompt,
            once=new.once,
            created_by_call=new.call_id[:200],
            created_at=now,
            next_at=next_at,
        )


def delete(session_id: UUID, number: int, *, claim: Claim | None = None) -> Schedule:
    """End a schedule: its prompt is not given any more. A worker passes its ``claim``.

    Raises:
        SessionUnknownError: no such session.
        ScheduleUnknownError: it has no active schedule of that number.
        ClaimLostError: another worker holds the turn.
    """
    with eventlog.writing(session_id, claim=claim):
        active = Schedule.objects.filter(session_id=session_id, number=number).active()
        schedule = active.first()
        if schedule is None or not active.update(active=False):
            raise ScheduleUnknownError(f"there is no active schedule {number}")
    schedule.active = False
    return schedule


def wake_due(now: datetime) -> int:
    """Give each prompt whose time has come at ``now`` (aware) once; return how many were given.

    Of two sweepers one gives it. However many times were missed, it comes once, and the next time
    is the first one after ``now``. A session that breaks keeps none of the others waiting: its
    time counts as missed. What the database does not answer is due again with the next sweep.
    """
    due = Schedule.objects.due(now).order_by("next_at")[:MOST_AT_ONCE]
    given = 0
    for schedule in list(due):
        try:
            given += _give(schedule, now)
        except OperationalError:
            raise
        except Exception:
            logger.exception("schedule %s of %s broke", schedule.number, schedule.session_id)
            _move_on(schedule, now)
    return given


def _give(schedule: Schedule, now: datetime) -> bool:
    """Give the prompt, unless another sweeper has, or the one before is still unheard.

    An unheard one whose turn was cancelled gets another turn instead of a second message.
    """
    with eventlog.writing(schedule.session_id) as log:
        # One that was taken back is not heard either, and waits for no step.
        unheard = _unheard(schedule) and log.state.turn.unseen > 0
        if not _move_on(schedule, now, given=None if unheard else log):
            return False
        if not unheard:
            log.add(ev.MessagePosted(_text(schedule), origin=ev.Origin.CRON_JOB))
        if log.state.turn.unseen and not log.state.turn.open:
            turns.queue_turn(log)
        return not unheard


def _unheard(schedule: Schedule) -> bool:
    """Return whether no step began since the prompt was last given."""
    if schedule.last_seq is None:
        return False
    steps = EventRecord.objects.filter(
        session_id=schedule.session_id, name=wire.name_of(ev.StepStarted)
    )
    return not steps.filter(seq__gt=schedule.last_seq).exists()


def _move_on(schedule: Schedule, now: datetime, *, given: Log | None = None) -> bool:
    """Set the next time, if this one is still to be dealt with; return whether it was.

    ``given`` is the log that the prompt is the next event of.
    """
    try:
        next_at = lines.next_time(schedule.cron, now)
    except ScheduleInvalidError:
        next_at = None
    fields: dict[str, object] = {"next_at": next_at or schedule.next_at}
    if given is not None:
        fields |= {"last_at": now, "last_seq": given.seq + 1}
    if next_at is None or (schedule.once and given is not None):
        fields["active"] = False
    due = Schedule.objects.active().filter(pk=schedule.pk, next_at=schedule.next_at)
    return bool(due.update(**fields))


def _text(schedule: Schedule) -> str:
    return render(
        "messages/scheduled",
        number=str(schedule.number),
        cron=schedule.cron,
        prompt=escaped(schedule.prompt),
    )
