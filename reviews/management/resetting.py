"""Removes what an embedded installation has made, to start over."""

import shutil
from pathlib import Path
from typing import Final

from django.core.management import CommandError

from reviews.management.installation import LOGINS_FILE
from reviews.management.people import BAD_USAGE

_DATABASE: Final = "planmode.sqlite3"
_KEY: Final = "secret_key"
_MADE: Final = (
    f"{_DATABASE}-wal",
    f"{_DATABASE}-shm",
    LOGINS_FILE,
    "sessions",
    "blobs",
    "workspaces/demo",
    "workspaces/.demo-unfinished",
    _DATABASE,  # last: it is what a reset that was broken off is recognised by
)


def reset(data_dir: Path) -> None:
    """Remove database, plan files, log-ins and the demo's workspace from ``data_dir``.

    Whatever else lies there stays. The key stays, too: this process has read it already.

    Raises:
        CommandError: this is no data folder of ours, so nothing was removed.
    """
    if not (data_dir / _DATABASE).is_file():
        if any(path.name != _KEY for path in data_dir.iterdir()):
            raise CommandError(
                f"{data_dir} holds no {_DATABASE}, so it is not ours to empty; nothing was removed",
                returncode=BAD_USAGE,
            )
        return
    for name in _MADE:
        _remove(data_dir / name)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
