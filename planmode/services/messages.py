"""What people say to an agent, and the files that go with it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User

from planmode import turns
from planmode.core import events as ev
from planmode.core.attachments import AttachmentLimits, NewAttachment, checked
from planmode.core.errors import MessageInvalidError
from planmode.core.wire import clean
from planmode.services.steering import steered
from planmode.store import blobs
from planmode.store.eventlog import Log
from prompts.unseen import says_something

LONGEST_MESSAGE: Final = 256 * 1024


def checked_text(text: str, *, files: int = 0) -> str:
    """Return ``text`` as the log keeps it; where ``files`` speak it may be blank.

    Raises:
        MessageInvalidError: it is blank or over 256 KiB.
    """
    if not says_something(text):
        if files:
            return ""
        raise MessageInvalidError("the message is blank")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_MESSAGE:
        raise MessageInvalidError(f"the message has {size} bytes, the limit is {LONGEST_MESSAGE}")
    return clean(text)


def kept(given: Sequence[NewAttachment]) -> tuple[ev.Attachment, ...]:
    """Keep the bytes of ``given`` in the caller's transaction; return what the log says of them.

    Raises:
        AttachmentRefusedError: they can't go with a message.
        StoredDataError: the bytes could not be kept.
    """
    limits = AttachmentLimits(settings.ATTACHMENT_TYPES, settings.ATTACHMENT_MAX_BYTES)
    files = checked(given, limits)
    for item in given:
        blobs.store().put(item.content)
    return files


def post_message(
    session_id: UUID, text: str, attachments: Sequence[NewAttachment] = (), *, author: User
) -> None:
    """Say something to the agent: the open turn takes it in at its next step, else a turn is due.

    The model is sent the files in their order, before the text.

    Raises:
        SessionUnknownError: no such session.
        ChildSessionError: another agent started it.
        MessageInvalidError: the text is over 256 KiB, or blank without any file.
        AttachmentRefusedError: a file can't go with a message.
    """
    said = checked_text(text, files=len(attachments))
    with steered(session_id) as log:
        say(log, said, kept(attachments), author=author)


def say(log: Log, text: str, files: tuple[ev.Attachment, ...], *, author: User) -> None:
    """Add the message to ``log``; where no turn is open one is due."""
    log.add(ev.MessagePosted(text, author=author.pk, attachments=files))
    if not log.state.turn.open:
        turns.queue_turn(log)
