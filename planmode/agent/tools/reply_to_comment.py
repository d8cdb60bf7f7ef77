"""reply_to_comment: the agent answers a reviewer's comment."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from planmode.agent.contracts import Arguments, ToolContext, ToolResult
from planmode.core.events import CommentReplied
from planmode.core.guard import CallFacts

_LISTED = 20
"""Open comments that a refusal names."""


class ReplyToCommentArguments(Arguments):
    """Which comment, and what to say to it."""

    comment: Annotated[str, Field(min_length=1, max_length=64)]
    text: Annotated[str, Field(min_length=1, max_length=8000, pattern=r"\S")]


class ReplyToComment:
    """Puts an answer below a comment; nothing else changes."""

    name = "reply_to_comment"
    arguments = ReplyToCommentArguments
    repeatable = True

    def facts(self, args: ReplyToCommentArguments, context: ToolContext) -> CallFacts:
        """Return that no file is named."""
        return CallFacts(self.name)

    def summary(self, args: ReplyToCommentArguments) -> str:
        """Return which comment is answered."""
        return f"Reply to comment {args.comment}"

    def run(self, args: ReplyToCommentArguments, context: ToolContext) -> ToolResult:
        """Return the answer as an event; only comments that were given can be answered."""
        given = context.state.comments
        if args.comment not in given:
            return ToolResult(_unknown(args.comment, given), is_error=True)
        left = sum(not answered for name, answered in given.items() if name != args.comment)
        return ToolResult(
            f"The reviewers see your reply. Comments without one: {left}.",
            events=(CommentReplied(args.comment, args.text),),
        )


def _unknown(comment: str, given: Mapping[str, bool]) -> str:
    waiting = [name for name, answered in given.items() if not answered]
    if not waiting:
        return f"There is no comment {comment}, and none waits for a reply."
    names = ", ".join(waiting[:_LISTED])
    return f"There is no comment {comment}. These wait for a reply: {names}"
