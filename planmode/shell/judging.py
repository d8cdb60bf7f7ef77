"""The rules that say whether a shell line surely only reads."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from planmode.shell import variables
from planmode.shell.catalog import ROWS, git_parts, row_of
from planmode.shell.checks import CHECKS, NULL, check_printf
from planmode.shell.conditions import check_condition
from planmode.shell.find import check_find
from planmode.shell.options import RefusedError, Row, permissions, table, use
from planmode.shell.policy import Permission, Policy
from planmode.shell.syntax import Assignment, Line, Redirection, parse
from planmode.shell.words import Word, plain, shown
from planmode.shell.wrappers import unwrap

DEEPEST: Final = 3
"""Lines inside of lines (``sh -c``), and commands inside of commands (``nice``, ``xargs``)."""

_TRUSTED_FOLDERS: Final = re.compile(r"/(?:usr/)?bin/(?=[^/]+$)")
_DUPLICATE: Final = re.compile(r"\d+-?|-")
_GIT: Final = re.compile(r"\bgit\b")
_TAR_LETTERS: Final = re.compile(r"[tvzjJ]+f?")
_WATCH: Final = table("watch: -n= -d -t -g -e -x --interval= --no-title; wraps")["watch"]
_SECRET: Final = re.compile(
    r"~|/proc/|\.ssh|\.aws|\.gnupg|\.netrc|\.env\b|\.kube|id_rsa|id_ed25519|credentials|/etc/shadow"
)


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms a line is judged.

    ``workspace`` is the absolute folder in which git may be used; empty where it isn't known.
    ``depth`` counts the lines and commands around.
    """

    policy: Policy
    workspace: str = ""
    depth: int = 0

    def below(self) -> Self:
        """Return the terms for what is inside.

        Raises:
            RefusedError: that is too deep.
        """
        if self.depth >= DEEPEST:
            raise RefusedError("it is nested too deeply")
        return replace(self, depth=self.depth + 1)

    def permit(self, needs: Iterable[Permission]) -> None:
        """Make sure that the policy gives each of ``needs``.

        Raises:
            RefusedError: it doesn't.
        """
        for permission in needs:
            if not self.policy.allows(permission):
                raise RefusedError(f"the policy does not allow {permission.value}")


def judge(line: Line, terms: Terms) -> None:
    """Make sure that ``line`` only reads.

    Raises:
        RefusedError: it may do more, is not understood, or holds nothing.
    """
    if line.doubt:
        raise RefusedError(line.doubt)
    if not (line.commands or line.assignments or line.redirections):
        raise RefusedError("there is no command")
    for redirection in line.redirections:
        _check_redirection(redirection)
    for command in line.commands:
        terms.permit(map(_assigned, command.assignments))
        if command.words:
            terms.permit(_needs(command.words, terms))
    terms.permit([*line.constructs, *map(_assigned, line.assignments), *_needs_of_words(line)])
    terms.permit(_needs_of_folders(line, terms))


def _needs_of_words(line: Line) -> Iterator[Permission]:
    words = [word for command in line.commands for word in command.words]
    words += [redirection.target for redirection in line.redirections]
    if any(_SECRET.search(word.text) for word in words):
        yield Permission.SECRET_PATHS


def _needs_of_folders(line: Line, terms: Terms) -> Iterator[Permission]:
    """Another folder may be a repository whose configuration starts programs."""
    called = [command.words for command in line.commands]
    uses_git = any(_GIT.search(word.text) for words in called for word in words)
    for words in called if uses_git else ():
        texts = {word.text for word in words}
        target = words[-1] if words and words[-1].text != "cd" else plain("~")
        if "-execdir" in texts or ("cd" in texts and not _inside(target, terms.workspace)):
            yield Permission.GIT_ELSEWHERE


def _inside(folder: Word, workspace: str) -> bool:
    """Return whether ``folder`` lies in the workspace, as it is written."""
    text = folder.text.rstrip("/")
    if not folder.whole or ".." in text:
        return False
    below = text == workspace or text.startswith(f"{workspace}/")
    return (
        bool(workspace) and below if folder.text[:1] == "/" else folder.text[:1] not in {"~", "-"}
    )


def _assigned(assignment: Assignment) -> Permission:
    permission = variables.permission(assignment.name, exported=assignment.exported)
    if permission is None:
        raise RefusedError(f"the variable {shown(assignment.name)} may change what a program does")
    return permission


