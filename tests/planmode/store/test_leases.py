"""Leases: kept while one long act is under way, and never won back."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from pytest_django import Settings

from planmode.models import Claim, Turn
from planmode.store import leases
from tests.factories import play

pytestmark = pytest.mark.django_db(transaction=True)

DONE = {"text": "Done."}


class Watched:
    """Stands before the turns' table: lets a test wait for renewals, or fails the first ones."""

    def __init__(self, *, failures: int = 0) -> None:
        self.failures = failures
        self.rows: list[int] = []
        self.renewed = threading.Event()
        self.claim: Claim | None = None

    @property
    def objects(self) -> "Watched":
        """Be the manager, too."""
        return self

    def held(self, claim: Claim) -> "Watched":
        """Be the query, too."""
        self.claim = claim
        return self

    def exists(self) -> bool:
        """Look only."""
        assert self.claim is not None
        return Turn.objects.held(self.claim).exists()

    def update(self, **values: object) -> int:
        """Renew, and say so."""
        assert self.claim is not None
        if self.failures:
            self.failures -= 1
            raise DatabaseError("gone for a moment")
        self.rows.append(Turn.objects.held(self.claim).update(**values))
        self.renewed.set()
        return self.rows[-1]


@pytest.fixture
def claim(operator: User, settings: Settings) -> Claim:
    """A worker's claim; renewals come after some milliseconds."""
    settings.LEASE_S = 0.03
    found = Turn.objects.claim(
        play(operator, [DONE]).turn.pk, worker="w", lease=timedelta(minutes=1)
    )
    assert found is not None
    return found


def renewals(claim: Claim, monkeypatch: pytest.MonkeyPatch, watched: Watched) -> list[int]:
    """Return how many rows each renewal reached while a block ran."""
    monkeypatch.setattr(leases, "Turn", watched)
    with leases.kept(claim):
        assert watched.renewed.wait(30)
    return watched.rows


def test_a_lease_is_renewed_while_the_block_runs(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Turn.objects.get(pk=claim.turn_id).lease_until
    assert renewals(claim, monkeypatch, Watched())[0] == 1
    assert Turn.objects.get(pk=claim.turn_id).lease_until != before


def test_a_claim_that_was_lost_stays_lost(claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    Turn.objects.filter(pk=claim.turn_id).update(fence=claim.fence + 1)
    before = Turn.objects.get(pk=claim.turn_id).lease_until
    assert renewals(claim, monkeypatch, Watched())[0] == 0
    assert Turn.objects.get(pk=claim.turn_id).lease_until == before


def test_the_block_is_told_that_its_claim_is_lost(claim: Claim) -> None:
    with leases.kept(claim) as lost:
        assert not lost.is_set()
        Turn.objects.filter(pk=claim.turn_id).update(state="cancelled")
        assert lost.wait(30)


def test_a_claim_is_looked_at_between_two_renewals(claim: Claim, settings: Settings) -> None:
    """The lease is long, and a cancelled command shall not run on for a third of it."""
    settings.LEASE_S = 3600
    with leases.kept(claim) as lost:
        Turn.objects.filter(pk=claim.turn_id).update(state="cancelled")
        assert lost.wait(30)


def test_a_database_that_is_gone_for_a_moment_is_asked_again(
    claim: Claim,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.LEASE_S = 1.5
    assert renewals(claim, monkeypatch, Watched(failures=2))[0] == 1
    assert caplog.text.count("was not renewed: gone for a moment") == 2


def test_a_lease_that_could_not_be_renewed_in_its_time_is_lost(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes the turn then must not meet a command that still runs."""
    monkeypatch.setattr(leases, "Turn", Watched(failures=10**6))
    with leases.kept(claim) as lost:
        assert lost.wait(30)


def test_nothing_is_left_running_behind_a_block_that_fails(claim: Claim) -> None:
    with pytest.raises(ZeroDivisionError), leases.kept(claim):
        raise ZeroDivisionError
    assert not [thread for thread in threading.enumerate() if thread.name == "lease"]
