"""Fills texts with values, and frames what comes from outside."""

import html
import re
from collections.abc import Mapping
from string import Template
from typing import Final

from prompts import library
from prompts.errors import PromptError
from prompts.unseen import UNSEEN

FRAME_LIMIT: Final = 64 * 1024
"""How much of an outside text goes into one frame, in bytes of UTF-8."""
LONGEST_SOURCE: Final = 200
_FRAMES: Final = ("from", "system-reminder", "notification")

# A delimiter spelt with characters that a reader does not see still looks like one.
_UNSEEN: Final = rf"\t\n\r{UNSEEN}"


def _spelt(word: str) -> str:
    return f"[{_UNSEEN}]*".join(re.escape(letter) for letter in word)


_DELIMITER: Final = re.compile(
    rf"<(?=[\s/{_UNSEEN}]*(?:{'|'.join(map(_spelt, _FRAMES))})(?!\w))", re.IGNORECASE
)


def render(name: str, /, **values: str) -> str:
    """Return the text ``name`` with each ``${key}`` replaced by ``values[key]``.

    Values go in verbatim: what looks like a placeholder in a value is not expanded. A placeholder
    alone on its line is a block: if its value is empty, the line goes, and with it the blank
    lines behind it. Nothing else is trimmed, since blank lines may be part of a value.

    Raises:
        PromptError: there is no such text, or a value is missing or has no placeholder.
    """
    template = Template(library.text(name))
    _check(name, needed=set(template.get_identifiers()), given=set(values))
    empty = [key for key, value in values.items() if not value]
    return _without_blocks(template, empty).substitute(values)


def render_from(name: str, known: Mapping[str, str]) -> str:
    """Return the text ``name`` with those of the ``known`` values that it has a place for.

    For texts of one kind that differ in what they tell.

    Raises:
        PromptError: there is no such text, or a placeholder has no value.
    """
    places = set(Template(library.text(name)).get_identifiers())
    return render(name, **{key: value for key, value in known.items() if key in places})


def _check(name: str, *, needed: set[str], given: set[str]) -> None:
    if missing := sorted(needed - given):
        raise PromptError(f"{name} lacks a value for {', '.join(missing)}")
    if unused := sorted(given - needed):
        raise PromptError(f"{name} has no place for {', '.join(unused)}")


def _without_blocks(template: Template, keys: list[str]) -> Template:
    # On the template, before any value is in it: a value must never be taken for a block.
    if not keys:
        return template
    block = re.compile(rf"^\$\{{(?:{'|'.join(keys)})\}}(?:\n+|\Z)", re.MULTILINE)
    return Template(block.sub("", template.template).rstrip())


def reminder(text: str) -> str:
    """Return our own ``text`` as the model knows reminders: in tags on lines of their own."""
    return f"<system-reminder>\n{text.strip()}\n</system-reminder>"


def escaped(text: str) -> str:
    """Return ``text`` from outside with nothing in it that reads like one of our frames.

    The ``<`` of whatever looks like the start or end of one is written ``&lt;``, all else is
    verbatim.
    """
    return _DELIMITER.sub("&lt;", text)


def framed(text: str, source: str, *, limit: int = FRAME_LIMIT) -> str:
    """Return ``text`` from outside in the one frame that marks it as such.

    ``source`` says who or what it comes from (shown on one line, at most 200 characters). Inside,
    the ``<`` of whatever reads like the start or end of one of our frames is written ``&lt;``,
    all else is verbatim. More than ``limit`` bytes are cut at a character, with a note behind the
    frame, where no outside text can stand.
    """
    content = text.encode("utf-8", "surrogatepass")
    # Cut first, so that text that the edge took (same limit) is whole however much is escaped.
    kept = content[:limit].decode("utf-8", "ignore") if len(content) > limit else text
    frame = f'<from source="{_attribute(source)}">\n{escaped(kept)}\n</from>'
    if kept is text:
        return frame
    shown = len(kept.encode())
    return f"{frame}\n{render('results/cut', shown=str(shown), total=str(len(content)))}"


def _attribute(source: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in source)
    return html.escape(" ".join(printable.split())[:LONGEST_SOURCE]) or "unknown"
