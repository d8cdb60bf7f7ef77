"""When an e-mail may go."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.telling import FIRST_RETRY, LONGEST_RETRY, MOST_ATTEMPTS, Wish, mail_at, retry_at

ZONES = st.sampled_from(["UTC", "Europe/Berlin", "Asia/Shanghai", "Australia/Lord_Howe"])
MINUTES = st.integers(0, 1439)
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
MOMENTS = st.integers(0, 2 * 365 * 24 * 60).map(lambda minutes: BEGIN + timedelta(minutes=minutes))
NIGHT = Wish(quiet_from=22 * 60, quiet_to=6 * 60)
NOON = Wish(quiet_from=12 * 60, quiet_to=13 * 60)


def at(hour: int, minute: int = 0, day: int = 1) -> datetime:
    return datetime(2026, 12, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "wish", "goes"),
    [
        pytest.param(at(9), Wish(), at(9), id="at once"),
        pytest.param(at(9), Wish(digest_minute=480), at(8, day=2), id="tomorrow's digest"),
        pytest.param(at(7), Wish(digest_minute=480), at(8), id="today's digest"),
        pytest.param(at(8), Wish(digest_minute=480), at(8, day=2), id="just missed"),
        pytest.param(at(23), NIGHT, at(6, day=2), id="before midnight"),
        pytest.param(at(3), NIGHT, at(6), id="after midnight"),
        pytest.param(at(6), NIGHT, at(6), id="the quiet time is over"),
        pytest.param(at(21, 59), NIGHT, at(21, 59), id="not quiet yet"),
        pytest.param(at(12), NOON, at(13), id="within a day"),
        pytest.param(at(13), NOON, at(13), id="after it"),
        pytest.param(at(4), Wish("Asia/Shanghai", 12 * 60 + 30), at(4, 30), id="own zone"),
    ],
)
def test_when_an_email_goes(now: datetime, wish: Wish, goes: datetime) -> None:
    assert mail_at(now, wish) == goes


@given(MOMENTS, ZONES, MINUTES, MINUTES)
def test_no_email_goes_early_or_in_the_quiet_time(
    now: datetime, zone: str, start: int, end: int
) -> None:
    goes = mail_at(now, Wish(zone, None, start, end))
    assert timedelta(0) <= goes - now <= timedelta(hours=26)
    if goes != now:
        local = goes.astimezone(ZoneInfo(zone))
        assert goes.timestamp() > now.timestamp()
        # An hour that is left out when clocks are put forward has another name.
        assert (local.hour * 60 + local.minute - end) % 60 in {0, 30}


@given(MOMENTS, st.integers(1, MOST_ATTEMPTS - 1))
def test_retries_come_ever_later_and_within_the_hour(now: datetime, attempts: int) -> None:
    this, following = retry_at(now, attempts), retry_at(now, attempts + 1)
    assert this is not None
    assert FIRST_RETRY <= this - now <= LONGEST_RETRY
    assert following is None or this <= following


def test_retries_end() -> None:
    assert retry_at(at(9), MOST_ATTEMPTS) is None
