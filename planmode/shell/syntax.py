"""What a shell line is made of: its commands, redirections, variables."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from planmode.shell.policy import Permission
from planmode.shell.words import DoubtError, Word, plain, shown, source, word_of


@dataclass(frozen=True, slots=True)
class Assignment:
    """``name=value``; ``exported`` when commands see it, not the shell alone."""

    name: str
    value: Word
    exported: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: its words, the name first, and the variables set for it alone."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirection:
    """``operator`` as it was written, without a descriptor; ``target`` of ``>&-`` is empty."""

    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Line:
    """All that a line is made of, in no order but that of its commands.

    ``doubt`` is the first thing that was not understood, and empty when everything was; what
    stands behind it may be missing here.
    """

    commands: tuple[Command, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    constructs: tuple[Permission, ...] = ()
    doubt: str = ""


DEEPEST: Final = 40
"""Levels of nodes; people write about ten."""
UNPARSED: Final = "its syntax is not understood"
MOST_PIPES: Final = 256
MOST_DOCUMENTS: Final = 64
"""The parser's time grows with the square of these two."""
MOST_NODES: Final = 8_000
"""Parts of a line that are looked at; a script of 200 lines has about as many."""
_BASH: Final = Language(tree_sitter_bash.language())
_BETWEEN: Final = re.compile(rb"(?:[ \t\n]|\\\n)*")
_BLANK: Final = re.compile(rb"(?:\\\n)*[ \t](?:[ \t]|\\\n)*")
_BEFORE_KEYWORD: Final = b" \t\n;&|()`"
_BEHIND_KEYWORD: Final = b" \t\n;&|()<>`"
_BEFORE_COMMENT: Final = b" \t\n;&|()"


def parse(text: str) -> Line:
    """Return what ``text`` is made of; whatever it holds, and in bounded time."""
    if text.count("|") > MOST_PIPES or text.count("<<") > MOST_DOCUMENTS:
        return Line(doubt="it has too many pipes or here-documents")
    script = text.encode("utf-8", "replace")
    root = Parser(_BASH).parse(script).root_node
    if root.has_error:
        return Line(doubt=UNPARSED)
    if root.descendant_count > MOST_NODES:
        return Line(doubt="it has too many parts")
    reader = _Reader(script)
    try:
        reader.whole(root)
    except DoubtError as error:
        reader.doubt = str(error)
    return reader.line()


