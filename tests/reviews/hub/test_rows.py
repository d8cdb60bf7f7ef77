"""What the hub reads, in a fixed number of queries."""

import json
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as Login
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from planmode import queries
from planmode.access.may import Action, may
from planmode.access.models import Membership, Project
from reviews import feed
from reviews.feed import Change
from reviews.hub import rows
from reviews.hub.rows import FEED, Asked, Page, Person, SessionLog
from tests.factories import play, submits

CARD = UUID(int=5)


def logged_in(user: User) -> Person:
    """Return ``user`` in a new browser."""
    client = Client()
    client.force_login(user)
    return Person(user.pk, client.cookies["sessionid"].value, user.get_session_auth_hash())


def told(project: Project, owner: User, version: int = 1) -> int:
    """Put a change into the feed; return its cursor."""
    feed.publish([Change("plan_review.opened", project.pk, owner.pk, CARD, version)])
    return feed.head()


def read(person: Person, after: int) -> Page:
    found = rows.page(person, FEED, after)
    assert found is not None
    return found


def ask(*people: Person, cursor: int | None = None, check: bool = False) -> Asked:
    return Asked(cursor, {}, frozenset(people), check=check)


def test_a_hint_says_what_changed_and_nothing_more(
    project: Project, operator: User, reviewer: User
) -> None:
    cursor = told(project, operator, version=3)
    (hint,) = read(logged_in(reviewer), cursor - 1).hints
    said = {"cursor": cursor, "kind": "plan_review.opened", "id": str(CARD), "version": 3}
    assert json.loads(hint.text) == said


def test_nobody_catches_up_on_projects_that_are_not_theirs(
    project: Project, operator: User, reviewer: User
) -> None:
    mine = told(project, operator)
    other = told(Project.objects.create(name="other"), operator)
    page = read(logged_in(reviewer), 0)
    assert [hint.cursor for hint in page.hints] == [mine]
    assert page.cursor == other, "what was not for them counts as heard"


def test_a_cursor_from_the_future_means_the_newest(
    project: Project, operator: User, reviewer: User
) -> None:
    newest = told(project, operator)
    page = read(logged_in(reviewer), newest + 1000)
    assert (page.hints, page.cursor) == ((), newest)


def test_a_long_absence_comes_in_pages(
    project: Project, operator: User, reviewer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "PAGE", 2)
    cursors = [told(project, operator) for _ in range(3)]
    person = logged_in(reviewer)
    first = read(person, cursors[0] - 1)
    assert ([hint.cursor for hint in first.hints], first.more) == (cursors[:2], True)
    second = read(person, first.cursor)
    assert ([hint.cursor for hint in second.hints], second.more) == (cursors[2:], False)


def test_who_has_no_role_that_hears_the_feed_may_not_listen(manager: User, stranger: User) -> None:
    assert rows.page(logged_in(manager), FEED, 0) is None
    assert rows.page(logged_in(stranger), FEED, 0) is None


def test_a_session_is_heard_by_who_may_read_it(
    project: Project, operator: User, reviewer: User, manager: User
) -> None:
    work = play(operator, [submits()])
    log = SessionLog(work.id, queries.owned(work.id))
    seq = queries.session(work.id).seq
    page = rows.page(logged_in(reviewer), log, 1)
    assert page is not None
    assert [json.loads(hint.text) for hint in page.hints] == [{"seq": seq}]
    level = rows.page(logged_in(reviewer), log, seq)
    assert level is not None
    assert level.hints == ()
    assert rows.page(logged_in(manager), log, 1) is None


def test_news_name_the_logs_that_have_grown(
    project: Project, operator: User, reviewer: User
) -> None:
    work = play(operator, [submits()])
    log, person = SessionLog(work.id, queries.owned(work.id)), logged_in(reviewer)
    heard = queries.session(work.id).seq
    level = rows.news(Asked(None, {log: heard}, frozenset({person}), check=False))
    assert (dict(level.logs), level.callers) == ({}, None)
    work.work()
    grown = rows.news(Asked(None, {log: heard}, frozenset({person}), check=False))
    assert grown.logs[log].cursor == queries.session(work.id).seq
    assert grown.callers is not None
    assert may(grown.callers[person], Action.READ_PLAN, log.owned)


def test_news_take_as_many_queries_for_many_people_as_for_one(
    project: Project,
    operator: User,
    reviewer: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    cursor = told(project, operator)
    people = [logged_in(user) for user in (operator, reviewer) for _ in range(5)]
    with django_assert_num_queries(4):
        rows.news(ask(people[0], cursor=cursor - 1))
    with django_assert_num_queries(4):
        rows.news(ask(*people, cursor=cursor - 1))
    with django_assert_num_queries(1):
        assert rows.news(ask(*people, cursor=cursor)).callers is None


def test_rights_are_those_of_now(project: Project, reviewer: User) -> None:
    person = logged_in(reviewer)
    Membership.objects.all().delete()
    assert rows.callers([person])[person].roles == frozenset()


def log_out(person: Person, user: User) -> None:
    Login.objects.filter(session_key=person.login).delete()


def expire(person: Person, user: User) -> None:
    Login.objects.filter(session_key=person.login).update(
        expire_date=timezone.now() - timedelta(seconds=1)
    )


def deactivate(person: Person, user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(person: Person, user: User) -> None:
    user.set_password("another-pass-word")
    user.save()


@pytest.mark.parametrize("end", [log_out, expire, deactivate, change_password])
def test_a_log_in_that_ended_is_known_no_more(
    reviewer: User, end: Callable[[Person, User], None]
) -> None:
    gone, still = logged_in(reviewer), logged_in(reviewer)
    end(gone, reviewer)
    known = rows.callers([gone, still])
    assert gone not in known
    assert (still in known) is (end in {log_out, expire}), "another browser's log-in is its own"
