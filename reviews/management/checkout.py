"""Copies this repository to where the demo's agents may work on it."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

_NO_SOURCE: Final = frozenset({".git", ".venv", "var", "__pycache__", "node_modules"})


def copy(source: Path, target: Path) -> None:
    """Copy the files of ``source`` that are under version control to the new folder ``target``.

    Does nothing when ``target`` is there: agents and people may have changed it. A copy that was
    broken off leaves no ``target``.
    """
    if target.exists():
        return
    unfinished = target.with_name(f".{target.name}-unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for relative in _tracked(source) or _found(source):
        place = unfinished / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / relative, place, follow_symlinks=False)
    unfinished.rename(target)


def _tracked(source: Path) -> list[Path]:
    """Return what git knows of; nothing without git, or outside a checkout."""
    git = shutil.which("git")
    if git is None or not (source / ".git").exists():
        return []
    listing = subprocess.run(  # noqa: S603 - fixed arguments
        [git, "ls-files", "-z"], cwd=source, capture_output=True, check=False
    )
    names = [Path(os.fsdecode(name)) for name in listing.stdout.split(b"\0") if name]
    return [name for name in names if (source / name).is_file()]


def _found(source: Path) -> list[Path]:
    """Return every file outside the folders that hold no source."""
    found = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if name not in _NO_SOURCE and name[:1] != "."]
        found += [Path(folder, name).relative_to(source) for name in files]
    return found