def _check_redirection(redirection: Redirection) -> None:
    operator, target = redirection.operator, redirection.target
    null = target.whole and target.text == NULL
    copies = target.whole and _DUPLICATE.fullmatch(target.text) is not None
    harmless = {
        **dict.fromkeys((">", ">>", "&>", "&>>", ">|"), null),
        ">&": null or copies,
        "<&": copies,
        **dict.fromkeys((">&-", "<&-"), True),
        "<": null or _opens_file(target),
    }
    if not harmless.get(operator, False):
        does = "may open more than a file" if operator == "<" else "writes"
        raise RefusedError(f"{operator} {shown(target.text)} {does}")


def _opens_file(target: Word) -> bool:
    """Return whether reading ``target`` is that of a file: bash opens sockets below /dev, too."""
    known = not target.injects and target.start
    return bool(known) and not re.match(r"/+(?:d|$)", target.start)


def _needs(words: Sequence[Word], terms: Terms) -> list[Permission]:
    """Return what a simple command has to be permitted.

    Raises:
        RefusedError: it may do more than read, whatever is permitted.
    """
    if not words[0].whole:
        raise RefusedError(f"the command {shown(words[0].text)} is only known when it runs")
    name = _TRUSTED_FOLDERS.sub("", words[0].text)
    rest = tuple(words[1:])
    if name == "command" and rest and rest[0].text in {"-v", "-V"}:
        return _listed(name, rest)
    inner = unwrap(name, rest)
    if inner is not None:
        if inner.refused:
            raise RefusedError(inner.refused)
        below = _needs(inner.words, terms.below()) if inner.words else []
        return [*inner.needs, *below]
    special = _SPECIAL.get(name)
    return _listed(name, rest) if special is None else special(name, rest, terms)


def _test(name: str, words: tuple[Word, ...], _: Terms) -> list[Permission]:
    check_condition([plain(name), *words])
    return []


def _printf(_name: str, words: tuple[Word, ...], _: Terms) -> list[Permission]:
    check_printf(words)
    return []


def _find(_name: str, words: tuple[Word, ...], terms: Terms) -> list[Permission]:
    return check_find(words, lambda inner: _needs(inner, terms.below()))


def _git(name: str, words: tuple[Word, ...], terms: Terms) -> list[Permission]:
    own, rest = git_parts(words)
    used = use(ROWS[name], own)
    folders = [*used.values("-C"), *used.values("--git-dir", "--work-tree")]
    outside = not all(_inside(folder, terms.workspace) for folder in folders)
    needs = [Permission.GIT_ELSEWHERE] if outside else []
    return [*needs, *_listed(name, rest)] if rest else needs


def _shell(name: str, words: tuple[Word, ...], terms: Terms) -> list[Permission]:
    if not words or words[0].text != "-c":
        return _listed(name, words)
    return [Permission.NESTED_SHELLS, *_line(words[1:], terms)]


def _watch(_: str, words: tuple[Word, ...], terms: Terms) -> list[Permission]:
    operands = use(_WATCH, words).operands
    text = " ".join(word.text for word in operands)
    whole = all(word.whole for word in operands)
    return [Permission.WATCHING, *_line((Word(text, text, whole=whole),), terms)]


def _line(words: tuple[Word, ...], terms: Terms) -> list[Permission]:
    if len(words) != 1 or not words[0].whole:
        raise RefusedError("the line of the inner shell is only known when it runs")
    judge(parse(words[0].text), terms.below())
    return []


def _listed(name: str, words: tuple[Word, ...]) -> list[Permission]:
    row, rest = row_of((plain(name), *words))
    used = use(row, _dashed(row, rest))
    check = CHECKS.get(row.name)
    return [*permissions(row, used), *(check(used) if check is not None else ())]


def _dashed(row: Row, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the words with the dash that tar may be called without.

    Without it the values of several letters would follow in their order, so there may be one.
    """
    if row.name != "tar" or not words or not _TAR_LETTERS.fullmatch(words[0].text):
        return words
    return (plain(f"-{words[0].text}"), *words[1:])


_SPECIAL: Final[Mapping[str, Callable[[str, tuple[Word, ...], Terms], list[Permission]]]] = {
    **dict.fromkeys(("test", "[", "[["), _test),
    "printf": _printf,
    "find": _find,
    "git": _git,
    **dict.fromkeys(("sh", "bash", "dash"), _shell),
    "watch": _watch,
}
"""Commands with a grammar of their own."""
