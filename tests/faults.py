"""Faults that tests switch on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.db.models.functions import Now
from pytest_django import Settings

from planmode.core import events as ev
from planmode.core.errors import StoredDataError
from planmode.models import Turn
from planmode.signals import Appended, events_appended
from tests.factories import Play


class Killed(BaseException):
    """The process is gone: nothing of it catches this."""


@contextmanager
def death_before(kind: type[ev.Event], *, number: int = 1) -> Iterator[None]:
    """Let the process die when it writes its ``number``-th event of ``kind``, which is lost."""
    left = number

    def watch(appended: Appended, **_: object) -> None:
        nonlocal left
        left -= sum(isinstance(logged.event, kind) for logged in appended.events)
        if left <= 0:
            raise Killed

    with _listening(watch):
        yield


@contextmanager
def death_at(append: int) -> Iterator[None]:
    """Let the process die in its ``append``-th append from here, which is lost."""
    left = append

    def watch(appended: Appended, **_: object) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Killed

    with _listening(watch):
        yield


@contextmanager
def once_written(kind: type[ev.Event], act: Callable[[], object]) -> Iterator[None]:
    """Let ``act`` happen as soon as the first event of ``kind`` is committed."""
    left = [act]

    def watch(appended: Appended, **_: object) -> None:
        if left and any(isinstance(logged.event, kind) for logged in appended.events):
            transaction.on_commit(left.pop())

    with _listening(watch):
        yield
    assert not left


@contextmanager
def _listening(watch: Callable[..., None]) -> Iterator[None]:
    events_appended.connect(watch, weak=False)
    try:
        yield
    finally:
        events_appended.disconnect(watch)


def die(play: Play, kind: type[ev.Event], *, number: int = 1) -> None:
    """Work until the worker dies before it writes an event of ``kind``; its lease runs out."""
    with death_before(kind, number=number), pytest.raises(Killed):
        play.work()
    lease_runs_out(play)


def lease_runs_out(play: Play) -> None:
    """Let the time of a worker's lease pass."""
    running = Turn.objects.filter(session_id=play.id, state=ev.TurnState.RUNNING)
    running.update(lease_until=Now() - timedelta(seconds=1))


def retry_time_comes(play: Play) -> None:
    """Let the time pass that a turn waits before it asks the model again."""
    Turn.objects.filter(session_id=play.id, state=ev.TurnState.QUEUED).update(due_at=Now())


class BrokenStore:
    """A blob store that keeps nothing and finds nothing."""

    def put(self, _: bytes, /) -> str:
        """Refuse."""
        raise StoredDataError("the disk is full")

    def get(self, sha256: str, /) -> bytes:
        """Refuse."""
        raise StoredDataError(f"the bytes of {sha256} are missing")


def no_folder(settings: Settings, tmp_path: Path) -> None:
    """Put a file where the sessions' folders would be."""
    settings.DATA_DIR = tmp_path / "in_the_way"
    settings.DATA_DIR.write_text("no folder")
