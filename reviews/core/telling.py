"""What people are told, and when an e-mail about it may go."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

SOON: Final = timedelta(hours=1)
"""So long before its deadline people are told that a review expires."""
FIRST_RETRY: Final = timedelta(seconds=30)
LONGEST_RETRY: Final = timedelta(hours=1)
MOST_ATTEMPTS: Final = 100
_MOST_DOUBLINGS: Final = 8
_HOUR: Final = 60


class NoticeKind(StrEnum):
    """Why somebody is told something."""

    NEEDED = "needed"  # a card waits for somebody like them
    REVISED = "revised"  # the plan that they asked to change came again
    ASSIGNED = "assigned"
    MENTIONED = "mentioned"
    DECIDED = "decided"  # on their own agent's plan
    EXPIRING = "expiring"


ASKS: Final = frozenset(
    {NoticeKind.NEEDED, NoticeKind.REVISED, NoticeKind.ASSIGNED, NoticeKind.EXPIRING}
)
"""Those that mean nothing any more once the card is closed."""


@dataclass(frozen=True, slots=True)
class Wish:
    """When a person wants e-mail: at once, or at ``digest_minute`` of the day.

    Minutes count from midnight in ``zone``. Between ``quiet_from`` and ``quiet_to`` nothing is
    sent; the same twice is no quiet time.
    """

    zone: str = "UTC"
    digest_minute: int | None = None
    quiet_from: int = 0
    quiet_to: int = 0


def mail_at(now: datetime, wish: Wish) -> datetime:
    """Return when an e-mail about what happened at ``now`` (aware) goes: then, or later."""
    at = now if wish.digest_minute is None else _next(now, wish.digest_minute, wish.zone)
    return _next(at, wish.quiet_to, wish.zone) if _is_quiet(at, wish) else at


def retry_at(now: datetime, attempts: int) -> datetime | None:
    """Return when what failed ``attempts`` times (from 1) is tried again; ``None``: never more.

    The waits double up to an hour, over about four days.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    doubled: int = 2 ** min(attempts - 1, _MOST_DOUBLINGS)
    return now + min(FIRST_RETRY * doubled, LONGEST_RETRY)


def _is_quiet(at: datetime, wish: Wish) -> bool:
    local = at.astimezone(ZoneInfo(wish.zone))
    minute = local.hour * _HOUR + local.minute
    if wish.quiet_from <= wish.quiet_to:
        return wish.quiet_from <= minute < wish.quiet_to
    return minute >= wish.quiet_from or minute < wish.quiet_to


def _next(after: datetime, minute: int, zone: str) -> datetime:
    """Return the first time behind ``after`` at which the clock of ``zone`` shows ``minute``."""
    local = ZoneInfo(zone)
    day = after.astimezone(local).date()
    clock = time(minute // _HOUR, minute % _HOUR, tzinfo=local)
    today = datetime.combine(day, clock)
    # Compared in UTC: within one zone Python compares what clocks show, and they are set back.
    if today.timestamp() > after.timestamp():
        return today
    return datetime.combine(day + timedelta(days=1), clock)
