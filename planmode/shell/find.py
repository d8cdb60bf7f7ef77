"""What ``find`` may be asked for."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from planmode.shell.options import RefusedError
from planmode.shell.policy import Permission
from planmode.shell.words import Word, shown
from planmode.shell.wrappers import blank

Judge = Callable[[tuple[Word, ...]], list[Permission]]
"""Judges the command of ``-exec``; returns what that has to be permitted."""

_ALONE: Final = frozenset(
    {
        *(
            "-H",
            "-L",
            "-P",
            "(",
            ")",
            "!",
            ",",
            "-a",
            "-and",
            "-o",
            "-or",
            "-not",
            "-true",
            "-false",
        ),
        *("-depth", "-d", "-mount", "-xdev", "-noleaf", "-follow", "-daystart", "-warn", "-nowarn"),
        *("-ignore_readdir_race", "-noignore_readdir_race", "-print", "-print0", "-ls", "-prune"),
        *("-quit", "-empty", "-readable", "-writable", "-executable", "-nouser", "-nogroup"),
        *("-help", "-version", "--help", "--version"),
    }
)
_VALUED: Final = frozenset(
    {
        *("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname"),
        *("-regex", "-iregex", "-regextype", "-type", "-xtype", "-size", "-mtime", "-atime"),
        *("-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer", "-cnewer", "-user", "-group"),
        *("-uid", "-gid", "-perm", "-links", "-inum", "-samefile", "-maxdepth", "-mindepth"),
        *("-fstype", "-used", "-printf", "-context"),
    }
)
_PATTERNED: Final = re.compile(r"-newer[aBcm][aBcmt]")
_OPTIMISED: Final = re.compile(r"-O[0-3]")


def check_find(words: Sequence[Word], judge: Judge) -> list[Permission]:
    """Return what this call of find (without its name) has to be permitted.

    Raises:
        RefusedError: it may delete, write or start something.
    """
    left = list(words)
    needs: list[Permission] = []
    while left:
        word = left.pop(0)
        if word.may_be_option and not word.whole:
            raise RefusedError(f"{shown(word.text)} could become an action of find")
        if word.text in _VALUED or _PATTERNED.fullmatch(word.text):
            _skip_value(word, left)
        elif word.text in {"-exec", "-execdir"}:
            needs += [Permission.FIND_EXEC, *judge(_executed(left))]
        elif word.start.startswith("-") and not _listed(word.text):
            raise RefusedError(f"{shown(word.text)} of find is not among its reading tests")
    return needs


def _listed(text: str) -> bool:
    return text in _ALONE or _OPTIMISED.fullmatch(text) is not None


def _skip_value(word: Word, left: list[Word]) -> None:
    if not left or left.pop(0).many:
        raise RefusedError(f"the value of {word.text} could become several words")


def _executed(left: list[Word]) -> tuple[Word, ...]:
    """Take the command of ``-exec`` from the words; paths in it begin as the places searched do."""
    taken: list[Word] = []
    while left:
        word = left.pop(0)
        if word.text == ";" or (word.text == "+" and taken and taken[-1].text == "{}"):
            return _filled(taken)
        taken.append(word)
    raise RefusedError("the command of -exec does not end")


def _filled(words: list[Word]) -> tuple[Word, ...]:
    if not words:
        raise RefusedError("-exec lacks a command")
    return tuple(blank(word, "{}", start="./") for word in words)
