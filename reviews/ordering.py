"""Locks that make numbers and chains grow in one order."""

from enum import IntEnum

from django.db import connection


class Order(IntEnum):
    """What is taken one after another; always in this order, so that nobody waits in a circle."""

    AUDIT = 7_201
    FEED = 7_202


def take(order: Order) -> None:
    """Wait until nobody else is writing in this order, and keep it until the commit.

    PostgreSQL: a transaction-level advisory lock (a lock on the newest row forks under load).
    SQLite: the write lock was taken at BEGIN already.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int(order)])
