"""Where bytes are kept for ever, by their hash."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from planmode.core.errors import StoredDataError
from planmode.models import Blob


class BlobStore(Protocol):
    """Keeps bytes for ever under the SHA-256 (FIPS 180-4) of their content."""

    def put(self, content: bytes, /) -> str:
        """Keep ``content``; return its SHA-256 in lower-case hex (idempotent).

        Raises:
            StoredDataError: it could not be kept.
        """

    def get(self, sha256: str, /) -> bytes:
        """Return the bytes of ``sha256``, verified.

        Raises:
            StoredDataError: they are missing, or have another hash.
        """


class DatabaseBlobStore:
    """Blobs as rows: one backup holds plans and decisions together (the default)."""

    def put(self, content: bytes, /) -> str:
        """Insert, or find that the row is there."""
        sha256 = hashlib.sha256(content).hexdigest()
        Blob.objects.get_or_create(
            sha256=sha256, defaults={"content": content, "size": len(content)}
        )
        return sha256

    def get(self, sha256: str, /) -> bytes:
        """Read and verify."""
        row = Blob.objects.filter(pk=sha256).first()
        if row is None:
            raise StoredDataError(f"the bytes of {sha256} are missing")
        return _verified(bytes(row.content), sha256)


class FileBlobStore:
    """Blobs as files below ``DATA_DIR/blobs``, for plans that shall not fill the database."""

    def __init__(self, root: Path) -> None:
        """Keep blobs below ``root``."""
        self.root = root

    def put(self, content: bytes, /) -> str:
        """Write a temporary file, flush it to the disk, and rename it: never half a blob."""
        sha256 = hashlib.sha256(content).hexdigest()
        path = self._path(sha256)
        try:
            if not path.exists():
                _write_once(path, content)
        except OSError as error:
            raise StoredDataError(f"the bytes could not be kept: {error.strerror}") from error
        return sha256

    def get(self, sha256: str, /) -> bytes:
        """Read and verify."""
        try:
            content = self._path(sha256).read_bytes()
        except OSError as error:
            raise StoredDataError(f"the bytes of {sha256} are missing") from error
        return _verified(content, sha256)

    def _path(self, sha256: str) -> Path:
        return self.root / sha256[:2] / sha256


def _write_once(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _verified(content: bytes, sha256: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise StoredDataError(f"the bytes of {sha256} were changed: their hash is {found}")
    return content


def store() -> BlobStore:
    """Return the installation's store (setting ``BLOB_STORE``: database or files)."""
    match settings.BLOB_STORE:
        case "database":
            return DatabaseBlobStore()
        case "files":
            return FileBlobStore(settings.DATA_DIR / "blobs")
        case other:
            raise ImproperlyConfigured(f"BLOB_STORE={other!r}: use database or files")
