"""Turns: claimed by one worker, and known by a number of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from planmode.models import Claim, Turn
from tests import faults
from tests.factories import Play, play

pytestmark = pytest.mark.django_db

DONE = {"text": "Done."}
LEASE = timedelta(seconds=30)


def claim(session: Play, worker: str) -> Claim | None:
    return Turn.objects.claim(session.turn.pk, worker=worker, lease=LEASE)


@contextmanager
def after_statement(word: str, act: Callable[[], object]) -> Iterator[None]:
    """Let ``act`` happen right after the next statement that begins with ``word``, once."""
    done = False

    def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's
        nonlocal done
        result = execute(sql, *rest)
        if sql.startswith(word) and not done:
            done = True
            act()
        return result

    with connection.execute_wrapper(watch):
        yield
    assert done


@pytest.mark.parametrize("word", ["SELECT", "UPDATE"])
def test_a_worker_that_sleeps_while_it_claims_never_has_its_successor_s_number(
    operator: User, word: str
) -> None:
    """Found by review: it read the number of the one that had taken the turn from it."""
    session = play(operator, [DONE])
    second: list[Claim | None] = []

    def overtake() -> None:
        faults.lease_runs_out(session)
        second.append(claim(session, "second"))

    with after_statement(word, overtake):
        first = claim(session, "first")
    held = [c for c in (first, *second) if c is not None and Turn.objects.held(c).exists()]
    assert held == second
    assert first is None or first.fence < session.turn.fence
