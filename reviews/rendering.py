"""Plan text as safe HTML, or plain where that is wiser."""

import hashlib
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final
from xml.etree.ElementTree import Element

from bleach.html5lib_shim import Filter  # type: ignore[attr-defined]  # the stubs lack it
from bleach.sanitizer import Cleaner
from django.core.cache import cache
from django.utils.functional import Promise
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from markdown import Markdown
from markdown.blockprocessors import HashHeaderProcessor
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension, TableProcessor
from markdown.inlinepatterns import (
    IMAGE_LINK_RE,
    InlineProcessor,
    LinkInlineProcessor,
    SimpleTagInlineProcessor,
)
from markdown.preprocessors import Preprocessor
from markdown.serializers import to_html_string
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

from reviews.core.characters import marked
from reviews.core.diff import lines_of
from reviews.core.effort import PlainReason, too_costly, too_long
from reviews.core.layout import CodeBlock, laid_out
from reviews.core.links import SCHEMES, leads_to

VERSION: Final = "1:" + ":".join(version(name) for name in ("markdown", "bleach", "pygments"))
"""Part of the cache's key: what is drawn depends on the text and on this."""

REASONS: Final[Mapping[PlainReason, Promise]] = {
    PlainReason.LENGTH: _("The plan is too long to be drawn: this is its text."),
    PlainReason.LINES: _("The plan has too many lines to be drawn: this is its text."),
    PlainReason.LINE: _("The plan has a line too long to be drawn: this is its text."),
    PlainReason.DEPTH: _("The plan is nested too deeply to be drawn: this is its text."),
    PlainReason.MARKS: _("The plan has too many open marks to be drawn: this is its text."),
    PlainReason.TABLE: _("The plan has too large a table to be drawn: this is its text."),
    PlainReason.FAILED: _("The plan could not be drawn: this is its text."),
}

TAGS: Final = frozenset(
    {
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code",
        "em", "strong", "del", "table", "thead", "tbody", "tr", "th", "td", "hr", "br", "a", "span",
    }
)  # fmt: skip
CODE_CLASSES: Final = frozenset(STANDARD_TYPES.values()) - {""}
LINK_REL: Final = "noopener noreferrer nofollow"
_LINK_FIXED: Final = frozenset({("rel", LINK_REL), ("target", "_blank")})
LANGUAGES: Final = frozenset(
    {
        "bash", "css", "diff", "docker", "dockerfile", "go", "html", "ini", "javascript", "js",
        "json", "php", "py", "python", "rb", "rs", "ruby", "rust", "sh", "shell", "sql", "toml",
        "ts", "typescript", "xml", "yaml", "yml", "zsh",
    }
)  # fmt: skip
"""What code is coloured as: lexers that get through hostile text of the size below."""

_COLOURED: Final = 32 * 1024
_COLOURED_BLOCK: Final = 8 * 1024
_COLOURED_LINE: Final = 300
"""Characters of code that are coloured in a plan, a block, a line: more is code all the same.

Lexers search with patterns, and some search a long line, or a run of blank ones, once for each of
its characters.
"""
_BLANK_LINES: Final = re.compile(r"(?:[ \t]*\n){10}")
_SPANS: Final = 4_000
"""Colours in a plan: to clean one takes about 100 µs."""

_HEADING_ID: Final = re.compile(r"plan-h-\d+")
_DEFINITION: Final = re.compile(r" *\[([^\[\]]+)\]: *(\S+)(?: +(?:\"(.*)\"|'.*'|\(.*\)))? *")
_ENTITY: Final = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z0-9]+);")
_BETWEEN: Final = "\0"
"""Stands between top-level blocks; no text holds it, since hidden characters are marked first."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a page shows of a plan.

    ``plain_reason`` is empty when ``html`` was drawn from Markdown; else it says, in the reader's
    language, why ``html`` is one ``pre`` with the text.
    """

    html: SafeString
    plain_reason: str


class _PlainError(Exception):
    """The text is better shown as it is."""

    def __init__(self, reason: PlainReason) -> None:
        super().__init__(reason)
        self.reason = reason


