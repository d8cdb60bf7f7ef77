"""The log of a session, opened for a person who steers its agent."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from planmode.core.errors import ChildSessionError
from planmode.store import eventlog
from planmode.store.eventlog import Log


@contextmanager
def steered(session_id: UUID) -> Iterator[Log]:
    """Open the log of a session that no other agent started.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: an agent started it, and it does what that one was allowed to.
    """
    with eventlog.writing(session_id) as log:
        parent = log.state.parent
        if parent:
            raise ChildSessionError(f"an agent started it: act on session {parent} instead")
        yield log
