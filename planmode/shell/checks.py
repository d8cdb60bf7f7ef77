"""What a table of options can't say about a command."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from planmode.shell.options import RefusedError, Used
from planmode.shell.policy import Permission
from planmode.shell.scripts import check_awk, check_sed
from planmode.shell.variables import settable
from planmode.shell.words import Word, shown

Check = Callable[[Used], list[Permission]]
"""Returns what has to be permitted; raises ``RefusedError``."""

NULL: Final = "/dev/null"
_LISTING: Final = ("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged")
_SIGNATURES: Final = re.compile(r"%G|signature")
_STORES: Final = re.compile(r"%[^A-Za-z%]*n")
_URL: Final = re.compile(r"https?://[^\s-][^\s]*")
_SQL: Final = re.compile(r"\s*(?:select|explain select|show)\b[^;]*;?\s*", re.IGNORECASE)
_SQL_EFFECTS: Final = re.compile(r"\binto\b|\(", re.IGNORECASE)
_DOT: Final = re.compile(r"\.(?:tables|schema|databases|indexes)(?: \w+)?")
_DD: Final = re.compile(r"(?:if|bs|ibs|count|skip|status|iflag)=[^\s]*")


def _require(*, that: bool, why: str) -> list[Permission]:
    if not that:
        raise RefusedError(why)
    return []


def _date(used: Used) -> list[Permission]:
    return _require(
        that=all(word.start.startswith("+") and not word.injects for word in used.operands),
        why="date with an operand that is not a format sets the clock",
    )


def _sysctl(used: Used) -> list[Permission]:
    return _require(
        that=all(word.whole and "=" not in word.text for word in used.operands),
        why="sysctl with a value sets it",
    )


def _listed_refs(used: Used) -> list[Permission]:
    """Branches and tags are made and moved by naming them."""
    _formats(used)
    return _require(
        that=not used.operands or used.has(*_LISTING, "--points-at"),
        why="a name makes or changes it, unless --list stands before",
    )


def _formats(used: Used) -> list[Permission]:
    """A format that asks for a signature starts the program that the configuration names."""
    values = used.values("--format", "--pretty")
    return _require(
        that=all(word.whole and not _SIGNATURES.search(word.text) for word in values),
        why="the format may start a program that checks signatures",
    )


def _help(used: Used) -> list[Permission]:
    if not used.operands or used.has("-w", "--web"):
        return []
    return [Permission.PAGERS]


def _sed(used: Used) -> list[Permission]:
    check_sed(used)
    return []


def _tar(used: Used) -> list[Permission]:
    """An archive with a colon in its name is fetched by a remote shell."""
    values = used.values("-f", "--file")
    return _require(
        that=all(word.whole and ":" not in word.text for word in values),
        why="the archive may be a remote one",
    )


def _read(used: Used) -> list[Permission]:
    return _require(
        that=all(word.whole and settable(word.text) for word in used.operands),
        why="read sets a variable that is not harmless",
    )


def _set(used: Used) -> list[Permission]:
    names = {"pipefail", "errexit", "nounset", "noglob"}
    return _require(
        that=all(word.whole and word.text in names for word in used.values("-o", "+o")),
        why="set changes how the shell works",
    )


def _tee(used: Used) -> list[Permission]:
    return _require(
        that=all(word.whole and word.text == NULL for word in used.operands),
        why="tee writes files",
    )


def _pager(used: Used) -> list[Permission]:
    return _require(
        that=not any(word.start.startswith("+") for word in used.operands),
        why="a command for the pager may start others",
    )


def _paging(used: Used) -> list[Permission]:
    never = all(word.whole and word.text == "never" for word in used.values("--paging"))
    return [] if never else [Permission.PAGERS]


def _fetch(used: Used) -> list[Permission]:
    _require(
        that=not any(word.start.startswith("@") for word in used.values("-H", "--header", "-A")),
        why="the contents of a file are sent",
    )
    outputs = used.values("-O", "--output-document")
    _require(that=all(word.text == "-" for word in outputs), why="it writes a file")
    return _require(
        that=bool(used.operands)
        and all(word.whole and _URL.fullmatch(word.text) for word in used.operands),
        why="it fetches more than an address of the web",
    )


def _sqlite(used: Used) -> list[Permission]:
    return _statements(used.operands[1:2] if len(used.operands) > 1 else ())


def _psql(used: Used) -> list[Permission]:
    return _statements(tuple(used.values("-c", "--command")))


def _statements(words: tuple[Word, ...]) -> list[Permission]:
    def reads(word: Word) -> bool:
        sql = _SQL.fullmatch(word.text) and not _SQL_EFFECTS.search(word.text)
        return word.whole and bool(sql or _DOT.fullmatch(word.text))

    return _require(
        that=bool(words) and all(map(reads, words)), why="the statement may do more than read"
    )


def _dd(used: Used) -> list[Permission]:
    return _require(
        that=all(word.whole and _DD.fullmatch(word.text) for word in used.operands),
        why="dd may write",
    )


CHECKS: Final[Mapping[str, Check]] = {
    "date": _date,
    "sysctl": _sysctl,
    "git branch": _listed_refs,
    "git tag": _listed_refs,
    **dict.fromkeys(("git log", "git show", "git whatchanged", "git shortlog"), _formats),
    **dict.fromkeys(("git rev-list", "git diff-tree", "git for-each-ref", "git ls-tree"), _formats),
    **dict.fromkeys(
        ("git stash list", "git reflog", "git reflog show", "git diff-index"), _formats
    ),
    "git diff-files": _formats,
    "git ls-files": _formats,
    "git help": _help,
    "sed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), check_awk),
    "tar": _tar,
    "read": _read,
    "set": _set,
    "tee": _tee,
    "less": _pager,
    "more": _pager,
    "bat": _paging,
    "batcat": _paging,
    "curl fetch": _fetch,
    "wget fetch": _fetch,
    "sqlite3 read": _sqlite,
    "psql read": _psql,
    "dd": _dd,
}


def check_printf(words: tuple[Word, ...]) -> None:
    """Make sure that printf prints: its ``-v`` and its ``%n`` set variables.

    Raises:
        RefusedError: it may do that.
    """
    rest = words[1:] if words[:1] and words[0].text == "--" else words
    format_ = rest[0] if rest else None
    if format_ is None or not format_.whole or format_.text.startswith("-"):
        raise RefusedError("the format of printf is only known when it runs")
    if _STORES.search(format_.text):
        raise RefusedError(f"{shown(format_.text)} of printf sets a variable")
