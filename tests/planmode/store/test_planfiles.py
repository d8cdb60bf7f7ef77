"""Plan files: where they lie, and the rows that can put them back."""

import hashlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from pytest_django import Settings

from planmode.core.errors import PlanInvalidError, StoredDataError
from planmode.models import PlanFile
from planmode.store import blobs, planfiles
from planmode.store.confined import PathRefusedError
from tests.factories import Play, play

pytestmark = pytest.mark.django_db

PLAN_ID = "bold-amber-fox"


@dataclass(frozen=True)
class FullStore:
    """A blob store that has no room left."""

    error: Exception

    def put(self, _: bytes, /) -> str:
        """Refuse."""
        raise self.error


@pytest.fixture
def session(operator: User) -> Play:
    """A session that has not written its plan."""
    return play(operator, [{"text": "Done."}])


def test_a_plan_file_lies_in_its_session_s_folder(session: Play, settings: Settings) -> None:
    """kimi:S19."""
    folder = settings.DATA_DIR / "sessions" / str(session.id)
    path = planfiles.path(session.id, PLAN_ID)
    assert path == folder / "agents/main/plans/bold-amber-fox.md"
    assert path == planfiles.session_folder(session.id) / planfiles.relative(PLAN_ID)
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("plan_id", ["../../evil", "a/b", "", "A", "a b", "a\0b", "x" * 121])
def test_only_a_plan_id_becomes_a_path(session: Play, plan_id: str) -> None:
    """kimi:S21."""
    with pytest.raises(PlanInvalidError):
        planfiles.path(session.id, plan_id)


def test_asking_for_the_path_makes_nothing(session: Play, settings: Settings) -> None:
    planfiles.path(session.id, PLAN_ID)
    assert not (settings.DATA_DIR / "sessions").exists()


def test_a_folder_that_can_t_be_made_is_refused(session: Play, settings: Settings) -> None:
    (settings.DATA_DIR / "sessions").write_text("in the way")
    with pytest.raises(PathRefusedError, match="can't be made"):
        planfiles.folder(session.id)


def test_all_bytes_that_the_file_ever_held_are_blobs(session: Play) -> None:
    """An undo goes back to them: vector:RN-12 in tests/planmode/services/test_history.py."""
    planfiles.keep(session.id, PLAN_ID, b"# A")
    planfiles.keep(session.id, PLAN_ID, b"# B")
    for content in (b"# A", b"# B"):
        assert blobs.store().get(hashlib.sha256(content).hexdigest()) == content


@pytest.mark.parametrize("error", [StoredDataError("full"), DatabaseError("full")])
def test_a_blob_that_can_t_be_kept_stops_nobody(
    session: Play, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(blobs, "store", partial(FullStore, error))
    planfiles.keep(session.id, PLAN_ID, b"# A")
    assert planfiles.kept(session.id, PLAN_ID) == b"# A"


def test_the_row_holds_the_newest_bytes(session: Play) -> None:
    assert planfiles.kept(session.id, PLAN_ID) is None
    planfiles.keep(session.id, PLAN_ID, b"# A")
    planfiles.keep(session.id, PLAN_ID, b"# B")
    row = PlanFile.objects.get()
    assert planfiles.kept(session.id, PLAN_ID) == b"# B"
    assert row.sha256 == hashlib.sha256(b"# B").hexdigest()


def test_a_file_that_this_disk_lacks_is_put_back(session: Play) -> None:
    planfiles.keep(session.id, PLAN_ID, b"# A")
    planfiles.restore(session.id, PLAN_ID)
    assert planfiles.path(session.id, PLAN_ID).read_bytes() == b"# A"


def test_other_bytes_are_replaced_by_what_the_log_tells(session: Play) -> None:
    """A worker may have died between its write and its word about it."""
    planfiles.keep(session.id, PLAN_ID, b"# A")
    path = planfiles.path(session.id, PLAN_ID)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"# Edited")
    planfiles.restore(session.id, PLAN_ID)
    assert path.read_bytes() == b"# A"


def test_without_a_row_nothing_is_made(session: Play) -> None:
    planfiles.restore(session.id, PLAN_ID)
    assert not planfiles.path(session.id, PLAN_ID).exists()


@pytest.mark.parametrize("place", ["sessions", "link"])
def test_what_can_t_be_restored_is_left_to_the_tools(
    session: Play, settings: Settings, tmp_path: Path, place: str
) -> None:
    planfiles.keep(session.id, PLAN_ID, b"# A")
    outside = tmp_path / "outside"
    outside.mkdir()
    if place == "sessions":
        (settings.DATA_DIR / "sessions").write_text("in the way")
    else:
        (planfiles.session_folder(session.id) / "agents").symlink_to(outside)
    planfiles.restore(session.id, PLAN_ID)
    assert list(outside.iterdir()) == []
