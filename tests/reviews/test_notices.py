"""Who is told of what: each person of each thing once."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from planmode.access.models import Project, Role
from reviews.core.decisions import DecisionKind
from reviews.core.telling import NoticeKind
from reviews.models import Absence, Mail, Notice, Preferences, Review
from reviews.notices import News, tell
from reviews.tasks import tell_of_deadlines
from tests.conftest import member
from tests.desk import approve, decide
from tests.factories import Play, call, play, submits


@pytest.fixture(autouse=True)
def server(settings: Settings) -> None:
    settings.EMAIL_HOST = "127.0.0.1"


def told(user: User) -> list[tuple[str, str]]:
    """Return kind and event's last word of all that ``user`` was told."""
    rows = Notice.objects.filter(person=user).order_by("pk")
    return [(row.kind, row.event.split(":")[1]) for row in rows]


def test_who_may_decide_is_told_of_a_plan(operator: User, reviewer: User, manager: User) -> None:
    work = play(operator, [submits()]).work()
    assert told(reviewer) == [("needed", "opened")]
    assert told(operator) == []
    assert told(manager) == []
    assert Notice.objects.get().card_id == work.review.pk


@pytest.mark.parametrize(("allowed", "count"), [(True, 1), (False, 0)])
def test_ones_own_plan_waits_for_one_where_the_project_says_so(
    project: Project,
    operator: User,
    allowed: bool,  # noqa: FBT001 - a test's parameter
    count: int,
) -> None:
    Project.objects.update(allow_self_review=allowed)
    operator.memberships.create(project=project, role=Role.REVIEWER)
    play(operator, [submits()]).work()
    assert len(told(operator)) == count


def test_who_is_away_is_not_told(project: Project, operator: User, reviewer: User) -> None:
    deputy = member(project, "deputy", Role.REVIEWER)
    today = timezone.localdate()
    Absence.objects.create(person=reviewer, first=today, last=today, deputy=deputy)
    play(operator, [submits()]).work()
    assert told(reviewer) == []
    assert told(deputy) == [("needed", "opened")]


def test_a_tool_approval_is_told_to_the_owner_too(operator: User, reviewer: User) -> None:
    play(operator, [{"tool_calls": [call("Write", path="a.txt", content="x")]}], plan=False).work()
    assert told(operator) == [("needed", "opened")]
    assert told(reviewer) == [("needed", "opened")]


def revised(owner: User, by: User) -> Play:
    """Return a session whose plan was sent back, and came again."""
    work = play(owner, [submits(), submits("# Tidy\n\n1. Better\n")]).work()
    decide(work, by, DecisionKind.REVISE, feedback="Better, please")
    return work.work()


def test_who_asked_for_a_change_is_told_that_it_came(
    project: Project, operator: User, reviewer: User
) -> None:
    other = member(project, "other", Role.LEAD)
    revised(operator, reviewer)
    assert told(reviewer) == [("needed", "opened"), ("revised", "opened")]
    assert told(other) == [("needed", "opened"), ("needed", "opened")]


def test_the_owner_is_told_of_a_decision(operator: User, reviewer: User) -> None:
    work = play(operator, [submits()]).work()
    approve(work, reviewer)
    assert told(operator) == [("decided", "decided")]


def test_who_decides_on_their_own_plan_knows_it(project: Project, operator: User) -> None:
    Project.objects.update(allow_self_review=True)
    operator.memberships.create(project=project, role=Role.REVIEWER)
    work = play(operator, [submits()]).work()
    approve(work, operator)
    assert told(operator) == [("needed", "opened")]


def test_what_was_approved_in_the_same_breath_is_told_to_nobody(
    operator: User, reviewer: User
) -> None:
    Project.objects.update(allow_auto=True)
    play(operator, [submits()], permission_mode="auto").work()
    assert Review.objects.get().outcome == "auto_approved"
    assert not Notice.objects.exists()


def test_a_deadline_is_told_once(operator: User, reviewer: User) -> None:
    work = play(operator, [submits()]).work()
    now = timezone.now()
    Review.objects.update(deadline_at=now + timedelta(hours=2))
    tell_of_deadlines()
    assert told(reviewer) == [("needed", "opened")]
    Review.objects.update(deadline_at=now + timedelta(minutes=59))
    for _again in range(2):
        tell_of_deadlines()
    assert told(reviewer) == [("needed", "opened"), ("expiring", "expiring")]
    approve(work, reviewer)
    Review.objects.update(deadline_at=now + timedelta(minutes=58))
    tell_of_deadlines()
    assert len(told(reviewer)) == 2


def test_nobody_is_told_twice_of_one_event(operator: User, reviewer: User) -> None:
    work = play(operator, [submits()]).work()
    news = News(NoticeKind.ASSIGNED, f"{work.review.pk}:opened", work.review.project_id, work.id)
    tell(news, [reviewer.pk, reviewer.pk, 0], now=timezone.now())
    assert told(reviewer) == [("needed", "opened")]


@pytest.mark.parametrize(
    ("mail", "address", "host", "goes"),
    [
        (Mail.EACH, "r@example.org", "mail", True),
        (Mail.DIGEST, "r@example.org", "mail", True),
        (Mail.OFF, "r@example.org", "mail", False),
        (Mail.EACH, "", "mail", False),
        (Mail.EACH, "r@example.org", "", False),
    ],
)
def test_who_gets_an_email(  # noqa: PLR0913, PLR0917 - a row of the table, and who is in it
    operator: User,
    reviewer: User,
    settings: Settings,
    mail: Mail,
    address: str,
    host: str,
    goes: bool,  # noqa: FBT001 - a test's parameter
) -> None:
    settings.EMAIL_HOST = host
    User.objects.filter(pk=reviewer.pk).update(email=address)
    Preferences.objects.create(person=reviewer, mail=mail)
    play(operator, [submits()]).work()
    assert (Notice.objects.get().due_at is not None) == goes
