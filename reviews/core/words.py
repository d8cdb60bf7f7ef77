"""The words of a line, none of them cut where a reader sees one thing."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import Final

_SPACELESS: Final = (
    r"\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\uaa60-\uaa7f"  # Thai …
    r"\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # signs among Han
    r"\u3041-\u309f\u30a0-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\uff66-\uff9f"  # kana …
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"  # Han
)
"""Scripts that leave no blank between words: each of their characters is a word here."""
_PICTURE: Final = r"[\xa9\xae\u203c-\u3299\U0001f000-\U0001faff]"
_FLAG: Final = r"[\U0001f1e6-\U0001f1ff]{2}"
_JOINING: Final = r"\u200c\u200d\ufe00-\ufe0f\uff9e\uff9f\u0e33\u0eb3"
_JOINING_FAR: Final = r"\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"
_MARKS_IN: Final = ((0x300, 0xAC00), (0xFB1E, 0xFE30), (0x101FD, 0x1E94B))
"""Where Unicode has its combining marks; in between are letters."""

_CODE: Final = r"`(?<!``)(?P<more>`*+).+?(?<!`)`(?P=more)(?!`)"
_LINK: Final = (
    r"\[[^\[\]]*+\](?:\([^()\s]*+(?:\([^()]*+\)[^()\s]*+)*+\)|\[[^\[\]]*+\])",
    r"!(?=\[)\[[^\[\]]*+\]\([^()\s]*+(?:\([^()]*+\)[^()\s]*+)*+\)",
)
_ADDRESS: Final = (
    r"[hfm](?:ttps?|tp|ile|ailto):[^\s<>\"`\u3000-\u303f\uff00-\uff0f]*"
    r"[^\s<>\"`\u3000-\u303f\uff00-\uff0f.,:;!?'()\[\]{}*_~|]"
)
_UNIT: Final = 3
"""Letters behind a number that are one word with it, as in ``50ms``."""


def _pattern(spaceless: str, joined: str) -> re.Pattern[str]:
    word = rf"[^\W{spaceless}]"
    number = rf"\d++(?:[.,]\d++){{0,3}}+(?:[^\W\d_{spaceless}]{{1,{_UNIT}}})?+(?!{word})"
    kinds = (_ADDRESS, number, rf"{word}(?:{word}{joined and '|' + joined})*", r"\s+", _CODE)
    more = rf"(?:{joined})*" if joined else ""
    return re.compile(rf"(?:{'|'.join((*kinds, *_LINK, _FLAG, '.'))}){more}", re.DOTALL)


_PLAIN: Final = _pattern("", "")
"""What a word is where all is ASCII."""


@cache
def _token() -> re.Pattern[str]:
    """Return what a word is; made when first used, since the marks have to be looked up."""
    joined = rf"\u200d{_PICTURE}|[{''.join(_marks())}{_JOINING}{_JOINING_FAR}]"
    return _pattern(_SPACELESS, joined)


def _marks() -> Iterator[str]:
    """Yield the ranges of combining marks."""
    for ends in _MARKS_IN:
        for is_mark, run in groupby(range(*ends), key=_is_mark):
            if is_mark:
                found = list(run)
                yield f"\\U{found[0]:08x}-\\U{found[-1]:08x}"


def _is_mark(point: int) -> bool:
    return unicodedata.category(chr(point)).startswith("M")


def tokens(line: str) -> list[str]:
    """Return the words of ``line``, and what is between them; joined they are ``line`` again.

    A word of letters is one token, a character of a script without blanks is one, a number is one
    (with a short unit). A span of code, a link and an address are each one token, and so is all
    that is drawn as one character: letters with their marks, flags, joined pictures.
    """
    pattern = _PLAIN if line.isascii() else _token()
    return [found[0] for found in pattern.finditer(line)]


def significant(words: Iterable[str]) -> frozenset[str]:
    """Return what ``words`` say: without blanks, and without signs where there is more."""
    said = {word for word in words if not word.isspace()}
    return frozenset({word for word in said if weight(word)} or said)


def weight(text: str) -> int:
    """Return how many characters of ``text`` say something: no blanks, no signs, no marks."""
    if text.isalnum():
        return len(text)
    return sum(char.isalnum() or _is_picture(char) for char in text)


def _is_picture(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char) == "So"


def alike(old: frozenset[str], new: frozenset[str]) -> float:
    """Return from 0 to 1 how much two texts say the same (see ``significant``)."""
    total = len(old) + len(new)
    return 2 * len(old & new) / total if total else 0.0
