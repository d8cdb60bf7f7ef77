"""What ``test``, ``[`` and ``[[`` may be asked."""

import re
from collections.abc import Sequence
from typing import Final

from planmode.shell.options import RefusedError
from planmode.shell.words import Word, shown

_UNARY: Final = frozenset(f"-{letter}" for letter in "abcdefghkprstuwxzGLNOSn")
_COMPARISONS: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_BINARY: Final = frozenset({"=", "==", "!=", "=~", "<", ">", "-ef", "-nt", "-ot"}) | _COMPARISONS
_NUMBER: Final = re.compile(r"-?\d+")


def check_condition(words: Sequence[Word]) -> None:
    """Make sure that a condition looks, and computes nothing.

    An index of a variable (``-v``) and a number in ``[[`` are computed, which can run commands.

    Raises:
        RefusedError: it may do more, or is not understood.
    """
    brackets = words[0].text == "[["
    for at, word in enumerate(words):
        before = words[at - 1] if at else None
        after = words[at + 1] if at + 1 < len(words) else None
        if word.whole:
            _known(word)
            if brackets and word.text in _COMPARISONS:
                _numbers(before, after)
        elif not brackets:
            _operand(word, before, after)


def _known(word: Word) -> None:
    if word.text in {"-v", "-R"}:
        raise RefusedError(f"{word.text} of a test may compute an index")


def _numbers(*words: Word | None) -> None:
    for word in words:
        if word is None or not word.whole or not _NUMBER.fullmatch(word.text):
            raise RefusedError("a comparison may compute what it compares")


def _operand(word: Word, before: Word | None, after: Word | None) -> None:
    """Make sure that ``test`` takes a word that is not known yet for an operand."""
    behind = before is not None and before.whole and before.text in _UNARY | _BINARY
    ahead = after is not None and after.whole and after.text in _BINARY
    if word.many or (word.may_be_option and not (behind or ahead)):
        raise RefusedError(f"{shown(word.text)} could become an operator of a test")
