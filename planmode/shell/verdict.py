"""Says of one shell line whether it may run unasked, and what is in it."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from planmode.shell.judging import Terms, judge
from planmode.shell.naming import names_of
from planmode.shell.options import RefusedError
from planmode.shell.policy import STRICT, Permission, Policy
from planmode.shell.syntax import UNPARSED, Line, parse

LONGEST: Final = 10_000
"""Characters of a line that is looked at."""

_REFUSED_BY_BASH: Final = re.compile(r"(?:echo|printf)(?: [\w./-]+)* \\\$\([\w ./-]*\)?", re.ASCII)
"""A line with an open parenthesis behind a word: bash runs nothing of it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of a shell line before it runs.

    ``why``: in one line, why it is not surely read-only; empty when it is. ``commands``: the text
    of every command in it, for patterns of rules; an allowing rule has to match each of them, a
    denying one any. Beside the simple commands these are: the command that a wrapper starts, one
    without its folder, git without git's own options, ``> FILE`` for files written, and
    ``NAME=VALUE`` for variables that aren't harmless. ``understood``: nothing else runs by this
    line than what ``commands`` name; without it no rule can rely on them.
    """

    read_only: bool
    why: str
    commands: tuple[str, ...]
    understood: bool


def read(command: str, policy: Policy = STRICT, *, workspace: str = "") -> Reading:
    """Return what ``command``, a line or several for bash, would do; for any text.

    ``workspace``: the absolute folder that it runs in, whose repository git may read.
    """
    trouble = _unreadable(command, policy)
    if trouble:
        return Reading(read_only=False, why=trouble, commands=(), understood=False)
    line = parse(command)
    if line.doubt == UNPARSED and _REFUSED_BY_BASH.fullmatch(command):
        allowed = policy.allows(Permission.SYNTAX_ERRORS)
        return Reading(allowed, "" if allowed else line.doubt, (), understood=allowed)
    return _reading(line, Terms(policy, workspace))


def _reading(line: Line, terms: Terms) -> Reading:
    names = names_of(line)
    understood = names.complete and not line.doubt
    try:
        judge(line, terms)
    except RefusedError as error:
        return Reading(read_only=False, why=str(error), commands=names.texts, understood=understood)
    return Reading(read_only=True, why="", commands=names.texts, understood=understood)


def _unreadable(command: str, policy: Policy) -> str:
    """Return why ``command`` isn't even parsed, or nothing."""
    if len(command) > LONGEST:
        return f"it has more than {LONGEST} characters"
    escapes = {"\x1b"} if policy.allows(Permission.TERMINAL_ESCAPES) else set()
    if any(
        unicodedata.category(letter) in {"Cc", "Cs"} and letter not in {"\n", "\t", *escapes}
        for letter in set(command)
    ):
        return "it holds control characters"
    if not command.isascii() and not policy.allows(Permission.UNUSUAL_CHARACTERS):
        return f"the policy does not allow {Permission.UNUSUAL_CHARACTERS.value}"
    return ""
