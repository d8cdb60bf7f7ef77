"""The feed's numbers become visible in order."""

import threading
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from uuid6 import uuid7

from planmode.access.may import Action, visible
from planmode.access.models import Project
from reviews import feed
from reviews.feed import Change
from reviews.models import FeedEntry
from tests import desk
from tests.races import at_once, together

EVERYTHING = Q()


def change(project: Project, owner: User, *, version: int = 1, card: UUID | None = None) -> Change:
    """Return a change of some card."""
    return Change("plan_review.changed", project.pk, owner.pk, card or uuid7(), version)


@pytest.mark.django_db
def test_changes_are_numbered_in_order(project: Project, operator: User) -> None:
    assert feed.head() == 0
    card = uuid7()
    feed.publish([change(project, operator, version=n, card=card) for n in (1, 2, 3)])
    entries = feed.after(0, EVERYTHING, limit=9)
    assert [entry.version for entry in entries] == [1, 2, 3]
    assert entries[0].pk < entries[1].pk < entries[2].pk == feed.head()
    assert entries[0].card_id == card


@pytest.mark.django_db
def test_who_comes_back_gets_the_rest(project: Project, operator: User) -> None:
    feed.publish([change(project, operator, version=n) for n in (1, 2, 3)])
    first = feed.after(0, EVERYTHING, limit=1)[0]
    assert [entry.version for entry in feed.after(first.pk, EVERYTHING, limit=9)] == [2, 3]
    assert feed.after(feed.head(), EVERYTHING, limit=9) == []


@pytest.mark.django_db
def test_nothing_changed_is_nothing_published(project: Project) -> None:
    feed.publish([])
    assert feed.head() == 0


@pytest.mark.django_db
def test_only_those_who_may_hear_it_do(
    project: Project, operator: User, reviewer: User, manager: User, stranger: User
) -> None:
    feed.publish([change(project, operator)])

    def hears(user: User) -> int:
        seen = visible(desk.caller(user), Action.HEAR_FEED, project="project", owner="owner")
        return len(feed.after(0, seen, limit=9))

    assert [hears(user) for user in (operator, reviewer, manager, stranger)] == [1, 1, 0, 0]


@pytest.mark.django_db(transaction=True)
def test_twenty_writers_lose_no_number(project: Project, operator: User) -> None:
    def write(number: int) -> None:
        with transaction.atomic():
            feed.publish([change(project, operator, version=number)])

    assert at_once(write, 20) == [None] * 20
    assert FeedEntry.objects.count() == 20


@pytest.mark.django_db(transaction=True)
def test_a_reader_never_sees_a_higher_number_first(project: Project, operator: User) -> None:
    """A cursor that went past an invisible number would lose its card for ever."""
    done = threading.Event()
    passed: list[int] = []

    def read() -> None:
        while not done.is_set():
            cursor = passed[-1] if passed else 0
            passed.extend(entry.pk for entry in feed.after(cursor, EVERYTHING, limit=999))

    def write() -> None:
        for _ in range(10):
            with transaction.atomic():
                feed.publish([change(project, operator), change(project, operator)])

    def write_all() -> None:
        try:
            assert together([write] * 6) == [None] * 6
        finally:
            done.set()

    assert together([read, write_all]) == [None, None]
    passed.extend(entry.pk for entry in feed.after(passed[-1] if passed else 0, Q(), limit=999))
    assert passed == list(FeedEntry.objects.order_by("pk").values_list("pk", flat=True))
    assert len(passed) == 120
