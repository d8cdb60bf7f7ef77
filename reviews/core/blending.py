"""Two versions of drawn text as one, its changed words marked."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from reviews.core.alignment import Step, aligned, gaps
from reviews.core.fragments import (
    COME,
    GONE,
    VOID,
    Node,
    Piece,
    Run,
    closing,
    key,
    marked,
    pieces,
    read,
    text_of,
)
from reviews.core.pairing import Effort, Sayings, Weighed, kept_words, paired
from reviews.core.words import weight

_WHOLE: Final = frozenset({"a", "code"}) | VOID
"""Elements that are one word: a mark that begins inside would cut a link, or code, in two."""
_CELLS: Final = frozenset({"td", "th"})
_OPENING: Final = 500
"""Characters of a piece by which its other version is found."""
_LINE: Final = re.compile(r"[^\n]+|\n")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as HTML and as text, with the tags of the inline elements that it stands in."""

    html: str
    text: str
    inside: tuple[str, ...]


_Line = list[_Word]


class _TooMuchError(Exception):
    """The words are more than may be looked at."""


def blended(old: str, new: str, effort: Effort) -> str | None:
    """Return two versions of sanitised HTML as one; ``None`` if that is too much work.

    Nothing but text is marked, in ``GONE`` and ``COME``: without the one, the text reads as that
    of ``new``, without the other as that of ``old``. What stands in both is drawn as in ``new``.
    """
    try:
        return "".join(_blended(pieces(read(old)), pieces(read(new)), effort))
    except _TooMuchError:
        return None


def all_marked(fragment: str, mark: str) -> str:
    """Return sanitised HTML with all its text inside ``mark``."""
    return "".join(marked(piece, mark) for piece in pieces(read(fragment)))


def _blended(old: Sequence[Piece], new: Sequence[Piece], effort: Effort) -> Iterator[str]:
    """Yield versions of each other as one, and what only one of them has."""
    for removed, added, pair in gaps(_partners(old, new, effort), (len(old), len(new))):
        yield from (marked(piece, GONE) for piece in old[removed])
        yield from (marked(piece, COME) for piece in new[added])
        if pair:
            yield _merged(old[pair[0]], new[pair[1]], effort)


def _partners(old: Sequence[Piece], new: Sequence[Piece], effort: Effort) -> Iterator[Step]:
    """Yield pairs of places: the same pieces, and between those versions of each other."""
    if len(old) == len(new) and {piece.tag for piece in (*old, *new)} <= _CELLS:
        yield from ((place, place) for place in range(len(old)))  # what moved, moved its column
        return
    same = aligned([key(piece) for piece in old], [key(piece) for piece in new])
    for removed, added, pair in gaps(same, (len(old), len(new))):
        for place, there in _versions(old[removed], new[added], effort):
            yield removed.start + place, added.start + there
        if pair:
            yield pair


def _versions(old: Sequence[Piece], new: Sequence[Piece], effort: Effort) -> list[Step]:
    if [piece.tag for piece in old] == [piece.tag for piece in new] and len(old) == 1:
        return [(0, 0)]
    if not old or not new:
        return []
    return paired(_sayings(old, effort), _sayings(new, effort), effort)


def _sayings(found: Sequence[Piece], effort: Effort) -> Sayings:
    words = [_words(text_of(piece)[:_OPENING], effort) for piece in found]
    return Sayings.of(words, [piece.tag for piece in found])


def _words(text: str, effort: Effort) -> list[str]:
    words = effort.words(text)
    if words is None:
        raise _TooMuchError
    return words


def _merged(old: Piece, new: Piece, effort: Effort) -> str:
    """Return two pieces of one kind as one."""
    if key(old) == key(new):
        return str(new)
    if isinstance(new, Run):
        return _merged_words(_flat(old.children, (), effort), _flat(new.children, (), effort))
    if new.tag == "pre":
        before, after = (_code_lines(piece.children, effort) for piece in (old, new))
        inside = f"<code>{''.join(_merged_code(before, after, effort))}</code>"
    else:
        inside = "".join(_blended(pieces(old.children), pieces(new.children), effort))
    return f"{new.opening}{inside}{closing([new.opening])}"


def _merged_words(old: Sequence[_Word], new: Sequence[_Word]) -> str:
    """Return two versions of a run as one, the changed words marked."""
    kept = kept_words(_weighed(old), _weighed(new)) or ()
    out: list[str] = []
    for removed, added, pair in gaps(kept, (len(old), len(new))):
        out += [_wrapped(old[removed], GONE), _wrapped(new[added], COME)]
        if pair:
            out.append(_drawn([new[pair[1]]]))
    return "".join(out)


def _weighed(words: Sequence[_Word]) -> Weighed:
    return Weighed([(w.html, w.inside) for w in words], [weight(w.text) for w in words])


def _flat(nodes: Iterable[Node], inside: tuple[str, ...], effort: Effort) -> _Line:
    """Return the words of inline ``nodes``; some elements are one word."""
    words: _Line = []
    for node in nodes:
        if isinstance(node, str):
            words += _said(text_of(node), inside, effort)
        elif node.tag in _WHOLE:
            words.append(_Word(str(node), text_of(node), inside))
        else:
            words += _flat(node.children, (*inside, node.opening), effort)
    return words


def _said(text: str, inside: tuple[str, ...], effort: Effort) -> Iterator[_Word]:
    for word in _words(text, effort):
        yield _Word(html.escape(word, quote=False), word, inside)


def _drawn(words: Iterable[_Word]) -> str:
    """Return ``words`` as HTML, each in its elements."""
    return "".join(
        f"{''.join(inside)}{''.join(word.html for word in members)}{closing(inside)}"
        for inside, members in groupby(words, key=lambda word: word.inside)
    )


def _wrapped(words: Sequence[_Word], mark: str) -> str:
    return f"{mark}{_drawn(words)}{closing([mark])}" if words else ""


def _merged_code(old: Sequence[_Line], new: Sequence[_Line], effort: Effort) -> Iterator[str]:
    """Yield two versions of a block of code as one, compared by line, then by word."""
    same = aligned([tuple(line) for line in old], [tuple(line) for line in new])
    for removed, added, pair in gaps(same, (len(old), len(new))):
        yield from _merged_lines(old[removed], new[added], effort)
        if pair:
            yield _drawn(new[pair[1]])


def _merged_lines(old: Sequence[_Line], new: Sequence[_Line], effort: Effort) -> Iterator[str]:
    before = Sayings.of([[word.text for word in line] for line in old])
    after = Sayings.of([[word.text for word in line] for line in new])
    for removed, added, pair in gaps(paired(before, after, effort), (len(old), len(new))):
        yield from (_wrapped(line, GONE) for line in old[removed])
        yield from (_wrapped(line, COME) for line in new[added])
        if pair:
            yield _merged_words(old[pair[0]], new[pair[1]])


def _code_lines(nodes: Iterable[Node], effort: Effort) -> list[_Line]:
    """Return the words of a block of code by line, each line with its end."""
    lines: list[_Line] = [[]]
    for text, inside in _code_texts(nodes, ()):
        for part in _LINE.findall(text):
            lines[-1] += _said(part, inside, effort)
            if part == "\n":
                lines.append([])
    return lines if lines[-1] else lines[:-1]


def _code_texts(
    nodes: Iterable[Node], inside: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in nodes:
        if isinstance(node, str):
            yield text_of(node), inside
        else:
            more = () if node.tag == "code" else (node.opening,)
            yield from _code_texts(node.children, (*inside, *more))
