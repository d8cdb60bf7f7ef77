"""Blob stores: one suite over all of them."""

import hashlib
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from planmode.core.errors import StoredDataError
from planmode.models import Blob
from planmode.store import blobs
from planmode.store.blobs import BlobStore, DatabaseBlobStore, FileBlobStore

pytestmark = pytest.mark.django_db

CONTENT = "# Plan ✓\n".encode()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(params=["database", "files"])
def store(request: pytest.FixtureRequest, settings: Settings) -> BlobStore:
    """Each store that the setting BLOB_STORE can name."""
    settings.BLOB_STORE = request.param
    return blobs.store()


def test_what_is_kept_is_found_under_its_hash(store: BlobStore) -> None:
    assert store.put(CONTENT) == SHA256
    assert store.get(SHA256) == CONTENT


def test_keeping_the_same_twice_is_keeping_it_once(store: BlobStore) -> None:
    assert store.put(CONTENT) == store.put(CONTENT)
    assert store.get(SHA256) == CONTENT


@pytest.mark.parametrize("content", [b"", bytes(range(256)), b"\r\n\r\n", b"x" * 1024 * 1024])
def test_bytes_are_kept_as_they_are(store: BlobStore, content: bytes) -> None:
    """kimi:R3: no trimming, no line ends made alike."""
    assert store.get(store.put(content)) == content


def test_what_was_never_kept_is_missing(store: BlobStore) -> None:
    with pytest.raises(StoredDataError, match="are missing"):
        store.get("0" * 64)


def test_a_row_that_was_changed_is_not_given_out(settings: Settings) -> None:
    settings.BLOB_STORE = "database"
    Blob.objects.create(sha256="a" * 64, content=b"other", size=5)
    with pytest.raises(StoredDataError, match="were changed"):
        blobs.store().get("a" * 64)


def test_a_file_that_was_changed_is_not_given_out(tmp_path: Path) -> None:
    store = FileBlobStore(tmp_path)
    store.put(CONTENT)
    (tmp_path / SHA256[:2] / SHA256).write_bytes(b"other")
    with pytest.raises(StoredDataError, match="were changed"):
        store.get(SHA256)


def test_files_are_private_and_whole(tmp_path: Path) -> None:
    FileBlobStore(tmp_path / "blobs").put(CONTENT)
    files = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    assert [path.name for path in files] == [SHA256]
    assert files[0].stat().st_mode & 0o077 == 0


def test_a_disk_that_takes_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "in_the_way").write_text("no folder")
    with pytest.raises(StoredDataError, match="could not be kept"):
        FileBlobStore(tmp_path / "in_the_way").put(CONTENT)


def test_a_write_that_breaks_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("planmode.store.blobs.os.fsync", no_space)
    with pytest.raises(StoredDataError, match="No space left on device"):
        FileBlobStore(tmp_path).put(CONTENT)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_store_that_does_not_exist(settings: Settings) -> None:
    settings.BLOB_STORE = "tape"
    with pytest.raises(ImproperlyConfigured, match="use database or files"):
        blobs.store()


def test_the_database_is_where_plans_lie_by_default() -> None:
    assert isinstance(blobs.store(), DatabaseBlobStore)
