"""The installation's chain of facts: one after another, without a fork."""

import hashlib
import json
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from planmode.core import wire
from reviews import audit
from reviews.audit import Fact
from reviews.models import AuditFact
from tests.races import at_once

NOW = datetime(2030, 1, 2, 3, 4, 5, 678, tzinfo=UTC)


def checked_chain() -> int:
    """Recompute the chain; return its length."""
    previous, rows = wire.NO_HASH, AuditFact.objects.order_by("pk")
    for row in rows:
        assert row.previous == previous
        text = f"planmode:audit:1\n{previous}\n".encode() + bytes(row.canonical)
        previous = hashlib.sha256(text).hexdigest()
        assert row.hash == previous
    return len(rows)


@pytest.mark.django_db
def test_facts_are_chained_in_order() -> None:
    audit.record([Fact("a", {"n": 1}), Fact("b", {"n": 2})], now=NOW)
    audit.record([Fact("c", {"n": 3})], now=NOW)
    assert list(AuditFact.objects.order_by("pk").values_list("kind", flat=True)) == ["a", "b", "c"]
    assert checked_chain() == 3


@pytest.mark.django_db
def test_a_fact_s_bytes_are_all_of_it() -> None:
    audit.record([Fact("decision", {"by": 7, "outcome": "approved"})], now=NOW)
    assert json.loads(bytes(AuditFact.objects.get().canonical)) == {
        "at": "2030-01-02T03:04:05.000678+00:00",
        "data": {"by": 7, "outcome": "approved"},
        "kind": "decision",
        "v": 1,
    }


@pytest.mark.django_db
def test_nothing_to_say_is_nothing_written() -> None:
    audit.record([], now=NOW)
    assert not AuditFact.objects.exists()


@pytest.mark.django_db
def test_a_fork_can_t_be_stored() -> None:
    audit.record([Fact("a", {})], now=NOW)
    row = AuditFact.objects.get()
    row.pk, row.hash = None, "f" * 64
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


@pytest.mark.django_db
def test_a_chain_of_events_and_one_of_facts_share_no_link() -> None:
    content = wire.canonical({})
    assert wire.link("audit", wire.NO_HASH, content) != wire.link("event", wire.NO_HASH, content)


@pytest.mark.django_db(transaction=True)
def test_twenty_writers_make_one_chain() -> None:
    """fault:F18."""

    def write(number: int) -> None:
        for step in range(5):
            with transaction.atomic():
                audit.record([Fact("test", {"writer": number, "step": step})], now=NOW)

    assert at_once(write, 20) == [None] * 20
    assert checked_chain() == 100
