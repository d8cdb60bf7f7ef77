"""Sanitised HTML as a tree, and back."""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import groupby
from typing import Final

GONE: Final = '<del class="gone">'
COME: Final = '<ins class="come">'
"""What opens marked text. No plan's own text has such a tag: the sanitiser leaves it no class."""

VOID: Final = frozenset({"br", "hr"})
"""Elements without an inside."""
_BLOCKS: Final = frozenset(
    {
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "table",
        "thead", "tbody", "tr", "th", "td", "hr",
    }
)  # fmt: skip
_ID: Final = re.compile(r' id="[^"]*"')


@dataclass(frozen=True, slots=True)
class Element:
    """An element; ``opening`` is its tag as it was written."""

    tag: str
    opening: str
    children: tuple["Element | str", ...]

    def __str__(self) -> str:
        if self.tag in VOID:
            return self.opening
        return f"{self.opening}{''.join(map(str, self.children))}</{self.tag}>"


Node = Element | str
"""A ``str`` is text as it was written, entities and all."""


@dataclass(frozen=True, slots=True)
class Run:
    """Text and inline elements that stand together between blocks."""

    children: tuple[Node, ...]
    tag: str = ""
    opening: str = ""

    def __str__(self) -> str:
        return "".join(map(str, self.children))


Piece = Run | Element


class _Reader(HTMLParser):
    """Reads sanitised HTML, in which each element is closed, into nodes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[tuple[str, str, list[Node]]] = [("", "", [])]

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - as it is called
        """Open an element, or add one that has no inside."""
        opening = str(self.get_starttag_text())
        if tag in VOID:
            self.add(Element(tag, opening, ()))
        else:
            self.open.append((tag, opening, []))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - as it is called
        """Close the element that is open."""
        name, opening, children = self.open.pop()
        self.add(Element(name, opening, tuple(children)))

    def handle_data(self, data: str) -> None:
        """Add text."""
        self.add(data)

    def handle_entityref(self, name: str) -> None:
        """Add an entity."""
        self.add(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Add a character by its number."""
        self.add(f"&#{name};")

    def add(self, node: Node) -> None:
        """Add ``node`` to the element that is open; text goes on with the text before it."""
        children = self.open[-1][2]
        if isinstance(node, str) and children and isinstance(children[-1], str):
            children[-1] += node
        else:
            children.append(node)


def read(fragment: str) -> tuple[Node, ...]:
    """Return the nodes of sanitised HTML."""
    reader = _Reader()
    reader.feed(fragment)
    reader.close()
    return tuple(reader.open[0][2])


def text_of(node: Node | Run) -> str:
    """Return the text of ``node`` as it is read."""
    if isinstance(node, str):
        return html.unescape(node)
    return "\n" if node.tag in VOID else "".join(map(text_of, node.children))


def pieces(nodes: Iterable[Node]) -> list[Piece]:
    """Return the blocks, and the runs between them; blanks between blocks show nothing."""
    found: list[Piece] = []
    for is_block, members in groupby(nodes, key=_is_block):
        if is_block:
            found += [node for node in members if isinstance(node, Element)]
        else:
            run = list(members)
            if any(isinstance(node, Element) or node.strip() for node in run):
                found.append(Run(tuple(run)))
    return found


def _is_block(node: Node) -> bool:
    return isinstance(node, Element) and node.tag in _BLOCKS


def key(piece: Piece) -> str:
    """Return what is the same for two pieces that show the same."""
    return without_ids(str(piece))


def without_ids(fragment: str) -> str:
    """Return sanitised HTML without ids, of which a page must not have two."""
    return _ID.sub("", fragment)


def marked(piece: Piece, mark: str) -> str:
    """Return ``piece`` with all its text inside ``mark``; what is removed has no ids."""
    if isinstance(piece, Run):
        return f"{mark}{piece}{closing([mark])}"
    opening = without_ids(piece.opening) if mark == GONE else piece.opening
    if piece.tag in VOID:
        return opening
    inside = "".join(marked(child, mark) for child in pieces(piece.children))
    return f"{opening}{inside}</{piece.tag}>"


def closing(openings: Sequence[str]) -> str:
    """Return the tags that close what ``openings`` opened."""
    names = (opening[1:].rstrip(">").split(" ")[0] for opening in reversed(openings))
    return "".join(f"</{name}>" for name in names)