@dataclass(slots=True)
class _Reader:
    """Walks over the tree of one line and collects."""

    script: bytes
    commands: list[Command] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    constructs: list[Permission] = field(default_factory=list)
    doubt: str = ""
    depth: int = 0

    def line(self) -> Line:
        return Line(
            tuple(self.commands),
            tuple(self.assignments),
            tuple(self.redirections),
            tuple(self.constructs),
            self.doubt,
        )

    def whole(self, root: Node) -> None:
        """Collect from all of the script."""
        if not (self.blank(0, root.start_byte) and self.blank(root.end_byte, len(self.script))):
            raise DoubtError("something stands outside of its parts")
        self.read(root)

    def read(self, node: Node) -> None:
        """Collect from ``node`` and everything below it."""
        visit = _VISITS.get(node.type)
        if visit is None:
            raise DoubtError(f"{shown(source(node)) or node.type} is not understood")
        self.enter(node)
        visit(self, node)
        self.depth -= 1

    def enter(self, node: Node) -> None:
        """Go one level down, into ``node``.

        Raises:
            DoubtError: that is too deep, or the parser left something out.
        """
        self.depth += 1
        if self.depth > DEEPEST:
            raise DoubtError("it is nested too deeply")
        self.closed(node)

    def closed(self, node: Node) -> None:
        """Make sure that nothing but blanks lies between the parts of ``node``.

        Raises:
            DoubtError: the parser left something out.
        """
        children = node.children
        ends = [node.start_byte, *(child.end_byte for child in children)]
        starts = [*(child.start_byte for child in children), node.end_byte]
        if children and ends != starts and not all(map(self.blank, ends, starts)):
            raise DoubtError("something stands between its parts")
        for child in children:
            if child.type in _KEYWORDS:
                self.alone(child)

    def alone(self, node: Node) -> None:
        """Make sure that ``node`` is a word of the shell's own, not the part of another word."""
        before = self.script[: node.start_byte][-1:]
        after = self.script[node.end_byte : node.end_byte + 1]
        if before not in _BEFORE_KEYWORD or after not in _BEHIND_KEYWORD:
            raise DoubtError(f"{source(node)} touches another word")

    def separate(self, nodes: Sequence[Node]) -> None:
        """Make sure that the words of ``nodes`` are as many for the shell."""
        for left, right in pairwise(nodes):
            touching = not _BLANK.fullmatch(self.script[left.end_byte : right.start_byte])
            if touching and right.type not in _REDIRECTIONS:
                raise DoubtError("two words touch each other")

    def blank(self, start: int, end: int) -> bool:
        """Return whether only blanks and line ends lie between two positions."""
        return start == end or _BETWEEN.fullmatch(self.script[start:end]) is not None

    def word(self, node: Node) -> Word:
        """Return a word, and collect from the substitutions in it."""
        nested: list[Node] = []
        word = word_of(node, nested)
        if node.type == "concatenation":
            self.joined(node)
        for inner in nested:
            self.constructs.append(Permission.SUBSTITUTIONS)
            self.inside(inner)
        return word

    def joined(self, node: Node) -> None:
        for left, right in pairwise(node.children):
            between = self.script[left.end_byte : right.start_byte]
            if between.replace(b"\\\n", b""):
                raise DoubtError("a word is torn apart")

    def inside(self, node: Node) -> None:
        """Collect from the statements between the first and the last token of ``node``."""
        self.enter(node)
        for child in node.children[1:-1]:
            self.statement(child)
        self.depth -= 1

    def statement(self, node: Node) -> None:
        """Collect from ``node``, unless it only separates statements."""
        if node.type not in _SEPARATORS:
            self.read(node)


def _statements(reader: _Reader, node: Node) -> None:
    for child in node.children:
        reader.statement(child)


def _group(reader: _Reader, node: Node) -> None:
    if source(node.children[0]) != "{":
        raise DoubtError("arithmetic is not understood")
    _statements(reader, node)


def _flow(reader: _Reader, node: Node) -> None:
    reader.constructs.append(Permission.CONTROL_FLOW)
    _statements(reader, node)


def _for(reader: _Reader, node: Node) -> None:
    reader.constructs.append(Permission.CONTROL_FLOW)
    keyword, variable, *rest = node.children
    if source(keyword) != "for" or variable.type != "variable_name":
        raise DoubtError(f"{source(keyword)} is not understood")
    unknown = Word("", "", whole=False)
    reader.assignments.append(Assignment(source(variable), unknown, exported=False))
    for child in rest:
        if child.type in {"do_group", "comment"}:
            reader.read(child)
        elif child.type not in _SEPARATORS:
            reader.word(child)


def _case(reader: _Reader, node: Node) -> None:
    reader.constructs.append(Permission.CONTROL_FLOW)
    for child in node.children:
        if child.type in {"case_item", "comment"}:
            reader.read(child)
        elif child.type not in {"case", "in", "esac", ";", "\n"}:
            reader.word(child)


def _case_item(reader: _Reader, node: Node) -> None:
    pattern = True
    for child in node.children:
        if pattern and child.type not in {"(", ")", "|"}:
            reader.word(child)
        elif not pattern:
            reader.statement(child)
        pattern = pattern and child.type != ")"


def _comment(reader: _Reader, node: Node) -> None:
    before = reader.script[: node.start_byte][-1:]
    if "\n" in source(node) or before not in _BEFORE_COMMENT:
        raise DoubtError("a comment stands where a word may go on")


