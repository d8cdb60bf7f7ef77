"""Words of a shell line, and what is known of them before it runs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from tree_sitter import Node


class DoubtError(Exception):
    """The line holds something that is not understood; the text says what, in one line."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word after quotes are removed; what expands stands in ``text`` as it was written.

    ``start`` is the known text before anything that expands, and is all of it if ``whole``.
    ``many`` says that several words, or none, may come of it; ``injects`` that those may begin
    with anything.
    """

    text: str
    start: str
    whole: bool = True
    many: bool = False
    injects: bool = False

    @property
    def may_be_option(self) -> bool:
        """Return whether a program could take it, or a part of it, for an option not seen here."""
        return self.injects or (not self.whole and self.start[:1] in {"", "-"})


def plain(text: str) -> Word:
    """Return a word that is just ``text``."""
    return Word(text, text)


class _Kind(Enum):
    PLAIN = auto()
    QUOTED = auto()
    GLOB = auto()
    UNKNOWN = auto()  # one unknown text: an expansion in quotes
    SPLITTING = auto()  # unknown text that the shell splits


_Piece = tuple[str, _Kind]

_FAST: Final = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+")
_META: Final = frozenset(" \t\n;&|<>()$`\"'")
_GLOB: Final = frozenset("*?[")
_BRACES: Final = re.compile(r"\{.*(?:,|\.\.).*\}", re.DOTALL)
_EXPANSION: Final = re.compile(
    r"\$\{(?:#?\w+|#?\w+\[(?:[@*]|\d+)\]|\w+(?::?[-+]|%%?|##?|//?|\^\^?|,,?)[^$`()<>\"'\\{}]*)\}"
)
_ARITHMETIC: Final = re.compile(r"\$\(\([0-9+\-*/% ()]*\)\)")
_ANSI: Final = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r"}
_LONE_DOLLAR: Final = re.compile(r"\$(?=[\s\"/)|\\]|$)")


def word_of(node: Node, nested: list[Node]) -> Word:
    """Return the word of ``node``; substitutions inside are appended to ``nested``.

    Raises:
        DoubtError: it holds something that is not understood.
    """
    text = source(node)
    if node.type in _SIMPLE and _FAST.fullmatch(text):
        return plain(text)
    if node.type == "raw_string":
        return plain(_raw(text))
    return _joined(list(_pieces(node, nested)))


def source(node: Node) -> str:
    """Return the text of ``node`` as it was written."""
    return (node.text or b"").decode("utf-8", "replace")


def _token(node: Node) -> str:
    """Return the text of ``node`` without the blanks that the parser adds to tokens in strings."""
    return source(node).lstrip(" \t\n")


def _joined(pieces: list[_Piece]) -> Word:
    text = "".join(part for part, _ in pieces)
    skeleton = "".join(part if kind is _Kind.PLAIN else "q" * len(part) for part, kind in pieces)
    known = len(text)
    offset = 0
    for part, kind in pieces:
        if kind not in {_Kind.PLAIN, _Kind.QUOTED}:
            known = min(known, offset)
        offset += len(part)
    kinds = {kind for _, kind in pieces}
    braces = _BRACES.search(skeleton)
    if braces is not None:
        known = min(known, braces.start())
    return Word(
        text,
        text[:known],
        whole=braces is None and kinds <= {_Kind.PLAIN, _Kind.QUOTED},
        many=braces is not None or bool(kinds & {_Kind.GLOB, _Kind.SPLITTING}),
        injects=_Kind.SPLITTING in kinds,
    )


def _pieces(node: Node, nested: list[Node]) -> Iterator[_Piece]:
    text = source(node)
    if node.type in _BARE:
        yield from _bare(text)
    elif node.type in _COMPOUND:
        for child in node.children:
            yield from _pieces(child, nested)
    elif node.type == "string":
        yield from _quoted(node, nested)
    elif node.type in _TOKENS or (node.type == "$" and node.next_sibling is None):
        yield text, _Kind.PLAIN
    elif node.type in _LITERAL:
        yield _LITERAL[node.type](text), _Kind.QUOTED
    else:
        yield text, _expanding(node, nested)


def _bare(text: str) -> Iterator[_Piece]:
    """Yield the pieces of a word without quotes, which may hold backslashes and patterns."""
    if text.startswith("#"):
        raise DoubtError("a comment stands where a word should")
    letters = iter(text)
    for letter in letters:
        if letter == "\\":
            escaped = next(letters, "")
            if not escaped:
                raise DoubtError("a backslash ends a word")
            if escaped != "\n":
                yield escaped, _Kind.QUOTED
        elif letter in _META:
            raise DoubtError(f"{letter!r} stands inside a word")
        else:
            yield letter, _Kind.GLOB if letter in _GLOB else _Kind.PLAIN


def _raw(text: str) -> str:
    inner = text[1:-1]
    if text[:1] != "'" or text[-1:] != "'" or "'" in inner:
        raise DoubtError("single quotes are not closed as they seem")
    return inner


def _ansi(text: str) -> str:
    inner = text[2:-1]
    if not re.fullmatch(r"(?:[^\\']|\\[nt\\'\"r])*", inner):
        raise DoubtError("a string spells characters by number")
    return re.sub(r"\\(.)", lambda found: _ANSI[found[1]], inner)


def _quoted(node: Node, nested: list[Node]) -> Iterator[_Piece]:
    """Yield the pieces of a string in double quotes, also the blanks that its nodes leave out."""
    whole = node.text or b""
    position = node.start_byte + 1
    if whole[:1] != b'"' or whole[-1:] != b'"':
        raise DoubtError("a string is of an unknown kind")
    for child in node.children[1:-1]:
        if child.type not in {"string_content", "$"}:
            text = _token(child)
            start = child.end_byte - len(text.encode("utf-8"))
            yield from _literal(whole, position - node.start_byte, start - node.start_byte)
            yield text, _in_quotes(child, nested)
            position = child.end_byte
    yield from _literal(whole, position - node.start_byte, len(whole) - 1)


def _literal(whole: bytes, start: int, end: int) -> Iterator[_Piece]:
    """Yield the text between two positions of a string, which expands nothing."""
    text = whole[start:end].decode("utf-8", "replace")
    bare = re.sub(r"\\.", "", text, flags=re.DOTALL)
    following = whole[end : end + 1].decode("utf-8", "replace")
    if '"' in bare or "`" in bare or "$" in _LONE_DOLLAR.sub("", bare + ("x" * (following != '"'))):
        raise DoubtError("a string holds what can't be read")
    yield re.sub(r"\\([$`\"\\\n])", lambda found: found[1].strip("\n"), text), _Kind.QUOTED


def _in_quotes(node: Node, nested: list[Node]) -> _Kind:
    kind = _expanding(node, nested)
    text = _token(node)
    return kind if text == "$@" or "[@]" in text else _Kind.UNKNOWN


def _expanding(node: Node, nested: list[Node]) -> _Kind:
    """Return how ``node`` expands without quotes around it."""
    text = _token(node)
    match node.type:
        case "simple_expansion":
            return _Kind.SPLITTING
        case "expansion" if _EXPANSION.fullmatch(text):
            return _Kind.SPLITTING
        case "arithmetic_expansion" if _ARITHMETIC.fullmatch(text):
            return _Kind.UNKNOWN
        case "command_substitution" if not (text.startswith("`") and "\\" in text):
            nested.append(node)
            return _Kind.SPLITTING
        case "process_substitution" if text.startswith("<("):
            nested.append(node)
            return _Kind.QUOTED
        case _:
            raise DoubtError(f"{shown(text)} is not understood")


def shown(text: str) -> str:
    """Return the beginning of ``text`` on one line, with nothing that can't be seen."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return line if len(line) <= 60 else f"{line[:60]} …"  # noqa: PLR2004 - as long as a line reads well


_SIMPLE: Final = frozenset({"word", "number", "variable_name", "command_name"})
_BARE: Final = frozenset({"word", "number", "extglob_pattern", "regex", "variable_name"})
_COMPOUND: Final = frozenset({"concatenation", "command_name", "brace_expression"})
_TOKENS: Final = frozenset({"{", "}", ".."})
_LITERAL: Final[Mapping[str, Callable[[str], str]]] = {"raw_string": _raw, "ansi_c_string": _ansi}