def rendered(text: str) -> Rendering:
    """Return ``text`` (Markdown from outside) as HTML that holds nothing but an allow-list.

    No raw HTML, no images (``image: address`` instead), no address but http, https and mailto;
    comments and link definitions are shown. A plan's h1 becomes an h3 and so on, so that the
    page's own headings stay above; headings have the ids ``plan-h-1``, ``plan-h-2`` … in order.
    Hidden characters are marked. Cached by the text's hash: the same text has the same HTML.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    key = f"plan-html:{VERSION}:{digest}"
    drawn = cache.get(key)
    if drawn is None:
        try:
            drawn = _drawn(text)
        except _PlainError as error:
            return _plain(text, error.reason)
        except RecursionError:
            return _plain(text, PlainReason.FAILED)
        cache.set(key, drawn, timeout=None)
    return Rendering(SafeString(drawn), "")


def sanitize(fragment: str) -> str:
    """Return the HTML ``fragment`` with nothing in it that is not on the allow-list."""
    return _cleaner().clean(fragment)


def _plain(text: str, reason: PlainReason) -> Rendering:
    return Rendering(format_html("<pre>{}</pre>", marked(text)), str(REASONS[reason]))


def _drawn(text: str) -> str:
    reason = too_long(text)
    if reason is not None:
        raise _PlainError(reason)
    blocks = _markdown().convert(marked(text)).split(_BETWEEN)
    cleaner = _cleaner()  # block by block: its price grows with the square of the length
    clean = "".join(cleaner.clean(block) for block in blocks)
    return marked(_ENTITY.sub(_without_hidden, clean))


def _without_hidden(entity: re.Match[str]) -> str:
    """Mark what is hidden when it was written as an entity, anywhere in the HTML."""
    character = html.unescape(entity[0])
    shown = marked(character)
    return entity[0] if shown == character else shown


def _read(text: str) -> str:
    """Return ``text`` with its entities read; without a semicolon it is none."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def _markdown() -> Markdown:
    md = Markdown(extensions=[TableExtension(), SaneListExtension()])
    md.preprocessors.deregister("html_block")
    for name in ("html", "automail", "image_reference", "short_image_ref"):
        md.inlinePatterns.deregister(name)
    md.parser.blockprocessors.deregister("reference")  # it would take definitions out of sight
    md.parser.blockprocessors.register(_Heading(md.parser), "hashheader", 70)
    md.parser.blockprocessors.register(
        _Table(md.parser, {"use_align_attribute": True}), "table", 75
    )
    md.preprocessors.register(_Layout(md), "layout", 10)
    md.inlinePatterns.register(_Mark(r"\[U\+[0-9A-F]{4,6}\]", md), "mark", 185)
    md.inlinePatterns.register(_Image(IMAGE_LINK_RE, md), "image_link", 150)
    md.inlinePatterns.register(_Entity(f"({_ENTITY.pattern})", md), "entity", 80)
    md.inlinePatterns.register(
        SimpleTagInlineProcessor(r"()~~(?=[^\s~])([^~]*(?:~[^~]+)*)(?<!\s)~~", "del"), "del", 70
    )
    md.treeprocessors.register(_Finish(md), "finish", -10)
    md.serializer = _serialized
    md.stripTopLevelTags = False
    return md


def _serialized(root: Element) -> str:
    return _BETWEEN.join(to_html_string(block) for block in root)


