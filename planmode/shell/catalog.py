"""Every command that is known to read, from all families."""

from collections.abc import Mapping, Sequence
from typing import Final

from planmode.shell.commands import files, git, system, text, tools
from planmode.shell.options import RefusedError, Row
from planmode.shell.words import Word, shown

ROWS: Final[Mapping[str, Row]] = {
    **text.ROWS,
    **files.ROWS,
    **system.ROWS,
    **git.ROWS,
    **tools.ROWS,
}
PROGRAMS: Final = frozenset(name.partition(" ")[0] for name in ROWS if " " in name)
"""Programs whose first operand says what they do."""
_FALLBACK: Final[Mapping[str, str]] = {
    "curl": "curl fetch",
    "wget": "wget fetch",
    "sqlite3": "sqlite3 read",
    "psql": "psql read",
    "command": "command -v",
}
"""Programs without verbs that have a row for their version, and one for their use."""


def row_of(words: Sequence[Word]) -> tuple[Row, tuple[Word, ...]]:
    """Return the row of a command, and its words behind the name and the verbs.

    Raises:
        RefusedError: no row is about it.
    """
    name = words[0].text
    rest = tuple(words[1:])
    if name in _FALLBACK:
        versioned = len(rest) == 1 and rest[0].text == "--version" and name in ROWS
        return ROWS[name if versioned else _FALLBACK[name]], rest
    if name in PROGRAMS:
        return _verb_of(name, rest)
    row = ROWS.get(name)
    if row is None:
        raise RefusedError(f"{shown(name)} is not on the list of commands that only read")
    return row, rest


def _verb_of(name: str, rest: tuple[Word, ...]) -> tuple[Row, tuple[Word, ...]]:
    for count in (2, 1):
        verbs = rest[:count]
        row = ROWS.get(" ".join([name, *(word.text for word in verbs)]))
        if row is not None and len(verbs) == count and all(word.whole for word in verbs):
            return row, rest[count:]
    verb = next((word for word in rest if not word.start.startswith("-")), None)
    row = ROWS.get(name)
    if verb is None and row is not None:
        return row, rest
    about = f"{name} {verb.text}" if verb is not None else name
    raise RefusedError(f"{shown(about)} is not on the list of commands that only read")


def git_parts(words: Sequence[Word]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Return git's own options and the words from the verb on, of words without ``git``."""
    valued = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"}
    at = 0
    while at < len(words) and words[at].start.startswith("-"):
        at += 2 if words[at].text in valued else 1
    return tuple(words[:at]), tuple(words[at:])
