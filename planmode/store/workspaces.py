"""Which folders an agent may be put to work on."""

import os
from pathlib import Path

from django.conf import settings

from planmode.core.errors import WorkspaceRefusedError


def checked(path: str, *, local: bool) -> str:
    """Return the real path of the workspace ``path`` (relative: below the first root).

    ``local``: a person on this machine named it, and any folder that this process may read will do.

    Raises:
        WorkspaceRefusedError: it is no folder, lies outside the roots, or holds the installation's
            own data (an agent that reads those could act as anybody).
    """
    try:
        base = settings.WORKSPACE_ROOTS[0] if not local else Path.cwd()
        real = (base / path).resolve(strict=True)
    except (OSError, ValueError, IndexError, RuntimeError) as error:  # before 3.13 a link's loop
        raise WorkspaceRefusedError(f"{path!r} is no folder that can be read here") from error
    if not real.is_dir() or not os.access(real, os.R_OK | os.X_OK):
        raise WorkspaceRefusedError(f"{path!r} is no folder that can be read here")
    in_roots = any(real.is_relative_to(root.resolve()) for root in settings.WORKSPACE_ROOTS)
    if not local and not in_roots:
        roots = ", ".join(str(root) for root in settings.WORKSPACE_ROOTS)
        raise WorkspaceRefusedError(f"{path!r} lies outside the workspace roots: {roots}")
    data = settings.DATA_DIR.resolve()
    if data.is_relative_to(real) or (real.is_relative_to(data) and not in_roots):
        raise WorkspaceRefusedError(
            f"{path!r} holds this installation's own data; use another folder, or set DATA_DIR"
        )
    return str(real)
