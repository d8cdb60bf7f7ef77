"""CronDelete: a prompt that comes no more."""

import pytest
from django.contrib.auth.models import User

from planmode.models import Schedule
from tests.jobs import Desk

pytestmark = pytest.mark.django_db


def test_a_schedule_is_ended_and_stays_a_row(operator: User) -> None:
    desk = Desk(operator)
    desk.text("CronCreate", cron="0 9 * * *", prompt="Look.")
    told = desk.text("CronDelete", schedule=1)
    assert told == "Schedule 1 is deleted: 0 9 * * * comes no more."
    assert not Schedule.objects.get().active
    assert desk.error("CronDelete", schedule=1) == "there is no active schedule 1"


def test_another_session_s_schedule_is_none(operator: User) -> None:
    Desk(operator).text("CronCreate", cron="0 9 * * *", prompt="Look.")
    assert "no active schedule" in Desk(operator).error("CronDelete", schedule=1)
    assert Schedule.objects.get().active
