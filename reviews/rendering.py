"""Plan text as safe HTML, or plain where that is wiser."""

import hashlib
import html
import re
from collections.abc import Iterator, Mapping, Sequence
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

from reviews.core.blocks import CODE_LINE, Block, Reading, read
from reviews.core.characters import marked
from reviews.core.diff import lines_of
from reviews.core.effort import PlainReason
from reviews.core.grammar import HEADINGS, grammar
from reviews.core.layout import CodeBlock
from reviews.core.links import SCHEMES, leads_to

VERSION: Final = "2:" + ":".join(version(name) for name in ("markdown", "bleach", "pygments"))
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

_ENTITY: Final = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z0-9]+);")
_BETWEEN: Final = "\0"
"""Stands between elements; no text holds it, since hidden characters are marked first."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a page shows of a plan.

    ``plain_reason`` is empty when ``html`` was drawn from Markdown; else it says, in the reader's
    language, why ``html`` is one ``pre`` with the text.
    """

    html: SafeString
    plain_reason: str


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block as HTML of its own, one copy for everybody."""

    block: Block
    html: SafeString


@dataclass(frozen=True, slots=True)
class Drawing:
    """A plan, block by block; ``plain`` says why the blocks are ``pre``, if they are."""

    blocks: tuple[DrawnBlock, ...]
    plain: PlainReason | None = None

    @property
    def plain_reason(self) -> str:
        """As in ``Rendering``: in the reader's language."""
        return "" if self.plain is None else str(REASONS[self.plain])


def rendered(text: str) -> Rendering:
    """Return ``text`` (Markdown from outside) as HTML that holds nothing but an allow-list.

    No raw HTML, no images (``image: address`` instead), no address but http, https and mailto;
    comments and link definitions are shown. A plan's h1 becomes an h3 and so on, so that the
    page's own headings stay above. Hidden characters are marked. Cached by the text's hash: the
    same text has the same HTML.
    """
    drawing = drawn(text)
    if drawing.plain_reason:
        return _plain(text, drawing.plain_reason)
    html = "\n".join(block.html for block in drawing.blocks if block.html)
    return Rendering(SafeString(html), "")


def drawn(text: str) -> Drawing:
    """Return ``text`` block by block; see ``rendered``.

    Joined by line ends, the blocks are the whole. Each is kept for ever by what it is drawn of, so
    a revision costs the blocks that no other one has.
    """
    key = f"plan-html:{VERSION}:{_digest(text)}"
    drawing: Drawing | None = cache.get(key)
    if drawing is None:
        drawing = _draw(read(text))
        if drawing.plain is not PlainReason.FAILED:
            cache.set(key, drawing, timeout=None)
    return drawing


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _draw(reading: Reading) -> Drawing:
    reason = reading.plain
    if reason is None:
        try:
            return Drawing(_drawn_blocks(reading))
        except RecursionError:
            reason = PlainReason.FAILED
    return Drawing(tuple(DrawnBlock(block, _pre(block.text)) for block in reading.blocks), reason)


def _drawn_blocks(reading: Reading) -> tuple[DrawnBlock, ...]:
    colours, pen = _Colours(), _Pen()
    materials = {}
    keys = []
    for block in reading.blocks:
        codes = tuple(map(colours.of, block.codes))
        definitions = _used(block, reading.definitions)
        digest = _digest(repr((block.page, codes, sorted(definitions.items()))))
        keys.append(f"block-html:{VERSION}:{digest}")
        materials[keys[-1]] = block.page, codes, definitions
    kept = cache.get_many(materials)
    new = {key: pen.html(*material) for key, material in materials.items() if key not in kept}
    cache.set_many(new, timeout=None)
    pieces = {**kept, **new}
    return tuple(
        DrawnBlock(block, SafeString(pieces[key]))
        for block, key in zip(reading.blocks, keys, strict=True)
    )


_IN_BRACKETS: Final = re.compile(r"\[([^\[\]]+)\]")
_LINE_START: Final = re.compile(r"\n[ >]*")


