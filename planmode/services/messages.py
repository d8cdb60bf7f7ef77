"""What people say to an agent."""

from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from planmode import turns
from planmode.core import events as ev
from planmode.core.errors import MessageInvalidError
from planmode.core.wire import clean
from planmode.store import eventlog
from prompts.unseen import says_something

LONGEST_MESSAGE: Final = 256 * 1024


def checked_text(text: str) -> str:
    """Return ``text`` as the log keeps it.

    Raises:
        MessageInvalidError: it is blank or over 256 KiB.
    """
    if not says_something(text):
        raise MessageInvalidError("the message is blank")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LONGEST_MESSAGE:
        raise MessageInvalidError(f"the message has {size} bytes, the limit is {LONGEST_MESSAGE}")
    return clean(text)


def post_message(session_id: UUID, text: str, *, author: User) -> None:
    """Say something to the agent: the open turn takes it in at its next step, else a turn is due.

    Raises:
        SessionUnknownError: no such session.
        MessageInvalidError: the text is blank or over 256 KiB.
    """
    checked = checked_text(text)
    with eventlog.writing(session_id) as log:
        log.add(ev.MessagePosted(checked, author=author.pk))
        if not log.state.turn.open:
            turns.queue_turn(log)