def _command(reader: _Reader, node: Node) -> None:
    words: list[Word] = []
    assignments: list[Assignment] = []
    reader.separate(node.children)
    for child in node.children:
        match child.type:
            case "variable_assignment":
                assignments.append(_assignment(reader, child, exported=True))
            case "herestring_redirect" | "file_redirect":
                words.extend(_redirection(reader, child))
            case _:
                words.append(reader.word(child))
    reader.commands.append(Command(tuple(words), tuple(assignments)))


def _assignment(reader: _Reader, node: Node, *, exported: bool) -> Assignment:
    name, operator, *values = node.children
    touching = all(value.start_byte == operator.end_byte for value in values)
    if name.type != "variable_name" or source(operator) != "=" or not touching:
        raise DoubtError(f"the assignment {shown(source(node))} is not understood")
    value = plain("")
    for child in values:
        value = _array(reader, child) if child.type == "array" else reader.word(child)
    return Assignment(source(name), value, exported)


def _array(reader: _Reader, node: Node) -> Word:
    reader.closed(node)
    for child in node.children[1:-1]:
        reader.word(child)
    return Word(source(node), "", whole=False)


def _set(reader: _Reader, node: Node) -> None:
    reader.assignments.append(_assignment(reader, node, exported=False))


def _several(reader: _Reader, node: Node) -> None:
    reader.separate(node.children)
    for child in node.children:
        _set(reader, child)


def _export(reader: _Reader, node: Node) -> None:
    keyword, *rest = node.children
    if source(keyword) != "export" or any(child.type != "variable_assignment" for child in rest):
        raise DoubtError(f"{shown(source(node))} is not understood")
    reader.separate(node.children)
    reader.assignments.extend(_assignment(reader, child, exported=True) for child in rest)
    if not rest:
        reader.constructs.append(Permission.ENVIRONMENT)


def _test(reader: _Reader, node: Node) -> None:
    """Read ``[ … ]`` and ``[[ … ]]`` as commands of those names."""
    leaves = list(_leaves(reader, node))
    words = [
        plain(source(leaf)) if leaf.type in _OPERATORS else reader.word(leaf) for leaf in leaves
    ]
    if words[0].text == "[":
        _bracket(reader, leaves)
    reader.commands.append(Command(tuple(words)))


def _leaves(reader: _Reader, node: Node) -> Iterator[Node]:
    reader.enter(node)
    for child in node.children:
        if child.type in _EXPRESSIONS:
            yield from _leaves(reader, child)
        else:
            yield child
    reader.depth -= 1


def _bracket(reader: _Reader, leaves: list[Node]) -> None:
    """Make sure that ``[`` is the plain command that it is for the shell."""
    reader.separate(leaves)
    if any(source(leaf) in _ENDING for leaf in leaves):
        raise DoubtError("a test holds an operator of the shell")


def _redirected(reader: _Reader, node: Node) -> None:
    body = node.children[0]
    if body.type not in _REDIRECTIONS:
        reader.read(body)
    owner = len(reader.commands) - 1
    extra: list[Word] = []
    for child in node.children:
        if child.type in _REDIRECTIONS:
            extra.extend(_redirection(reader, child))
    if not extra:
        return
    if _last(body).type != "command":
        raise DoubtError(f"{shown(extra[0].text)} stands behind a redirection")
    command = reader.commands[owner]
    reader.commands[owner] = Command((*command.words, *extra), command.assignments)


def _last(node: Node) -> Node:
    """Return what words behind the redirections of ``node`` belong to."""
    while node.type in {"pipeline", "list", "negated_command"}:
        node = node.children[-1]
    return node


