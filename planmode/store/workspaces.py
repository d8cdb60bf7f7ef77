"""Which folders an agent may be put to work on."""

import os
from pathlib import Path

from django.conf import settings

from planmode.core.errors import WorkspaceRefusedError


def checked(path: str, *, local: bool, root: str = "") -> str:
    """Return the real path of the workspace ``path``.

    ``root`` is the project's own, empty where it has none; a relative path begins there, else at
    the installation's first. An empty path is that root itself.

    ``local``: a person on this machine named it, and any folder that this process may read will do.

    Raises:
        WorkspaceRefusedError: it is no folder, is a root of the installation (which holds
            everybody's workspaces), lies outside of them or of the project's, or belongs to the
            installation itself: an agent that reads its data could act as anybody.
    """
    try:
        base = Path.cwd() if local else Path(root or settings.WORKSPACE_ROOTS[0])
        real = (base / path).resolve(strict=True)
    except (OSError, ValueError, IndexError, RuntimeError) as error:  # before 3.13 a link's loop
        raise WorkspaceRefusedError(f"{path!r} is no folder that can be read here") from error
    if not real.is_dir() or not os.access(real, os.R_OK | os.X_OK):
        raise WorkspaceRefusedError(f"{path!r} is no folder that can be read here")
    if not local:
        _check_in_roots(path, real)
        _check_in_project(path, real, root)
    if any(_in_the_way(real, place) for place in _own_places(local=local)):
        raise WorkspaceRefusedError(
            f"{path!r} is, holds or lies in this installation's own data or program: use another "
            "folder, or set DATA_DIR"
        )
    return str(real)


def _check_in_roots(path: str, real: Path) -> None:
    roots = [root.resolve() for root in settings.WORKSPACE_ROOTS]
    if real in roots:
        raise WorkspaceRefusedError(f"{path!r} is a workspace root: name a folder below it")
    if not any(real.is_relative_to(root) for root in roots):
        names = ", ".join(str(root) for root in settings.WORKSPACE_ROOTS)
        raise WorkspaceRefusedError(f"{path!r} lies outside the workspace roots: {names}")


def _check_in_project(path: str, real: Path, root: str) -> None:
    if root and not real.is_relative_to(Path(root).resolve()):
        raise WorkspaceRefusedError(f"{path!r} lies outside the project's workspace root: {root}")


def _own_places(*, local: bool) -> list[Path]:
    """Return what no agent may work on: a person on this machine may change the program."""
    places = [settings.DATA_DIR]
    if not local:
        places += [settings.BASE_DIR, settings.SCRIPTS_DIR]
    return [Path(place).resolve() for place in places]


def _in_the_way(real: Path, place: Path) -> bool:
    """Return whether ``real`` holds ``place``, or lies in it and not below a root inside of it."""
    if place.is_relative_to(real):
        return True
    roots = (root.resolve() for root in settings.WORKSPACE_ROOTS)
    inside = [root for root in roots if root != place and root.is_relative_to(place)]
    below_one = any(real != root and real.is_relative_to(root) for root in inside)
    return real.is_relative_to(place) and not below_one