def _used(block: Block, definitions: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the definitions that ``block`` may refer to: what else is defined changes nothing."""
    if not definitions:
        return {}
    flat = _LINE_START.sub(" ", "\n".join(block.page)).lower()
    names = {" ".join(found[1].split()) for found in _IN_BRACKETS.finditer(flat)}
    return {name: definitions[name] for name in names if name in definitions}


def sanitize(fragment: str) -> str:
    """Return the HTML ``fragment`` with nothing in it that is not on the allow-list."""
    return _cleaner().clean(fragment)


def _plain(text: str, reason: str) -> Rendering:
    return Rendering(_pre(text), reason)


def _pre(text: str) -> SafeString:
    return format_html("<pre>{}</pre>", marked(text))


class _Pen:
    """Draws pages, one after another; made once for a plan, since that takes its time."""

    def __init__(self) -> None:
        self.md = _markdown()
        self.page = _Page(self.md)
        self.md.preprocessors.register(self.page, "page", 10)
        self.cleaner = _cleaner()

    def html(
        self,
        page: Sequence[str],
        codes: Sequence[str],
        definitions: Mapping[str, tuple[str, str]],
    ) -> str:
        """Return the HTML of ``page``, with ``codes`` where it has code."""
        self.md.reset()
        self.md.references = dict(definitions)
        self.page.lines, self.page.codes = page, iter(codes)
        elements = self.md.convert(".").split(_BETWEEN)  # the page stands in for this text
        # One by one: the price of cleaning grows with the square of the length.
        clean = "".join(self.cleaner.clean(element) for element in elements)
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
    md = grammar()
    for name in ("html", "automail", "image_reference", "short_image_ref"):
        md.inlinePatterns.deregister(name)
    md.inlinePatterns.register(_Mark(r"\[U\+[0-9A-F]{4,6}\]", md), "mark", 185)
    md.inlinePatterns.register(_Image(IMAGE_LINK_RE, md), "image_link", 150)
    md.inlinePatterns.register(_Entity(f"({_ENTITY.pattern})", md), "entity", 80)
    md.inlinePatterns.register(
        SimpleTagInlineProcessor(r"()~~(?=[^\s~])([^~]*(?:~[^~]+)*)(?<!\s)~~", "del"), "del", 70
    )
    md.treeprocessors.register(_Finish(md), "finish", -10)
    md.serializer = _serialized
    return md


def _serialized(root: Element) -> str:
    return _BETWEEN.join(to_html_string(block) for block in root)


class _Page(Preprocessor):
    """Puts a page that is laid out already in place of the text, with its code kept apart."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.lines: Sequence[str] = ()
        self.codes: Iterator[str] = iter(())

    def run(self, lines: list[str]) -> list[str]:  # noqa: ARG002 - the signature is Markdown's
        """Return the page."""
        return [*map(self.line, self.lines), "", ""]

    def line(self, line: str) -> str:
        """Return ``line``, or the place of the code that it stands for."""
        if not CODE_LINE.fullmatch(line):
            return line
        indent = " " * (len(line) - len(line.lstrip(" ")))
        return indent + self.md.htmlStash.store(next(self.codes))


@dataclass(slots=True)
class _Colours:
    """Colours the code of a plan, as far as the plan's share goes."""

    left: int = _COLOURED
    left_spans: int = _SPANS

    def of(self, block: CodeBlock) -> str:
        """Return ``block`` as HTML."""
        code = ""
        if len(block.text) <= self.left and _colourable(block):
            self.left -= len(block.text)
            code = _coloured(block)
            self.left_spans -= code.count("<span")
        if not code or self.left_spans < 0:
            code = str(escape(block.text))
        # A language that we know shows in the colours; all else beside a fence must be read.
        known = not block.info or block.info.lower() in LANGUAGES
        note = "" if known else f"<p><code>{escape(block.info)}</code></p>"
        return f"{note}<pre><code>{code}</code></pre>"


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
        for heading in [element for element in root.iter() if element.tag in _SHIFTED]:
            heading.tag = _SHIFTED[heading.tag]
        for link in root.iter("a"):
            _settle(link)


_SHIFTED: Final = {tag: f"h{min(level + 2, 6)}" for tag, level in HEADINGS.items()}


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
