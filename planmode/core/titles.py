"""A plan's title: its first heading, else its first line."""

import re
from typing import Final

from planmode.core.plansteps import above_steps
from prompts.unseen import says_something

_LONGEST: Final = 200
_LOOKED_AT: Final = 64 * 1024
"""Characters from the beginning; a plan that long without a heading is called by its first line."""
_DEEPEST: Final = 6
_MOST_INDENTED: Final = 3
_BLANKS: Final = " \t"
_NAMELESS: Final = re.compile(r"\*{0,2}(?:plan|计划)[:\uff1a]\*{0,2}", re.IGNORECASE)
UNTITLED: Final = "Untitled plan"


def plan_title(text: str) -> str:
    """Return a one-line title of at most 200 characters for the plan ``text``.

    Takes time in proportion to the text, whatever it holds, and looks at its first 64 Ki.
    """
    lines = [line for line in text[:_LOOKED_AT].splitlines() if line.strip()]
    lines = [line for line in lines if not _is_nameless(line)] or lines
    headings = (heading for heading in map(_heading, lines) if heading)
    line = next(headings, lines[0] if lines else "")
    return _one_line(line) or UNTITLED


def reply_title(reply: str, session: str) -> str:
    """Return the first heading above the list of the plan in ``reply``, else that of ``session``.

    A reply begins with whatever the agent wants to say, so its first line names nothing; what the
    person asked for, the title of the session, does.
    """
    headings = (_heading(line) for line in above_steps(reply) if not _is_nameless(line))
    return _one_line(next(filter(says_something, headings), session))


def _one_line(line: str) -> str:
    title = " ".join(line.split())
    return title[: _LONGEST - 1] + "…" if len(title) > _LONGEST else title


def _is_nameless(line: str) -> bool:
    """Return whether ``line`` says that a plan follows, and nothing of which."""
    return _NAMELESS.fullmatch(_heading(line) or line.strip()) is not None


def opens_with_title(text: str) -> bool:
    """Return whether ``text`` begins, blanks aside, with a level-one heading that says something.

    Source: dsh:D-23; a second level is no title.
    """
    first = text.strip().partition("\n")[0]
    return first.startswith("# ") and says_something(_heading(first))


def _heading(line: str) -> str:
    """Return the text of a Markdown heading, ``""`` when ``line`` is none."""
    marked = line.lstrip(" ")
    text = marked.lstrip("#")
    depth = len(marked) - len(text)
    indented = len(line) - len(marked) > _MOST_INDENTED
    if indented or not 1 <= depth <= _DEEPEST or not text.startswith((" ", "\t")):
        return ""
    words = text.strip(_BLANKS)
    unclosed = words.rstrip("#")
    return unclosed.rstrip(_BLANKS) if unclosed.endswith((" ", "\t")) else words
