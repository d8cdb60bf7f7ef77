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
    """complaints:K-14, kimi:S19."""
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


# Plan files in a folder of the project


def test_a_plan_file_of_the_project_lies_below_the_workspace(session: Play) -> None:
    """claude:C-10."""
    path = planfiles.path(session.id, PLAN_ID, ".plans")
    assert path == session.workspace / ".plans" / f"{PLAN_ID}.md"


def test_a_name_that_is_there_is_never_used_again(session: Play) -> None:
    """claude:C-11, complaints:K-13 K-48."""
    names = [planfiles.reserve(session.workspace, ".plans", PLAN_ID, ()) for _ in range(3)]
    assert names == [PLAN_ID, f"{PLAN_ID}-2", f"{PLAN_ID}-3"]
    files = sorted(path.name for path in (session.workspace / ".plans").iterdir())
    assert files == sorted(f"{name}.md" for name in names)


def test_an_id_of_the_session_is_not_used_again_either(session: Play) -> None:
    """The file of an earlier plan may have been deleted; its versions are still its own."""
    assert planfiles.reserve(session.workspace, "p", PLAN_ID, (PLAN_ID,)) == f"{PLAN_ID}-2"


def test_a_folder_that_is_full_of_one_name_is_refused(session: Play) -> None:
    taken = [PLAN_ID, *(f"{PLAN_ID}-{n}" for n in range(2, planfiles.MOST_OF_ONE_NAME))]
    with pytest.raises(PathRefusedError, match="too many"):
        planfiles.reserve(session.workspace, ".plans", PLAN_ID, taken)


@pytest.mark.parametrize(
    "below",
    [
        pytest.param("", id="empty"),
        pytest.param(".", id="the workspace itself"),
        pytest.param("./", id="the same with a slash"),
        pytest.param("../x", id="above"),
        pytest.param("a/../../x", id="above, by a way around"),
        pytest.param("/etc/plans", id="absolute"),
        pytest.param("{WORKSPACE}/plans", id="absolute inside"),
        pytest.param("{WORKSPACE}-evil", id="a sibling with the same beginning"),
        pytest.param("~/plans", id="somebody's home"),
        pytest.param(".git/plans", id="a folder of git"),
        pytest.param("link", id="a link that leads outside"),
        pytest.param("link/plans", id="behind such a link"),
        pytest.param("inner", id="a link that stays inside"),
        pytest.param("parser.py", id="a file"),
        pytest.param("a\0b", id="no name at all"),
    ],
)
def test_only_a_folder_inside_the_workspace_holds_plans(
    session: Play, tmp_path: Path, below: str
) -> None:
    """claude:C-10: what resolves outside, and whatever is no plain folder, is refused."""
    outside, sibling = tmp_path / "outside", Path(f"{session.workspace}-evil")
    for folder in (outside, sibling, session.workspace / "real"):
        folder.mkdir()
    (session.workspace / "link").symlink_to(outside)
    (session.workspace / "inner").symlink_to(session.workspace / "real")
    before = sorted(session.workspace.rglob("*"))
    with pytest.raises(PathRefusedError):
        planfiles.reserve(
            session.workspace, below.replace("{WORKSPACE}", str(session.workspace)), PLAN_ID, ()
        )
    assert sorted(session.workspace.rglob("*")) == before
    assert [*outside.iterdir(), *sibling.iterdir()] == []


def test_a_file_of_the_project_is_put_back_where_it_was(session: Play) -> None:
    planfiles.keep(session.id, PLAN_ID, b"# A")
    planfiles.restore(session.id, PLAN_ID, below=".plans")
    assert (session.workspace / ".plans" / f"{PLAN_ID}.md").read_bytes() == b"# A"
    assert not planfiles.path(session.id, PLAN_ID).exists()
