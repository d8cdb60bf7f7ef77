"""Commands that start the command in their own words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from planmode.shell import variables
from planmode.shell.options import RefusedError, table, use
from planmode.shell.policy import Permission
from planmode.shell.words import Word, shown

ROWS: Final = table("""
nice: -n= --adjustment=; digits; wraps
timeout: -s= -k= -v -f --signal= --kill-after= --preserve-status --foreground --verbose; wraps
time: -p; wraps
env: -i -0 --ignore-environment --null; wraps
command: -p; wraps
stdbuf: -i= -o= -e= --input= --output= --error=; wraps
ionice: -c= -n= -t --class= --classdata= --ignore; wraps
xargs: -0 -a= -d= -I= -L= -n= -P= -r -s= -t -x --null --arg-file= --delimiter= --replace?
    --max-lines= --max-args= --max-procs= --no-run-if-empty --max-chars= --verbose --exit
    --show-limits; wraps
""")
OPAQUE: Final = frozenset(
    {
        *("sudo", "doas", "su", "runuser", "pkexec", "chroot", "nsenter", "unshare", "setpriv"),
        *("sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox", "toybox", "eval", "source"),
        *(".", "exec", "builtin", "coproc", "trap", "alias", "nohup", "setsid", "strace", "ltrace"),
        *("watch", "script", "parallel", "flock", "taskset", "chrt", "systemd-run"),
        *("at", "batch", "entr", "expect"),
        # The parser takes these for commands where the shell sees its own words.
        *("!", "{", "if", "then", "elif", "else", "while", "until", "do", "for", "case", "select"),
        "function",
    }
)
"""Commands that may start another that isn't one of the line's own."""

_DURATION: Final = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=.*", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Inner:
    """The command that a wrapper starts (no words: none), and what that has to be permitted.

    ``refused`` says why it may do more than read, whatever the command is.
    """

    words: tuple[Word, ...]
    needs: tuple[Permission, ...]
    refused: str = ""


_NEEDS: Final[Mapping[str, Permission]] = {"xargs": Permission.XARGS}


def unwrap(name: str, words: Sequence[Word]) -> Inner | None:
    """Return what ``name`` starts with ``words``; ``None`` when it is no wrapper.

    Raises:
        RefusedError: its own words are not understood.
    """
    row = ROWS.get(name)
    if row is None:
        return None
    used = use(row, words)
    needs = (_NEEDS.get(name, Permission.WRAPPERS),)
    if name == "xargs":
        marks = [word.text for word in used.values("-I", "--replace")]
        bare = ["{}"] if used.has("--replace") and not used.values("--replace") else []
        return Inner(_filled(used.operands, [*marks, *bare]), needs)
    if name == "timeout":
        return Inner(_timed(used.operands), needs)
    if name == "env":
        return _with_variables(used.operands)
    return Inner(used.operands, needs)


def _timed(words: tuple[Word, ...]) -> tuple[Word, ...]:
    if not words or not words[0].whole or not _DURATION.fullmatch(words[0].text):
        raise RefusedError("timeout lacks a duration")
    return words[1:]


def _with_variables(words: tuple[Word, ...]) -> Inner:
    needs = [Permission.WRAPPERS]
    refused = ""
    for at, word in enumerate(words):
        found = _ASSIGNMENT.fullmatch(word.start)
        if found is None:
            return Inner(words[at:], tuple(needs), refused)
        permission = variables.permission(found[1], exported=True)
        if permission is None or word.many:
            refused = f"the variable {shown(found[1])} may change what a program does"
        else:
            needs.append(permission)
    return Inner((), (*needs, Permission.ENVIRONMENT), refused)


def _filled(words: tuple[Word, ...], marks: list[str]) -> tuple[Word, ...]:
    """Return the command of xargs with what it puts in, which may be anything."""
    if not marks:
        return (*words, Word("", "", whole=False, many=True, injects=True)) if words else ()
    return tuple(blank(word, mark) for mark in marks[-1:] for word in words)


def blank(word: Word, mark: str, start: str = "") -> Word:
    """Return ``word`` as it is when ``mark`` in it is replaced by what begins with ``start``."""
    if not mark or mark not in word.text:
        return word
    known = word.start.partition(mark)[0]
    return replace(word, start=known or start, whole=False)
