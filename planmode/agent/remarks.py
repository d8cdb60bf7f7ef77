"""Reviewers' comments as the agent reads them."""

from collections.abc import Iterator, Sequence
from typing import Final

from planmode.core import events as ev
from prompts.rendering import FRAME_LIMIT, framed, render

LONGEST_QUOTE: Final = 2 * 1024
"""Bytes of what a comment is about that are given with it."""


def section(comments: Sequence[ev.SentComment], *, version: int) -> str:
    """Return ``comments`` on revision ``version`` as one text; nothing without any.

    At most 64 KiB: what is behind that is counted, and the agent is told so.
    """
    if not comments:
        return ""
    shown, left = _within(list(map(_told, comments)))
    if left:
        shown.append(render("results/comments_cut", left=str(left), limit=str(FRAME_LIMIT)))
    return render(
        "results/comments",
        version=str(version),
        count=str(len(comments)),
        comments="\n\n".join(shown),
    )


def _within(texts: list[str]) -> tuple[list[str], int]:
    """Return the first of ``texts`` that fit together, at least one, and how many are left."""
    size, shown = 0, 0
    for text in texts:
        size += len(text.encode("utf-8", "surrogatepass"))
        if shown and size > FRAME_LIMIT:
            break
        shown += 1
    return texts[:shown], len(texts) - shown


def _told(sent: ev.SentComment) -> str:
    return render(
        "results/comment",
        comment=sent.comment,
        place=_place(sent),
        blocks="; it blocks an approval" if sent.blocking else "",
        quote=framed(sent.quote, "the plan", limit=LONGEST_QUOTE) if sent.quote else "",
        words=framed(sent.text, _reviewer(sent.author)) if sent.text else "",
        suggestion=_suggestion(sent),
        replies="\n".join(_replies(sent)),
    )


def _place(sent: ev.SentComment) -> str:
    if sent.lost:
        return "text that is not in the plan any more"
    if not sent.first_line:
        return "the whole plan"
    if sent.first_line == sent.last_line:
        return f"line {sent.first_line}"
    return f"lines {sent.first_line} to {sent.last_line}"


def _suggestion(sent: ev.SentComment) -> str:
    if sent.suggestion is None:
        return ""
    if not sent.suggestion:
        return "Suggested: delete it."
    return f"Suggested instead:\n{framed(sent.suggestion, _reviewer(sent.author))}"


def _replies(sent: ev.SentComment) -> Iterator[str]:
    for reply in sent.replies:
        yield framed(reply.text, _reviewer(reply.author) if reply.author else "your reply")


def _reviewer(name: str) -> str:
    return f"reviewer {name}" if name else "reviewer"
