"""The bubblewrap call: what a command sees, and what it may change."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_BESIDE_USR: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC: Final = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime", "/etc/passwd",
    "/etc/group", "/etc/nsswitch.conf",
)  # fmt: skip
_ETC_OF_NETWORK: Final = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/protocols", "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/ca-trust",
)  # fmt: skip
SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_HOME: Final = "/tmp"  # noqa: S108 - the sandbox's own
ENVIRONMENT: Final = {
    "PATH": SYSTEM_PATH, "HOME": _HOME, "LANG": "C.UTF-8",
    "PAGER": "cat", "GIT_PAGER": "cat", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0",
    "LESSSECURE": "1",
    "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "false",
}  # fmt: skip
"""All that a command finds set: a pager, a prompt or a lock is for somebody who is not there.

A repository may name a program that git asks for changed files: no status has to start it.
"""
_DEV: Final = "/dev"
_PROC: Final = "/proc"
_SHARED: Final = "/dev/shm"  # noqa: S108 - the same
_WRITE_BITS: Final = 0o222
MOST_ENTRIES: Final = 1_000_000
"""Files of a workspace that are looked at for pipes and sockets."""
MOST_MASKED: Final = 100


class SandboxError(Exception):
    """A command can't run in the sandbox as it would have to."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What commands see beside the system and the workspace: ``readable``, and never ``hidden``.

    A hidden folder is empty wherever one that is shown holds it. One that lies around what is
    shown does not matter: nothing but the folder named is there. One that *is* named is shown:
    whether it may be named is asked before (``Sandbox.run``). A hidden file can't be read.
    ``scratch`` is how much each of /tmp and /dev/shm holds, in bytes; 0: as much as there is.
    """

    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    scratch: int = 0

    @property
    def path(self) -> str:
        """The commands' PATH: the system's, before it those of the server's that can be seen."""
        own = os.environ.get("PATH", "").split(":")
        return ":".join([*(p for p in own if _within(p, self.readable)), SYSTEM_PATH])

    def shows(self, program: str) -> bool:
        """Return whether a command can start ``program`` (an absolute path)."""
        return _within(os.path.realpath(program), ("/usr", *self.readable))


def wrapped(bwrap: str, place: str, sight: Sight, *, writable: bool) -> list[str]:
    """Return the call up to the command: nothing is there but what stands here.

    ``place`` is the workspace's real path. ``writable``: it can be changed, and the network is
    reached. Otherwise neither, and its pipes and sockets, which a read-only file system doesn't
    close, can't be opened.

    Raises:
        SandboxError: the workspace is too large to look for them.
    """
    masked = [] if writable else special_files(place, frozenset(_emptied(place, sight)))
    return [
        bwrap, "--unshare-all", *(["--share-net"] if writable else []),
        "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
        *_set({**ENVIRONMENT, "PATH": sight.path}),
        *_shown("--ro-bind", "/usr", sight), *_beside_usr(),
        *_each("--ro-bind-try", [*_ETC, *(_ETC_OF_NETWORK if writable else ())]),
        *_scratch(_HOME, sight),
        *(word for folder in sight.readable for word in _shown("--ro-bind-try", folder, sight)),
        "--proc", _PROC, *_each("--ro-bind", _kernels_own()),
        "--dev", _DEV, *_scratch(_SHARED, sight),
        *_shown("--bind" if writable else "--ro-bind", place, sight),
        *_closed(("/usr", *sight.readable, place), sight),
        *(word for path in masked for word in ("--ro-bind", "/dev/null", path)),
        # What holds all of this lies in memory: written to, it would pass by the limits.
        "--remount-ro", _DEV, "--remount-ro", "/",
        "--chdir", place, "--",
    ]  # fmt: skip


def special_files(place: str, emptied: frozenset[str] = frozenset()) -> list[str]:
    """Return the pipes, sockets and devices below ``place``; no link is followed.

    Folders that are ``emptied`` are not looked into: what is not there can't be masked.

    Raises:
        SandboxError: there are too many, or too many files to look at.
    """
    found: list[str] = []
    for number, entry in enumerate(_entries(place, emptied)):
        if not (entry.is_symlink() or entry.is_file() or entry.is_dir()):
            found.append(entry.path)
        if number >= MOST_ENTRIES or len(found) > MOST_MASKED:
            raise SandboxError("the workspace holds too many files, or too many pipes and sockets")
    return found


def _entries(place: str, emptied: frozenset[str]) -> Iterator["os.DirEntry[str]"]:
    todo = [place]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False) and entry.path not in emptied:
                        todo.append(entry.path)
        except OSError:
            continue  # what this process can't list the command can't list, either


@cache
def _kernels_own() -> tuple[str, ...]:
    """Return what lies in /proc, is no process, and may be open to writing.

    The settings of the kernel belong to the system's own user, who needs no privilege to write
    them; a namespace and a server that runs as root don't change that.
    """
    with os.scandir(_PROC) as entries:
        return tuple(
            entry.path
            for entry in entries
            if not (entry.name.isdigit() or entry.is_symlink())
            and (entry.is_dir() or entry.stat().st_mode & _WRITE_BITS)
        )


def _set(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _scratch(folder: str, sight: Sight) -> Iterator[str]:
    if sight.scratch:
        yield from ("--size", str(sight.scratch))
    yield from ("--tmpfs", folder)


def _shown(how: str, folder: str, sight: Sight) -> Iterator[str]:
    """Yield what binds ``folder``, with the hidden folders below it emptied, the files closed."""
    yield from (how, folder, folder)
    for hidden in _below(folder, sight):
        if Path(hidden).is_dir():
            yield from ("--tmpfs", hidden)
        elif Path(hidden).exists():
            yield from ("--ro-bind", "/dev/null", hidden)


def _emptied(folder: str, sight: Sight) -> Iterator[str]:
    """Return the hidden folders below ``folder``."""
    return (hidden for hidden in _below(folder, sight) if Path(hidden).is_dir())


def _below(folder: str, sight: Sight) -> Iterator[str]:
    return (h for h in sight.hidden if h != folder and _within(h, (folder,)))


def _closed(shown: Iterable[str], sight: Sight) -> Iterator[str]:
    """Yield what makes the emptied folders read-only, once all that lies in one is in place."""
    for hidden in sight.hidden:
        if hidden not in shown and _within(hidden, shown) and Path(hidden).is_dir():
            yield from ("--remount-ro", hidden)


def _beside_usr() -> Iterator[str]:
    """Yield the system folders beside /usr as this host has them: folders, or links into it."""
    for path in map(Path, _BESIDE_USR):
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


def _each(how: str, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield from (how, path, path)


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)
