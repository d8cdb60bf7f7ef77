"""The texts of a line's commands, for the patterns of permission rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from planmode.shell import variables
from planmode.shell.catalog import PROGRAMS, ROWS, git_parts
from planmode.shell.options import RefusedError
from planmode.shell.syntax import Assignment, Line
from planmode.shell.words import Word, plain
from planmode.shell.wrappers import OPAQUE, unwrap

_STARTING: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec"})
_VERBLESS: Final = frozenset({"test", "[", "[[", "printf", "find"})
_READING: Final = frozenset({"<", "<&", ">&-", "<&-"})
_DEEPEST: Final = 8


@dataclass(frozen=True, slots=True)
class Names:
    """``complete``: the texts name all that runs, and name it as it will be."""

    texts: tuple[str, ...]
    complete: bool


def names_of(line: Line) -> Names:
    """Return the texts of everything in ``line`` that a rule may be about."""
    texts: list[str] = []
    complete = True
    for command in line.commands:
        for variant in _variants(command.words, 0):
            complete = complete and variant is not None
            texts.extend([variant] if variant is not None else [])
        texts.extend(_set(command.assignments))
    texts.extend(_set(line.assignments))
    for redirection in line.redirections:
        reads = redirection.operator in _READING
        duplicates = redirection.operator == ">&" and redirection.target.text.rstrip("-").isdigit()
        if not (reads or duplicates or redirection.target.text == "/dev/null"):
            texts.append(f"> {redirection.target.text}")
    return Names(tuple(dict.fromkeys(texts)), complete)


def _set(assignments: Sequence[Assignment]) -> Iterator[str]:
    for assignment in assignments:
        if variables.permission(assignment.name, exported=assignment.exported) is None:
            yield f"{assignment.name}={assignment.value.text}"


def _variants(words: Sequence[Word], depth: int) -> Iterator[str | None]:
    """Yield the texts of one command; ``None`` says that they aren't all."""
    if not words:
        return
    name = words[0].text.rpartition("/")[2]
    yield _text(words)
    if name != words[0].text:
        yield _text([plain(name), *words[1:]])
    if name == "git":
        yield _text([plain(name), *git_parts(words[1:])[1]])
    if not _plain(name, words) or _starts_others(name, words) or depth > _DEEPEST:
        yield None
        return
    yield from _inner(name, words[1:], depth)


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words).rstrip()


def _plain(name: str, words: Sequence[Word]) -> bool:
    """Return whether it is known what runs: the program, and its verb where it may have one."""
    verbless = name in _VERBLESS or (name in ROWS and name not in PROGRAMS)
    return words[0].whole and (verbless or all(word.whole for word in words[:2]))


def _starts_others(name: str, words: Sequence[Word]) -> bool:
    searches = name in {"find", "fd", "fdfind"}
    return name in OPAQUE or (searches and any(word.text in _STARTING for word in words))


def _inner(name: str, words: Sequence[Word], depth: int) -> Iterator[str | None]:
    if name == "command" and words and words[0].text in {"-v", "-V"}:
        return
    try:
        inner = unwrap(name, words)
    except RefusedError:
        yield None
        return
    if inner is not None:
        yield from _variants(inner.words, depth + 1)
