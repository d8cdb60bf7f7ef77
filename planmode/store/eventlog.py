"""The append-only log of a session, and the state that it folds to."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from planmode.core import state as core
from planmode.core import wire
from planmode.core.errors import ClaimLostError, EventUnknownError, SessionUnknownError
from planmode.core.events import Event
from planmode.models import Claim, EventRecord, Session, Turn
from planmode.signals import Appended, Logged, events_appended

E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class Log:
    """A session's log in the hands of one transaction; ``state`` includes what was added."""

    session: Session
    state: core.SessionState
    now: datetime
    seq: int
    _added: list[Event] = field(default_factory=list)

    def add(self, *events: Event) -> None:
        """Add ``events`` behind what the log holds; they are written when the block ends."""
        for event in events:
            self.seq += 1
            self.state = core.apply(self.state, event, seq=self.seq, past=self._past)
            self._added.append(event)

    def _past(self, length: int) -> core.SessionState:
        """Return the state after the first ``length`` events, which are written already."""
        return core.fold(item.event for item in read(self.session.pk, limit=length))

    def _flush(self) -> None:
        """Write what was added: records, state, signal, in this order, as the last acts."""
        if not self._added:
            return
        session, first = self.session, self.session.seq + 1
        records = _chained(session, first, [(event, self.now) for event in self._added])
        EventRecord.objects.bulk_create(records)
        session.seq, session.head = self.seq, records[-1].hash
        session.state = core.dumped(self.state)
        session.save(update_fields=["seq", "head", "state"])
        logged = [
            Logged(record.seq, record.at, event, record.hash)
            for record, event in zip(records, self._added, strict=True)
        ]
        self._added = []
        appended = Appended(session.pk, session.project_id, session.owner_id, logged)
        events_appended.send(sender=Session, appended=appended)


@contextmanager
def writing(session_id: UUID, *, claim: Claim | None = None) -> Iterator[Log]:
    """Open the log for one transaction: load, decide, add; what was added is written at its end.

    The session's row is locked from the start, so decisions rest on the newest state. A worker
    passes its ``claim``, which is checked, locked and renewed here.

    Raises:
        SessionUnknownError: no such session.
        ClaimLostError: another worker holds the turn; nothing was written.
    """
    with transaction.atomic():
        session = Session.objects.select_for_update().filter(pk=session_id).first()
        if session is None:
            raise SessionUnknownError(f"no session {session_id}")
        if claim is not None:
            _hold(claim)
        log = Log(session, session.fold, timezone.now(), session.seq)
        yield log
        log._flush()  # noqa: SLF001 - the block's end is the only place that writes


@contextmanager
def creating(session: Session) -> Iterator[Log]:
    """Save a new session and open its log, in one transaction."""
    with transaction.atomic():
        session.save(force_insert=True)
        log = Log(session, core.EMPTY, timezone.now(), 0)
        yield log
        log._flush()  # noqa: SLF001 - as in writing()


@contextmanager
def copying(session: Session, past: Sequence[Logged]) -> Iterator[Log]:
    """Save a new session whose log begins as another's did, and open it, in one transaction.

    ``past`` gets links of this log's own chain, and keeps the times at which it happened. Nobody
    is told of it: cards, figures and audit facts belong to the session in which it happened.
    """
    with transaction.atomic():
        session.save(force_insert=True)
        records = _chained(session, 1, [(logged.event, logged.at) for logged in past])
        EventRecord.objects.bulk_create(records)
        session.seq, session.head = len(records), records[-1].hash
        state = core.fold(logged.event for logged in past)
        log = Log(session, state, timezone.now(), session.seq)
        yield log
        log._flush()  # noqa: SLF001 - as in writing()


def _hold(claim: Claim) -> None:
    lease = timedelta(seconds=settings.LEASE_S)
    if not Turn.objects.held(claim).update(lease_until=Now() + lease):
        raise ClaimLostError(f"turn {claim.turn_id} is in other hands")


def _chained(
    session: Session, first: int, events: Sequence[tuple[Event, datetime]]
) -> list[EventRecord]:
    previous = session.head or wire.NO_HASH
    records = []
    for seq, (event, at) in enumerate(events, start=first):
        name, payload = wire.dumped(event)
        content = wire.canonical(
            {
                "at": at.isoformat(timespec="microseconds"),
                "data": payload,
                "name": name,
                "seq": seq,
                "session": str(session.pk),
                "v": wire.VERSION,
            }
        )
        link = wire.link("event", previous, content)
        records.append(
            EventRecord(
                session=session,
                seq=seq,
                name=name,
                at=at,
                canonical=content,
                previous=previous,
                hash=link,
            )
        )
        previous = link
    return records


def read(session_id: UUID, *, after: int = 0, limit: int | None = None) -> list[Logged]:
    """Return the events behind number ``after``, oldest first, at most ``limit``."""
    rows = EventRecord.objects.filter(session_id=session_id, seq__gt=after).order_by("seq")
    return [_logged(row) for row in rows[:limit]]


def newest(session_id: UUID, *, before: int | None = None, limit: int) -> list[Logged]:
    """Return the last ``limit`` events before number ``before`` (or of all), oldest first."""
    rows = EventRecord.objects.filter(session_id=session_id)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    return [_logged(row) for row in rows.order_by("-seq")[:limit]][::-1]


def of_kinds(session_id: UUID, *kinds: type[Event]) -> list[Logged]:
    """Return all events of these kinds, oldest first: for kinds of which a log has few."""
    names = [wire.name_of(kind) for kind in kinds]
    rows = EventRecord.objects.filter(session_id=session_id, name__in=names).order_by("seq")
    return [_logged(row) for row in rows]


def at(session_id: UUID, seq: int) -> Event:
    """Return the event number ``seq``, which the caller knows to exist."""
    return _logged(EventRecord.objects.get(session_id=session_id, seq=seq)).event


def find_last(session_id: UUID, kind: type[E]) -> E | None:
    """Return the newest event of ``kind``, ``None`` when there is none."""
    rows = EventRecord.objects.filter(session_id=session_id, name=wire.name_of(kind))
    row = rows.order_by("-seq").first()
    found = _logged(row).event if row else None
    return found if isinstance(found, kind) else None


def last(session_id: UUID, kind: type[E]) -> E:
    """Return the newest event of ``kind``.

    Raises:
        EventUnknownError: there is none, although the log says that there must be.
    """
    found = find_last(session_id, kind)
    if found is None:
        raise EventUnknownError(f"the log of {session_id} lacks {wire.name_of(kind)}")
    return found


def _logged(row: EventRecord) -> Logged:
    value: dict[str, Any] = wire.parsed(bytes(row.canonical))
    event = wire.loaded(value["name"], value["v"], value["data"])
    return Logged(row.seq, row.at, event, row.hash)