def _redirection(reader: _Reader, node: Node) -> list[Word]:
    """Collect a redirection; return the words behind it that belong to the command."""
    reader.closed(node)
    if node.type == "heredoc_redirect":
        return _here_document(reader, node)
    parts = [child for child in node.children if child.type != "file_descriptor"]
    operator, *rest = parts
    reader.separate(rest)
    words = [reader.word(child) for child in rest]
    if node.type == "herestring_redirect":
        reader.constructs.append(Permission.HERE_DOCUMENTS)
    else:
        target = words[0] if words else plain("")
        reader.redirections.append(Redirection(source(operator), target))
    return words[1:]


def _lone_redirection(reader: _Reader, node: Node) -> None:
    for word in _redirection(reader, node):
        raise DoubtError(f"{shown(word.text)} stands behind a redirection")


def _here_document(reader: _Reader, node: Node) -> list[Word]:
    """Collect a here-document, whose body has to be data; return words of its command."""
    operator, start, *rest = node.children
    reader.constructs.append(Permission.HERE_DOCUMENTS)
    end = _body_end(reader.script, start, tabs=source(operator) == "<<-")
    if not rest or rest[-1].type != "heredoc_end" or rest[-1].end_byte != end:
        raise DoubtError("a here-document ends elsewhere than it seems")
    extra = []
    for child in rest:
        if child.type in _REDIRECTIONS:
            extra.extend(_redirection(reader, child))
        elif child.type in _VISITS:
            reader.read(child)
        elif child.type not in {*_SEPARATORS, "heredoc_body", "heredoc_end"}:
            extra.append(reader.word(child))
    return extra


def _body_end(script: bytes, start: Node, *, tabs: bool) -> int:
    """Return where the line ends that ends the body.

    Raises:
        DoubtError: there is none, or the body expands.
    """
    found = _DELIMITER.fullmatch(source(start))
    first, _, after = script[start.end_byte :].partition(b"\n")
    position = start.end_byte + len(first) + 1
    for line in after.split(b"\n") if found else ():
        if (line.lstrip(b"\t") if tabs else line) == (found["name"].encode() if found else b""):
            return position + len(line)
        if found and not found["quote"] and re.search(rb"[$`\\]", line):
            raise DoubtError("a here-document expands what it holds")
        position += len(line) + 1
    raise DoubtError("a here-document does not end")


_DELIMITER: Final = re.compile(r"(?P<quote>['\"]?)(?P<name>\w+)(?P=quote)", re.ASCII)
_REDIRECTIONS: Final = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_EXPRESSIONS: Final = frozenset(
    {"unary_expression", "binary_expression", "parenthesized_expression", "negated_expression"}
)
_ENDING: Final = frozenset({"<", ">", "&&", "||", "(", ")"})
_OPERATORS: Final = frozenset(
    {"[", "]", "[[", "]]", "!", "=", "==", "!=", "=~", "test_operator", *_ENDING}
)
_SEPARATORS: Final = frozenset(
    {
        *(";", ";;", ";&", ";;&", "&", "&&", "||", "|", "|&", "\n", "!"),
        *("{", "}", "(", ")", "do", "done", "if", "then", "elif", "else", "fi", "in"),
        *("while", "until"),
    }
)
_KEYWORDS: Final = frozenset(
    {
        *("if", "then", "elif", "else", "fi", "for", "in", "while", "until", "do", "done"),
        *("case", "esac", "{", "}", "!", "[[", "]]", "export"),
    }
)
_VISITS: Final[Mapping[str, Callable[[_Reader, Node], None]]] = {
    "program": _statements,
    "list": _statements,
    "pipeline": _statements,
    "negated_command": _statements,
    "subshell": _statements,
    "compound_statement": _group,
    "if_statement": _flow,
    "elif_clause": _statements,
    "else_clause": _statements,
    "while_statement": _flow,
    "do_group": _statements,
    "for_statement": _for,
    "case_statement": _case,
    "case_item": _case_item,
    "comment": _comment,
    "command": _command,
    "variable_assignment": _set,
    "variable_assignments": _several,
    "declaration_command": _export,
    "test_command": _test,
    "redirected_statement": _redirected,
    "file_redirect": _lone_redirection,
}
