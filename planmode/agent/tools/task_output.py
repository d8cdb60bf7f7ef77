"""TaskOutput: what a command in the background has printed."""

import codecs
from typing import Annotated, Final

from django.utils import timezone
from pydantic import Field

from planmode.agent import background
from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.core.errors import NoTurnError, TaskUnknownError
from planmode.core.guard import CallFacts
from planmode.core.wire import clean
from planmode.models import BackgroundTask
from planmode.store import background as rows
from planmode.store.taskfiles import Piece

MOST_OUTPUT: Final = 64 * 1024
"""Bytes of output that the model is shown at a time."""


class TaskOutputArguments(Arguments):
    """``offset`` is in bytes of the whole output."""

    task: Annotated[int, Field(ge=1, le=1_000_000)]
    offset: Annotated[int, Field(ge=0, le=2**40)] = 0


class TaskOutput:
    """Tells how a command in the background stands, and what it printed since an offset."""

    name = "TaskOutput"
    arguments = TaskOutputArguments
    repeatable = True

    def facts(self, args: TaskOutputArguments, context: ToolContext) -> CallFacts:
        """Return that nothing is changed."""
        return CallFacts(self.name)

    def summary(self, args: TaskOutputArguments) -> str:
        """Return whose output is read."""
        return f"Read what background task {args.task} printed"

    def run(self, args: TaskOutputArguments, context: ToolContext) -> ToolResult:
        """Return state and output."""
        try:
            session_id = context.held.session_id
            background.look([rows.find(session_id, args.task)], timezone.now())
            task = rows.find(session_id, args.task)
        except (NoTurnError, TaskUnknownError) as error:
            return ToolResult(str(error), is_error=True)
        piece = rows.files(task).read(args.offset, MOST_OUTPUT)
        text, after = _decoded(piece, ended=task.ended_at is not None)
        left_out = piece.start - args.offset
        gone = [f"(bytes {args.offset} to {piece.start} are not kept)"] if left_out > 0 else []
        place = f"Output from byte {piece.start} to {after} of {piece.size}; next offset: {after}"
        return ToolResult("\n".join([_state(task), place, *gone, text or "(nothing new)"]))


def _state(task: BackgroundTask) -> str:
    code = "" if task.exit_code is None else f", exit code {task.exit_code}"
    reason = f" ({task.reason})" if task.reason else ""
    return f"Task {task.number} is {task.state}{reason}{code}"


def _decoded(piece: Piece, *, ended: bool) -> tuple[str, int]:
    """Return the text, and the offset behind it: half a character waits for its other half."""
    whole = ended and piece.start + len(piece.content) >= piece.size
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(piece.content, final=whole)
    waiting = len(decoder.getstate()[0])
    return clean(text), piece.start + len(piece.content) - waiting
