"""Cron lines: when a scheduled prompt is due."""

from datetime import UTC, datetime
from typing import Final

from cronsim import CronSim, CronSimError

from planmode.core.errors import ScheduleInvalidError

LONGEST_LINE: Final = 100
_FIELDS: Final = 5


def checked_line(line: str) -> str:
    """Return ``line`` with one blank between its fields.

    Five fields: minute, hour, day of the month, month, day of the week. So a line comes once a
    minute at most.

    Raises:
        ScheduleInvalidError: it has other fields, or a field that can't be read.
    """
    fields = line.split()
    if len(line) > LONGEST_LINE or not line.isascii() or len(fields) != _FIELDS:
        raise ScheduleInvalidError(
            "a cron line has five fields: minute, hour, day of the month, month, day of the week"
        )
    checked = " ".join(fields)
    try:
        CronSim(checked, datetime(2000, 1, 1, tzinfo=UTC))
    except (CronSimError, AssertionError) as error:
        raise ScheduleInvalidError(f"the cron line {checked!r} can't be read: {error}") from error
    return checked


def next_time(line: str, after: datetime) -> datetime:
    """Return the first time of the checked ``line`` later than ``after`` (aware), in UTC.

    Raises:
        ScheduleInvalidError: there is none in the next fifty years.
    """
    found: datetime | None = next(CronSim(line, after.astimezone(UTC)), None)
    if found is None:
        raise ScheduleInvalidError(f"the cron line {line!r} never comes true")
    return found
