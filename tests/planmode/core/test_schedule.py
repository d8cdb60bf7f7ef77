"""Cron lines: what is taken, and when they come true."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.errors import ScheduleInvalidError
from planmode.core.schedule import LONGEST_LINE, checked_line, next_time

NOW = datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC)


def at(day: int, hour: int, minute: int) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "then"),
    [
        ("* * * * *", at(1, 12, 1)),
        ("0 9 * * *", at(2, 9, 0)),
        ("0 9 * * 1-5", at(2, 9, 0)),
        ("*/15 * * * *", at(1, 12, 15)),
        ("30 12 1 * *", at(1, 12, 30)),
        ("0 0 * * sun", at(8, 0, 0)),
        ("0 12 1 3 *", datetime(2027, 3, 1, 12, tzinfo=UTC)),
        ("0 0 29 2 *", datetime(2028, 2, 29, tzinfo=UTC)),
    ],
)
def test_the_next_time(line: str, then: datetime) -> None:
    assert next_time(checked_line(line), NOW) == then


def test_times_are_utc_whatever_the_clock_says() -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert next_time("0 13 * * *", tokyo) == at(1, 13, 0)


def test_the_moment_itself_is_not_later() -> None:
    assert next_time("0 12 * * *", at(1, 12, 0)) == at(2, 12, 0)


def test_blanks_between_fields_do_not_count() -> None:
    assert checked_line("  0\t9  * *   * ") == "0 9 * * *"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "* * * *",
        "* * * * * *",  # with seconds: more often than once a minute
        "@daily",
        "60 * * * *",
        "* 24 * * *",
        "*/0 * * * *",
        "0 0 31 2 *",
        "5-1 * * * *",
        "L/2/2 * * * *",
        "0 0 * * 1#2/2",
        "0 0 * * L",
        "٣ * * * *",
        "every day at nine o'clock",
        "* * * * " + "1," * LONGEST_LINE + "1",
    ],
)
def test_what_can_t_be_read_is_refused(line: str) -> None:
    with pytest.raises(ScheduleInvalidError, match="cron line"):
        checked_line(line)


def test_a_line_that_never_comes_true_is_refused() -> None:
    never = checked_line("0 0 */31 * 1#2")  # a first of the month that is its second Monday
    with pytest.raises(ScheduleInvalidError, match="never comes true"):
        next_time(never, NOW)


@given(st.text(alphabet="0123456789*/-,#LW ", max_size=30))
def test_nothing_breaks_the_reader(text: str) -> None:
    """Whatever is asked for: a later time, or a refusal."""
    try:
        then = next_time(checked_line(text), NOW)
    except ScheduleInvalidError:
        return
    assert then > NOW
