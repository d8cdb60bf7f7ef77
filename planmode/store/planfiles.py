"""Where plan files lie, and the rows that can put them back."""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, transaction

from planmode.core import slugs
from planmode.core.errors import StoredDataError
from planmode.models import PlanFile
from planmode.store import blobs
from planmode.store.confined import ConfinedFolder, PathRefusedError

logger = logging.getLogger(__name__)

MAIN_AGENT = "main"
LARGEST = 1024 * 1024
"""The most bytes of a plan, and of any file that a tool writes."""


def session_folder(session_id: UUID) -> Path:
    """Return the folder that holds what one session keeps on disk; made when it is missing.

    Raises:
        PathRefusedError: it can't be made.
    """
    folder = _place(session_id)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise PathRefusedError(f"{folder} can't be made: {error.strerror}") from error
    return folder


def _place(session_id: UUID) -> Path:
    place: Path = settings.DATA_DIR / "sessions" / str(session_id)
    return place


def path(session_id: UUID, plan_id: str) -> Path:
    """Return where the plan file lies, whether or not it is there."""
    return _place(session_id) / relative(plan_id)


def relative(plan_id: str) -> PurePosixPath:
    """Return where the plan file lies below the session's folder."""
    return PurePosixPath("agents", MAIN_AGENT, "plans", f"{slugs.checked(plan_id)}.md")


def folder(session_id: UUID, check: Callable[[], None] | None = None) -> ConfinedFolder:
    """Return the session's folder; ``check`` as in ``ConfinedFolder``.

    Raises:
        PathRefusedError: it can't be made.
    """
    return ConfinedFolder(session_folder(session_id), check=check)


def keep(session_id: UUID, plan_id: str, content: bytes) -> None:
    """Write the row that mirrors the plan file, in the caller's transaction.

    The bytes become a blob, too: the row holds the newest ones only, and an undo or a fork goes
    back to older ones. A blob that can't be kept stops nobody from planning.
    """
    try:
        with transaction.atomic():
            blobs.store().put(content)
    except (StoredDataError, DatabaseError):
        logger.warning("the bytes of plan %s can't be kept for an undo", plan_id, exc_info=True)
    PlanFile.objects.update_or_create(
        session_id=session_id,
        agent=MAIN_AGENT,
        plan_id=plan_id,
        defaults={"content": content, "sha256": hashlib.sha256(content).hexdigest()},
    )


def kept(session_id: UUID, plan_id: str) -> bytes | None:
    """Return the bytes that the row holds, ``None`` without a row."""
    row = PlanFile.objects.filter(session_id=session_id, agent=MAIN_AGENT, plan_id=plan_id).first()
    return bytes(row.content) if row else None


def restore(session_id: UUID, plan_id: str, check: Callable[[], None] | None = None) -> None:
    """Put the plan file back as the row has it, when this disk lacks it or holds other bytes.

    The row tells what the log tells. Other bytes are those of a worker that died before it could
    say what it wrote, or of another machine. ``check`` is asked right before.
    """
    content = kept(session_id, plan_id)
    if content is None:
        return
    try:
        plans, place = folder(session_id, check), relative(plan_id)
        if not plans.exists(place) or plans.read(place, LARGEST + 1) != content:
            plans.write(place, content)
    except PathRefusedError:
        return  # the tools will say so, in words that the agent can act on
