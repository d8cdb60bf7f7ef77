"""Files below one folder, opened without following any link."""

import errno
import os
import secrets
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

LONGEST_PATH: Final = 1024
"""Bytes of a path, as UTF-8."""
MOST_ENTRIES: Final = 50_000
"""How many files and folders one walk looks at."""

_UNSPEAKABLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# On the way to the root it is enough that folders may be passed: they need not be readable.
_PASSED: Final[int] = _FOLDER | getattr(os, "O_PATH", 0)
# Without O_NONBLOCK a named pipe in place of a file would hold the worker for ever.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_REASONS: Final = {
    errno.ELOOP: "is a link, and links are not followed",
    errno.ENOTDIR: "leads through a link or through something that is no folder",
    errno.ENXIO: "is no regular file",
    errno.EISDIR: "is a folder",
    errno.ENAMETOOLONG: "has a name that is too long",
}


class PathRefusedError(Exception):
    """A path that may not, or can't, be used; the message says why in plain words."""


class PathMissingError(PathRefusedError):
    """Nothing lies at the path."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Regular files below a folder, sorted part by part; ``cut`` says that there are more."""

    files: tuple[PurePosixPath, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class ConfinedFolder:
    """Everything below ``root`` (an absolute, real path), and nothing else.

    ``aliases`` are other names of the root, which the operator gave it. Each step, to the root
    and below it, is opened relative to the folder before it and without following links, so that
    no link, whenever it is put there, leads elsewhere: another session may be able to change the
    folders around the root. ``check`` is called right before new bytes take a
    file's place: what it raises leaves the old ones.
    """

    root: Path
    aliases: tuple[Path, ...] = ()
    check: Callable[[], None] | None = None

    def relative_to_root(self, path: str) -> PurePosixPath:
        """Return ``path`` relative to the root; a relative one counts from the root.

        Looks at the text alone: "." and doubled slashes are folded, nothing is expanded.

        Raises:
            PathRefusedError: the text is not acceptable, or names something outside.
        """
        whole = _folded(path)
        if not whole.is_absolute():
            return whole
        for name in (self.root, Path(os.path.realpath(self.root)), *self.aliases):
            if whole.is_relative_to(name):
                return whole.relative_to(name)
        raise PathRefusedError(f"{_shown(path)} lies outside {self.root}")

    def make(self) -> None:
        """Make sure that the root exists (0700).

        Raises:
            PathRefusedError: it can't be made.
        """
        with self._plainly(PurePosixPath()):
            *above, last = self.root.parts
            folder = _descended(_top(self.root), above[1:], _PASSED, 0o777)
            os.close(_descended(folder, [last], _PASSED, 0o700))

    def read(self, relative: PurePosixPath, limit: int) -> bytes:
        """Return the bytes of a regular file.

        Raises:
            PathMissingError: there is none.
            PathRefusedError: it is no regular file, lies behind a link, can't be read, or holds
                more than ``limit`` bytes.
        """
        with self._plainly(relative), self._opened(_parents(relative)) as folder:
            descriptor = os.open(_name(relative), _FILE, dir_fd=folder)
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise PathRefusedError(f"{self.root / relative} is no regular file")
                content = _drained(descriptor, limit + 1)
            finally:
                os.close(descriptor)
        if len(content) > limit:
            raise PathRefusedError(f"{self.root / relative} is larger than {limit} bytes")
        return content

    def write(
        self,
        relative: PurePosixPath,
        content: bytes,
        *,
        mode: int = 0o600,
        folders: int | None = 0o700,
    ) -> None:
        """Put ``content`` in place of the file, whole or not at all, and flush it to the disk.

        ``mode`` is for a new file (the umask applies); an existing one keeps its own. Missing
        folders below the root are made with mode ``folders``; ``None``: they must exist.

        Raises:
            PathRefusedError: the place holds anything but one regular file without other names,
                lies behind a link, or can't be written.
        """
        name = _name(relative)
        with self._plainly(relative), self._opened(_parents(relative), folders) as folder:
            kept = self._replaceable(folder, relative)
            with _staged(folder, content, mode=mode, kept=kept) as temporary:
                if self.check is not None:
                    self.check()
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def create(self, relative: PurePosixPath, *, mode: int = 0o600, folders: int = 0o700) -> bool:
        """Make an empty file; return false, and change nothing, when its name is taken.

        Of two who ask for one name, one gets it. A link is a name, wherever it leads. Missing
        folders below the root are made with mode ``folders``.

        Raises:
            PathRefusedError: the place lies behind a link, or nothing can be made there.
        """
        name = _name(relative)
        with self._plainly(relative), self._opened(_parents(relative), folders) as folder:
            try:
                os.close(os.open(name, _NEW_FILE, mode, dir_fd=folder))
            except FileExistsError:
                return False
        return True

    def exists(self, relative: PurePosixPath) -> bool:
        """Return whether a regular file lies there, reached without links."""
        return self._is(relative, stat.S_IFREG)

    def is_folder(self, relative: PurePosixPath) -> bool:
        """Return whether a folder lies there, reached without links."""
        return self._is(relative, stat.S_IFDIR)

    def walk(
        self,
        relative: PurePosixPath,
        *,
        skip: frozenset[str] = frozenset(),
        limit: int = MOST_ENTRIES,
    ) -> Listing:
        """Return the regular files below a folder, relative to the root.

        Links, names in ``skip``, names that could not be given back as a path, and folders that
        can't be read are left out. Looks at ``limit`` entries at most.

        Raises:
            PathRefusedError: the place is no folder or can't be read.
        """
        with self._plainly(relative):
            todo = self._entries(relative, skip, limit)
        files: list[PurePosixPath] = []
        seen = 0
        while todo and seen < limit:
            path, is_folder = todo.pop()
            seen += 1
            if not is_folder:
                files.append(path)
                continue
            with suppress(OSError):
                todo += self._entries(path, skip, limit)
        return Listing(tuple(files), cut=bool(todo))

    def _entries(
        self, relative: PurePosixPath, skip: frozenset[str], limit: int
    ) -> list[tuple[PurePosixPath, bool]]:
        """Return the files and folders of one folder, last one first: the walk pops them."""
        with self._opened(relative.parts) as folder, os.scandir(folder) as entries:
            found = [
                (relative / entry.name, entry.is_dir(follow_symlinks=False))
                for entry in islice(entries, limit + 1)
                if entry.name not in skip
                and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
            ]
        return sorted((item for item in found if _speakable(str(item[0]))), reverse=True)

    def _is(self, relative: PurePosixPath, kind: int) -> bool:
        try:
            with self._opened(_parents(relative)) as folder:
                found = os.stat(relative.name or ".", dir_fd=folder, follow_symlinks=False)
        except (OSError, ValueError):
            return False
        return stat.S_IFMT(found.st_mode) == kind

    def _replaceable(self, folder: int, relative: PurePosixPath) -> int | None:
        """Return the mode of the file that is to be replaced, ``None`` when there is none.

        A file with a second name may lie outside as well, so it is left alone.
        """
        try:
            found = os.stat(relative.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise PathRefusedError(f"{self.root / relative} is no regular file")
        if found.st_nlink != 1:
            raise PathRefusedError(f"{self.root / relative} has other names (hard links)")
        return stat.S_IMODE(found.st_mode) & 0o777

    @contextmanager
    def _opened(self, parts: tuple[str, ...], folders: int | None = None) -> Iterator[int]:
        """Give a descriptor of the folder ``parts`` below the root; make what is missing."""
        root = _descended(_top(self.root), self.root.parts[1:], _PASSED)
        folder = _descended(_descended(root, ["."], _FOLDER), parts, _FOLDER, folders)
        try:
            yield folder
        finally:
            os.close(folder)

    @contextmanager
    def _plainly(self, relative: PurePosixPath) -> Iterator[None]:
        """Turn what the system says into a refusal that a model or a person understands."""
        path = self.root / relative
        try:
            yield
        except FileNotFoundError as error:
            raise PathMissingError(f"{path} does not exist") from error
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, f"can't be used: {error.strerror}")
            raise PathRefusedError(f"{path} {reason}") from error
        except ValueError as error:  # NUL, or text that no file name can hold
            raise PathRefusedError("this is no file name") from error


def _top(root: Path) -> int:
    return os.open(root.anchor, _PASSED)


def _descended(folder: int, names: Iterable[str], how: int, new: int | None = None) -> int:
    """Return the folder ``names`` below ``folder``, which is closed; no link is followed.

    Missing ones are made with mode ``new``; ``None``: they must exist.
    """
    for name in names:
        try:
            if new is not None:
                with suppress(FileExistsError):
                    os.mkdir(name, new, dir_fd=folder)
            below = os.open(name, how, dir_fd=folder)
        finally:
            os.close(folder)
        folder = below
    return folder


def _folded(path: str) -> PurePosixPath:
    """Return ``path`` without "." and doubled slashes; ".." is refused, wherever it leads."""
    if not path:
        raise PathRefusedError("the path is empty")
    if not _speakable(path):
        raise PathRefusedError(
            f"{_shown(path)} is not acceptable: control characters, backslashes, broken Unicode "
            f"and more than {LONGEST_PATH} bytes are refused"
        )
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise PathRefusedError(f"{_shown(path)} holds '..', which is refused")
    return PurePosixPath("/" if path.startswith("/") else "", *parts)


def _speakable(path: str) -> bool:
    """Return whether ``path`` may be used; looks for surrogates before it encodes anything."""
    if "\\" in path or any(unicodedata.category(char) in _UNSPEAKABLE for char in path):
        return False
    return len(path.encode()) <= LONGEST_PATH


def _shown(path: str) -> str:
    short = path if len(path) <= 200 else path[:199] + "…"  # noqa: PLR2004 - enough to know it by
    return ascii(short) if not short.isprintable() else repr(short)


def _parents(relative: PurePosixPath) -> tuple[str, ...]:
    return relative.parts[:-1]


def _name(relative: PurePosixPath) -> str:
    if not relative.name:
        raise PathRefusedError("the path names a folder, not a file")
    return relative.name


def _drained(descriptor: int, most: int) -> bytes:
    """Return at most ``most`` bytes; a single read may return fewer than there are."""
    content = bytearray()
    while len(content) < most and (chunk := os.read(descriptor, most - len(content))):
        content += chunk
    return bytes(content)


@contextmanager
def _staged(folder: int, content: bytes, *, mode: int, kept: int | None) -> Iterator[str]:
    """Write a new file and give its name, to be renamed over another: a rename follows no link."""
    temporary = f".{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, _NEW_FILE, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            if kept is not None:
                os.fchmod(stream.fileno(), kept)
            os.fsync(stream.fileno())
        yield temporary
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
