"""Revisions: the bytes of a submission, kept before its review."""

import hashlib
from uuid import UUID

from django.db import DatabaseError

from planmode.core.errors import (
    PlanInvalidError,
    PlanTooLargeError,
    RevisionUnknownError,
    StoredDataError,
)
from planmode.models import Revision
from planmode.store import blobs, planfiles
from planmode.store.eventlog import Log
from prompts.unseen import says_something


def checked_text(content: bytes) -> str:
    """Return the plan as text.

    Raises:
        PlanTooLargeError: it is over 1 MiB.
        PlanInvalidError: it is not UTF-8, holds a NUL, or is blank.
    """
    text = decoded(content)
    if not says_something(text):
        raise PlanInvalidError("the plan is empty")
    return text


def decoded(content: bytes) -> str:
    """Return the plan as text, which may be blank: somebody is still writing it.

    Raises:
        PlanTooLargeError: it is over 1 MiB.
        PlanInvalidError: it is not UTF-8, or holds a NUL.
    """
    if len(content) > planfiles.LARGEST:
        raise PlanTooLargeError(
            f"the plan has {len(content)} bytes, the limit is {planfiles.LARGEST}"
        )
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlanInvalidError(f"the plan is not UTF-8 at byte {error.start}") from error
    if "\0" in text:
        raise PlanInvalidError(f"the plan holds a NUL at byte {content.index(0)}")
    return text


def record(log: Log, plan_id: str, version: int, content: bytes, *, title: str) -> Revision:
    """Keep ``content``, which was checked, as version ``version`` of the plan.

    The row names its hash.

    Raises:
        StoredDataError: the bytes could not be kept; nothing was written.
    """
    try:
        sha256 = blobs.store().put(content)
    except DatabaseError as error:
        raise StoredDataError(f"the bytes could not be kept: {error}") from error
    return Revision.objects.create(
        session=log.session,
        plan_id=plan_id,
        version=version,
        key=f"plan/{plan_id}/v{version}.md",
        sha256=sha256,
        size=len(content),
        title=title,
        created_at=log.now,
    )


def content(revision: Revision) -> bytes:
    """Return the revision's bytes, verified against its hash.

    Raises:
        StoredDataError: they are missing or damaged.
    """
    return blobs.store().get(revision.sha256)


def find(revision_id: UUID) -> Revision:
    """Return the revision with its session.

    Raises:
        RevisionUnknownError: there is none.
    """
    row = Revision.objects.select_related("session").filter(pk=revision_id).first()
    if row is None:
        raise RevisionUnknownError(f"no revision {revision_id}")
    return row


def sha256(content: bytes) -> str:
    """Return the hash that a revision of ``content`` has."""
    return hashlib.sha256(content).hexdigest()
