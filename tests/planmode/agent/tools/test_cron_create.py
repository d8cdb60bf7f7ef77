"""CronCreate: a row, and what the agent is told of it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode import schedules
from planmode.agent.catalog import TOOLS, parse
from planmode.models import Schedule
from planmode.schedules import MOST_ACTIVE, NewSchedule
from tests.jobs import Desk

pytestmark = pytest.mark.django_db


def test_a_schedule_is_kept_with_its_first_time(operator: User) -> None:
    desk = Desk(operator)
    told = desk.text("CronCreate", cron="*  * * * *", prompt="Look at the build.")
    row = Schedule.objects.get()
    assert told == f"Schedule 1: the prompt comes first at {row.next_at:%F %R} UTC."
    assert (row.cron, row.prompt, row.once) == ("* * * * *", "Look at the build.", False)
    assert row.created_by_call == "call-1"
    assert timedelta() < row.next_at - row.created_at <= timedelta(minutes=1)


def test_what_comes_once_says_so(operator: User) -> None:
    told = Desk(operator).text("CronCreate", cron="0 9 * * *", prompt="Look.", once=True)
    assert "comes once, at " in told


def test_what_can_t_be_scheduled_is_an_error(operator: User) -> None:
    desk = Desk(operator)
    assert "five fields" in desk.error("CronCreate", cron="@daily", prompt="Look.")
    assert "blank" in desk.error("CronCreate", cron="0 9 * * *", prompt="\u200b")
    new = NewSchedule("c", "0 9 * * *", "Look.")
    for _ in range(MOST_ACTIVE):
        schedules.create(desk.claim, new, now=timezone.now())
    assert "delete one first" in desk.error("CronCreate", cron="0 9 * * *", prompt="Look.")


def test_the_summary_tells_times_and_prompt() -> None:
    tool = TOOLS["CronCreate"]
    args = parse(tool, '{"cron": "0 9 * * *", "prompt": "Look\\nat it", "once": true}')
    assert tool.summary(args) == "Once at 0 9 * * * (UTC) tell the agent: Look at it"
    long = parse(tool, '{"cron": "0 9 * * *", "prompt": "' + "x" * 5000 + '"}')
    assert tool.summary(long).startswith("At each 0 9 * * * (UTC) tell the agent: xxx")
    assert tool.summary(long).endswith("… (5000 characters)")
