"""A plan's title: its first heading, else its first line."""

import re
from typing import Final

_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_LONGEST: Final = 200
UNTITLED: Final = "Untitled plan"


def plan_title(text: str) -> str:
    """Return a one-line title of at most 200 characters for the plan ``text``."""
    heading = _HEADING.search(text)
    line = heading[1] if heading else next((ln for ln in text.splitlines() if ln.strip()), "")
    title = " ".join(line.split())
    return title[: _LONGEST - 1] + "…" if len(title) > _LONGEST else title or UNTITLED