class _Layout(Preprocessor):
    """Lays the text out, keeps its code apart and its definitions known."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.left_to_colour = _COLOURED
        self.left_spans = _SPANS

    def run(self, lines: list[str]) -> list[str]:
        """Return the lines to be drawn; raise when they would cost too much."""
        page = laid_out(lines, self.kept)
        reason = too_costly(page)
        if reason is not None:
            raise _PlainError(reason)
        for definition in filter(None, map(_DEFINITION.fullmatch, page)):
            name, target, title = definition.groups(default="")
            self.md.references[name.strip().lower()] = (target.strip("<>"), title)
        return page

    def kept(self, block: CodeBlock) -> str:
        """Store ``block`` as HTML; return the line that stands for it."""
        code = ""
        if len(block.text) <= self.left_to_colour and _colourable(block):
            self.left_to_colour -= len(block.text)
            code = _coloured(block)
            self.left_spans -= code.count("<span")
        if not code or self.left_spans < 0:
            code = str(escape(block.text))
        # A language that we know shows in the colours; all else beside a fence must be read.
        known = not block.info or block.info.lower() in LANGUAGES
        note = "" if known else f"<p><code>{escape(block.info)}</code></p>"
        return self.md.htmlStash.store(f"{note}<pre><code>{code}</code></pre>")


def _colourable(block: CodeBlock) -> bool:
    return (
        block.language in LANGUAGES
        and len(block.text) <= _COLOURED_BLOCK
        and max(map(len, lines_of(block.text)), default=0) <= _COLOURED_LINE
        and not _BLANK_LINES.search(block.text)
    )


def _coloured(block: CodeBlock) -> str:
    lexer = get_lexer_by_name(block.language, stripnl=False, ensurenl=False)
    return highlight(block.text, lexer, HtmlFormatter(nowrap=True))


class _Heading(HashHeaderProcessor):
    """Takes number signs for a heading only before a blank, as everybody does."""

    RE = re.compile(r"(?:^|\n)(?P<level>#{1,6})(?=[ \n]|$)(?P<header>[^\n]*)(?:\n|$)")


class _Table(TableProcessor):
    """Leaves text alone that has more cells in a row than in its head: they would be dropped."""

    def test(self, parent: Element, block: str) -> bool:
        """Return whether ``block`` is a table."""
        if not super().test(parent, block):
            return False
        split = self._split_row  # type: ignore[attr-defined]  # the stubs lack it
        head, _rule, *rows = (split(row.strip(" ")) for row in block.split("\n"))
        return all(len(row) <= len(head) for row in rows)


# Python-Markdown calls ``handleMatch``; its stubs know the older form, without ``data``.


class _Mark(InlineProcessor):
    """Keeps a mark from being the text of a link."""

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self,
        m: re.Match[str],
        data: str,  # noqa: ARG002
    ) -> tuple[str, int, int]:
        """Return the mark."""
        return m[0], m.start(), m.end()


class _Entity(InlineProcessor):
    """Reads an entity now, so that what it hides is seen."""

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self,
        m: re.Match[str],
        data: str,  # noqa: ARG002
    ) -> tuple[str, int, int]:
        """Return the character."""
        return _literal(marked(html.unescape(m[0]))), m.start(), m.end()


class _Image(LinkInlineProcessor):
    """Shows an image as its address: to load it would tell others who reads the plan."""

    def handleMatch(  # type: ignore[override]  # noqa: N802
        self, m: re.Match[str], data: str
    ) -> tuple[Element | None, int | None, int | None]:
        """Return an element with text."""
        text, end, closed = self.getText(data, m.end())
        address, title, end, linked = self.getLink(data, end)
        if not (closed and linked):
            return None, None, None
        words = ": ".join(filter(None, (self.unescape(text).strip(), title)))
        shown = Element("em")
        shown.text = AtomicString(f"image: {address}" + (f" ({words})" if words else ""))
        return shown, m.start(), end


class _Finish(Treeprocessor):
    """Settles headings and links once all inline text is read."""

    def run(self, root: Element) -> None:
        """Change ``root`` in place."""
        for paragraph in [block for block in root if _blank(block)]:
            root.remove(paragraph)
        headings = [element for element in root.iter() if element.tag in _SHIFTED]
        for number, heading in enumerate(headings, start=1):
            heading.set("id", f"plan-h-{number}")
            heading.tag = _SHIFTED[heading.tag]
        for link in root.iter("a"):
            _settle(link)


_SHIFTED: Final = {f"h{level}": f"h{min(level + 2, 6)}" for level in range(1, 7)}


def _blank(block: Element) -> bool:
    """Whether ``block`` shows nothing; many such would push the rest of the plan out of sight."""
    return block.tag == "p" and not "".join(block.itertext()).strip()


def _settle(link: Element) -> None:
    """Say beside the link where it goes; where it must not go, leave the words only."""
    target, title = _read(link.get("href", "")), link.get("title", "")
    place = leads_to(target)
    link.attrib.clear()
    if place:
        link.set("href", _literal(target))
        link.set("rel", LINK_REL)
        link.set("target", "_blank")
        if title:
            link.set("title", _literal(_read(title)))
    if "".join(link.itertext()) != target:
        link.tail = f" ({_literal(place or target)}){link.tail or ''}"


def _literal(text: str) -> str:
    """Return ``text`` so that the serializer takes nothing in it for an entity."""
    return text.replace("&", "&amp;")


def _cleaner() -> Cleaner:
    """Return a new cleaner: one must not serve two threads."""
    return Cleaner(tags=TAGS, attributes=_may_have, protocols=SCHEMES, filters=[_ColourInCode])


def _may_have(tag: str, name: str, value: str) -> bool:
    match tag, name:
        case "a", _:
            return name in {"href", "title"} or (name, value) in _LINK_FIXED
        case "ol", "start":
            return value.isdecimal()
        case "span", "class":
            return value in CODE_CLASSES
        case _, "id":
            return tag in _SHIFTED and _HEADING_ID.fullmatch(value) is not None
        case _:
            return False


class _ColourInCode(Filter):  # type: ignore[misc]  # see its import
    """Drops spans outside of ``pre``: only colours of code have a use for them."""

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        inside = False
        for token in super().__iter__():
            name = token.get("name")
            if name == "pre":
                inside = token["type"] == "StartTag"
            if name != "span" or inside:
                yield token
