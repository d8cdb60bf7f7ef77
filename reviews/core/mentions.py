"""Whom a comment names."""

import re
from typing import Final

_NAME: Final = re.compile(r"(?<![A-Za-z0-9_@.+-])@([A-Za-z0-9_.+-]{1,150}|\w{1,150})")
MOST: Final = 20
"""Names that a comment may call: more would be a mailing."""


def mentioned(text: str) -> frozenset[str]:
    """Return the user names behind an ``@``, without the dot that ends a sentence.

    Chinese leaves no blank around a name: one of Latin letters ends where they do.
    """
    names = [found[1].rstrip(".") for found in _NAME.finditer(text)]
    return frozenset(filter(None, names[:MOST]))
