"""Locks that make numbers grow in one order."""

import threading

import pytest
from django.db import transaction

from reviews.ordering import Order, take
from tests.races import together


def test_audit_comes_before_the_feed() -> None:
    """Everybody takes them in this order, so nobody waits in a circle."""
    assert list(Order) == [Order.AUDIT, Order.FEED]
    assert Order.AUDIT < Order.FEED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("order", Order)
def test_the_second_waits_for_the_first_one_s_commit(order: Order) -> None:
    first_has_it, second_has_it = threading.Event(), threading.Event()

    def first() -> bool:
        with transaction.atomic():
            take(order)
            first_has_it.set()
            return second_has_it.wait(0.2)

    def second() -> bool:
        assert first_has_it.wait(30)
        with transaction.atomic():
            take(order)
            second_has_it.set()
        return True

    assert together([first, second]) == [False, True]


@pytest.mark.django_db(transaction=True)
def test_many_that_take_both_do_not_wait_in_a_circle() -> None:
    def both() -> None:
        for _ in range(5):
            with transaction.atomic():
                take(Order.AUDIT)
                take(Order.FEED)

    assert together([both] * 8) == [None] * 8
