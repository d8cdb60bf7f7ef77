"""Heartbeats: who works, and who is forgotten."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries

from planmode.models import Heartbeat
from planmode.queries import serving_address, workers_seen
from planmode.store import heartbeats

MINUTE = timedelta(minutes=1)


def silent(worker: str, since: timedelta) -> None:
    Heartbeat.objects.create(worker=worker, seen_at=Now() - since)


@pytest.mark.django_db
def test_a_beat_is_one_write_and_moves_the_moment(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    silent("one", since=timedelta(hours=1))
    assert workers_seen(MINUTE) == []
    with django_assert_num_queries(1):
        heartbeats.beat("one")
    heartbeats.beat("two")
    assert workers_seen(MINUTE) == ["one", "two"]
    assert Heartbeat.objects.count() == 2


@pytest.mark.django_db
def test_who_ends_is_forgotten_and_who_was_silent_for_a_day_too() -> None:
    for worker in ("one", "two"):
        heartbeats.beat(worker)
    silent("killed long ago", since=timedelta(days=2))
    silent("killed today", since=timedelta(hours=2))
    heartbeats.forget("one")
    left = Heartbeat.objects.order_by("worker").values_list("worker", flat=True)
    assert list(left) == ["killed today", "two"]


@pytest.mark.django_db
def test_who_serves_pages_says_where_for_as_long_as_it_lives() -> None:
    heartbeats.beat("works only")
    assert serving_address(MINUTE) == ""
    heartbeats.beat("serves", address="http://127.0.0.1:8000")
    heartbeats.beat("serves", address="http://127.0.0.1:8001")
    assert serving_address(MINUTE) == "http://127.0.0.1:8001"
    Heartbeat.objects.filter(worker="serves").update(seen_at=Now() - timedelta(hours=1))
    assert serving_address(MINUTE) == ""
