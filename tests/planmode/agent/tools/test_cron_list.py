"""CronList: what is still to come."""

import pytest
from django.contrib.auth.models import User

from planmode import services
from tests.jobs import Desk

pytestmark = pytest.mark.django_db


def test_nothing_is_there_at_first(operator: User) -> None:
    assert Desk(operator).text("CronList") == "Nothing is scheduled."


def test_each_schedule_that_is_to_come_is_a_line(operator: User) -> None:
    desk = Desk(operator)
    desk.text("CronCreate", cron="0 9 * * *", prompt="Look\nat it.")
    desk.text("CronCreate", cron="1 9 * * *", prompt="gone")
    desk.text("CronCreate", cron="2 9 1 1 *", prompt="x" * 500, once=True)
    services.delete_schedule(desk.play.id, 2)
    first, second = desk.text("CronList").splitlines()
    assert first.startswith("1: 0 9 * * * (UTC), each time, next at ")
    assert first.endswith(" 09:00: Look at it.")
    assert second.startswith("3: 2 9 1 1 * (UTC), once, next at ")
    assert second.endswith("-01-01 09:02: " + "x" * 200 + " …")
