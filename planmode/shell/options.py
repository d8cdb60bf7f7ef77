"""Which options a command may have, as rows of a table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from planmode.shell.policy import Permission
from planmode.shell.words import Word, shown


class Value(StrEnum):
    """Whether an option takes a value, as it is marked in a row."""

    NONE = ""
    NEEDED = "="  # attached or the next word
    ATTACHED = "?"  # attached, or there is none


@dataclass(frozen=True, slots=True)
class Option:
    """One option that a command may have; ``needs`` says with which permission."""

    value: Value
    needs: Permission | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What a command may be called with, and still only reads.

    ``loose``: it has no option at all that writes or starts something, so unknown words may become
    options. ``digits``: ``-5`` is an option. ``most``: operands at most; ``None`` is any number.
    ``one_of``: an option of these has to be there, if there are any. ``wraps``: the first operand
    ends the options.
    """

    name: str
    options: Mapping[str, Option]
    loose: bool = False
    digits: bool = False
    most: int | None = None
    one_of: frozenset[str] = frozenset()
    needs: Permission | None = None
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Used:
    """What a call of a command consists of: options with their values, and operands."""

    options: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]

    def has(self, *names: str) -> bool:
        """Return whether one of the options is there."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Word]:
        """Return the values of these options."""
        return [value for name, value in self.options if name in names and value is not None]


class RefusedError(Exception):
    """A command is not read-only; the text says why, in one line."""


def table(text: str) -> dict[str, Row]:
    """Return the rows of ``text`` by command name.

    A row is ``NAME: OPTION …; TRAIT; …`` and goes on in the next line where that is indented. A
    name with a blank is a program's verb; several commands of one row are separated by commas.
    Options: ``-x``, ``--long``, with ``=`` where a value is needed, with ``?`` where one may be
    attached, with ``@permission`` behind it where the policy decides.
    """
    rows: dict[str, Row] = {}
    for line in re.sub(r"\n\s+(?=\S)", " ", text.strip()).splitlines():
        names, _, rest = line.partition(":")
        options, *traits = rest.split(";")
        for name in names.split(","):
            rows[name.strip()] = _row(name.strip(), options, [trait.strip() for trait in traits])
    return rows


def _row(name: str, options: str, traits: Sequence[str]) -> Row:
    words = dict(trait.partition(" ")[::2] for trait in traits)
    return Row(
        name,
        dict(_options(options)),
        loose="loose" in words,
        digits="digits" in words,
        most=int(words["most"]) if "most" in words else None,
        one_of=frozenset(words.get("one_of", "").split()),
        needs=Permission(words["needs"]) if "needs" in words else None,
        wraps="wraps" in words,
    )


def _options(text: str) -> Iterator[tuple[str, Option]]:
    for item in text.split():
        spelled, _, permission = item.partition("@")
        name = spelled.rstrip("=?")
        needs = Permission(permission) if permission else None
        yield name, Option(Value(spelled[len(name) :]), needs)


_DIGITS: Final = re.compile(r"-\d+")


def permissions(row: Row, used: Used) -> list[Permission]:
    """Return what this use of ``row`` has to be permitted."""
    found = [
        row.needs,
        *(row.options[name].needs for name, _ in used.options if name in row.options),
    ]
    return [permission for permission in found if permission is not None]


def use(row: Row, words: Sequence[Word]) -> Used:
    """Return how ``words`` (without the command's name) use ``row``.

    Raises:
        RefusedError: an option is not listed, or a word could become one.
    """
    reading = _Reading(row, list(words))
    return reading.all()


@dataclass(slots=True)
class _Reading:
    """Reads the words of one command, from the left."""

    row: Row
    left: list[Word]

    def all(self) -> Used:
        options: list[tuple[str, Word | None]] = []
        operands: list[Word] = []
        while self.left:
            word = self.left.pop(0)
            if not self.operand(word) and word.text != "--":
                options.extend(self.option(word))
                continue
            operands.extend([word] if self.operand(word) else [])
            if self.row.wraps or not self.operand(word):
                operands.extend(self.left)
                break
        used = Used(tuple(options), tuple(operands))
        self.complete(used)
        return used

    def operand(self, word: Word) -> bool:
        """Return whether ``word`` can't be an option, or where it wouldn't matter."""
        dashed = word.may_be_option or word.start.startswith("-")
        return word.text == "-" or not dashed or (self.row.loose and not word.whole)

    def complete(self, used: Used) -> None:
        """Make sure that operands are no more, and options no fewer, than they may be."""
        most = self.row.most
        extra = most is not None and (
            len(used.operands) > most or any(word.many for word in used.operands)
        )
        if extra:
            raise RefusedError(f"{self.row.name} is read-only only with fewer operands")
        if self.row.one_of and not used.has(*self.row.one_of):
            raise RefusedError(f"{self.row.name} is read-only only with {_either(self.row.one_of)}")

    def option(self, word: Word) -> Iterator[tuple[str, Word | None]]:
        """Yield the options that ``word`` is."""
        name, equals, value = word.start.partition("=")
        if word.injects or (not word.whole and not word.start):
            raise RefusedError(f"{shown(word.text)} could become an option of {self.row.name}")
        if equals and name in self.row.options:
            yield self.known(name, Word(value, value, whole=word.whole, many=word.many))
        elif word.whole and word.text in self.row.options:
            yield self.following(word.text)
        elif word.whole and self.row.digits and _DIGITS.fullmatch(word.text):
            yield word.text, None
        elif word.start.startswith("--"):
            raise self.unknown(word.text)
        else:
            yield from self.cluster(word)

    def cluster(self, word: Word) -> Iterator[tuple[str, Word | None]]:
        """Yield the options of ``-abc``, the last of which may have its value attached."""
        letters = word.start[1:]
        for at, letter in enumerate(letters, start=1):
            name = f"-{letter}"
            option = self.row.options.get(name)
            if option is None:
                raise self.unknown(word.text)
            rest = word.start[at + 1 :]
            if option.value is Value.NEEDED and not rest and word.whole:
                yield self.following(name)
                return
            if option.value is not Value.NONE and (rest or not word.whole):
                yield self.known(name, Word(rest, rest, whole=word.whole, many=word.many))
                return
            yield self.known(name, None)
        if not word.whole:
            raise RefusedError(f"{shown(word.text)} could become an option of {self.row.name}")

    def following(self, name: str) -> tuple[str, Word | None]:
        """Return the option ``name`` with its value, the next word if it needs one."""
        if self.row.options[name].value is not Value.NEEDED:
            return self.known(name, None)
        if not self.left:
            raise RefusedError(f"{name} of {self.row.name} lacks its value")
        value = self.left.pop(0)
        dashed = value.start.startswith("-") and value.text != "-"
        if not self.row.loose and (value.many or (dashed and not _DIGITS.match(value.text))):
            raise RefusedError(f"{shown(value.text)} could become an option of {self.row.name}")
        return self.known(name, value)

    def known(self, name: str, value: Word | None) -> tuple[str, Word | None]:
        """Return an option that is listed, with its value."""
        if value is not None and self.row.options[name].value is Value.NONE:
            raise self.unknown(name)
        return name, value

    def unknown(self, text: str) -> RefusedError:
        return RefusedError(f"{shown(text)} of {self.row.name} is not among its reading options")


def _either(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
