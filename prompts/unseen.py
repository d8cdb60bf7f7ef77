"""Characters that nobody sees, in one table for all who look for them."""

import re
from typing import Final

UNSEEN: Final = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls
    r"\xad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    r"\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159"  # letters and signs without ink
    r"\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"  # selectors of a variant
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # signs that lay out others
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags
)
"""The inside of a character class for ``re``: zero-width, blank, or in charge of direction.

Tab, line feed and carriage return are text and not in it; blanks that have a width are not, either.
"""

_SEEN: Final = re.compile(rf"[^\s{UNSEEN}]")


def says_something(text: str) -> bool:
    """Return whether ``text`` has a character that somebody sees; blanks are none."""
    return _SEEN.search(text) is not None
