"""A page shows all of a plan, and does nothing that it says."""
# ruff: noqa: E501 - a row of a table is a line

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
from django.utils import translation
from django.utils.safestring import SafeString
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown.preprocessors import NormalizeWhitespace

from reviews import rendering
from reviews.core.blocks import read
from reviews.core.characters import marked
from reviews.core.effort import PlainReason
from reviews.core.grammar import grammar
from reviews.core.layout import CodeBlock, laid_out
from reviews.rendering import (
    CODE_CLASSES,
    LANGUAGES,
    LINK_REL,
    REASONS,
    TAGS,
    Rendering,
    rendered,
    sanitize,
)
from tests.markdowns import plans

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "xss_markdown.txt"
VOID: Final = {"br", "hr"}


class Page(HTMLParser):
    """Reads HTML as a browser does, and refuses all that is not on the list."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open, "a plan must not end inside its own elements"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert value is not None
            self.check(tag, name, value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def check(self, tag: str, name: str, value: str) -> None:  # noqa: C901, PLR0912 - the list
        match tag, name:
            case "a", "href":
                assert urlsplit(value).scheme in {"http", "https", "mailto"}
                self.links.append(value)
            case "a", "rel":
                assert value == LINK_REL
            case "a", "target":
                assert value == "_blank"
            case "a", "title":
                pass
            case "ol", "start":
                assert value.isdecimal()
            case "span", "class":
                assert value in CODE_CLASSES
                assert {"pre", "code"} <= set(self.open)
            case (("h3" | "h4" | "h5" | "h6"), "id"):
                self.ids.append(value)
            case _:
                raise AssertionError(f"{name}={value!r} on {tag}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl!r}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data!r}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"an unknown declaration: {data!r}")


def drawn(text: str) -> Page:
    """Return the page of a plan that is drawn, not shown plain."""
    result = rendered(text)
    assert result.plain_reason == ""
    return Page(result.html)


def payloads() -> Iterator[tuple[str, str]]:
    """Return id and text of each payload; of a pair of revisions, both."""
    for block in VECTORS.read_text(encoding="utf-8").split("\n-----\n"):
        head, _, text = block.partition("\n")
        found = re.match(r"%% id=(\w+)", head)
        if found is None:
            continue
        if "escapes=u4" in head:
            text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
        for number, part in enumerate(text.split("\n=====\n")):
            yield f"{found[1]}.{number}", part


PAYLOADS: Final = list(payloads())


def test_no_payload_is_missed() -> None:
    heads = VECTORS.read_text(encoding="utf-8").count("%% id=")
    assert len({name.partition(".")[0] for name, _ in PAYLOADS}) == heads


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PAYLOADS])
def test_no_payload_gets_through(text: str) -> None:
    result = rendered(text)
    page = Page(result.html)
    assert page.ids == []
    assert result.plain_reason == "" or page.tags == ["pre"]


MARKUP: Final = st.lists(
    st.sampled_from(
        [
            "[", "]", "(", ")", "](", "![", "<", ">", "&", "#", "# ", "- ", "1. ", "> ", "*", "**", "_",
            "`", "```", "~~~", "~~", "|", "---", "===", "\n", "\n\n", "    ", "\t", "\\", '"', "'", ":",
            "http://a.example", "javascript:x", "&#106;", "&lt;script&gt;", "<script>", "<!--", "-->",
            "[a]: ", "word", "x", " ", "\u202e", "\0", "\x02", "\x03", "klzzwxh:0000", "wzxhzdk:0", "\r",
        ]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@given(text=MARKUP)
@settings(deadline=None)
def test_no_mixture_gets_through(text: str) -> None:
    page = Page(rendered(text).html)
    assert "\u202e" not in page.text


WORDS: Final = st.lists(
    st.one_of(
        st.integers(0, 9999).map(lambda number: f"w{number}w"),
        st.sampled_from(
            [
                " ", " ", "\n", "\n", "\n\n", "- ", "  - ", "1. ", "2) ", "> ", "# ", "\n```", "\n~~~ ",
                "    ", " | ", "|", "\n|-|-|\n", "\n---\n", "\n===\n", "`", "*", "**", "_", "~~", "[",
                "]", "](", ")", "![", "[ ] ", "<", ">", "<!-- ", " -->", "\n[a]: ", " #", "\n\n\n",
            ]
        ),
    ),
    max_size=50,
).map("".join)  # fmt: skip


@given(text=WORDS)
@settings(deadline=None, max_examples=200)
def test_no_word_is_hidden(text: str) -> None:
    page = Page(rendered(text).html)
    shown = " ".join([page.text, *page.links])
    assert [word for word in re.findall(r"w\d+w", text) if word not in shown] == []


@pytest.mark.parametrize(
    ("text", "html"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("# A\n## B", "<h3>A</h3>\n<h4>B</h4>", id="headings"),
        pytest.param("##### E ##", "<h6>E</h6>", id="a deep heading, closed"),
        pytest.param("#12 is a ticket", "<p>#12 is a ticket</p>", id="no heading"),
        pytest.param("A\n===", "<h3>A</h3>", id="an underlined heading"),
        pytest.param(
            "To do:\n- [ ] a\n- [x] b",
            "<p>To do:</p>\n<ul>\n<li>☐ a</li>\n<li>☑ b</li>\n</ul>",
            id="tasks right after a paragraph",
        ),
        pytest.param(
            "1. a\n   - b\n2. c",
            "<ol>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ol>",
            id="a list in a list, indented by its marker",
        ),
        pytest.param("3. a", '<ol start="3">\n<li>a</li>\n</ol>', id="a list that starts late"),
        pytest.param(
            "| a | b |\n|:--|--:|\n| 1 | `x|y` |",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n"
            "<td>1</td>\n<td><code>x|y</code></td>\n</tr>\n</tbody>\n</table>",
            id="a table",
        ),
        pytest.param(
            "| a |\n|---|\n| 1 | hidden |",
            "<p>| a |\n|---|\n| 1 | hidden |</p>",
            id="cells without a column are not dropped",
        ),
        pytest.param("~~old~~ new", "<p><del>old</del> new</p>", id="struck out"),
        pytest.param("**a** _b_ `c<d`", "<p><strong>a</strong> <em>b</em> <code>c&lt;d</code></p>", id="inline"),
        pytest.param(
            "```python\nx = 1\n```",
            '<pre><code><span class="n">x</span> <span class="o">=</span> '
            '<span class="mi">1</span>\n</code></pre>',
            id="coloured code",
        ),
        pytest.param("```brainfuck\n+<\n```", "<p><code>brainfuck</code></p><pre><code>+&lt;\n</code></pre>", id="code of a language we don't colour"),
        pytest.param("~~~\nopen", "<pre><code>open\n</code></pre>", id="code without an end"),
        pytest.param(
            "```sh rm -rf /\nls\n```",
            "<p><code>sh rm -rf /</code></p><pre><code>ls\n</code></pre>",
            id="what stands beside the language is shown",
        ),
        pytest.param("<b>x</b><br>", "<p>&lt;b&gt;x&lt;/b&gt;&lt;br&gt;</p>", id="raw HTML is text"),
        pytest.param("<!-- run it -->", "<p>&lt;!-- run it --&gt;</p>", id="a comment is text"),
        pytest.param(
            '![a cat](http://x.example/c.png "cute")',
            "<p><em>image: http://x.example/c.png (a cat: cute)</em></p>",
            id="an image is its address",
        ),
        pytest.param("![half](http://x", "<p>![half](http://x</p>", id="half an image"),
        pytest.param(
            "[spec](https://user@Evil.example/good.example?a=1&b=2 'T')",
            f'<p><a href="https://user@Evil.example/good.example?a=1&amp;b=2" rel="{LINK_REL}" '
            'target="_blank" title="T">spec</a> (evil.example)</p>',
            id="a link says its host",
        ),
        pytest.param(
            "<https://a.example/>",
            f'<p><a href="https://a.example/" rel="{LINK_REL}" target="_blank">https://a.example/</a></p>',
            id="a link that is its own text",
        ),
        pytest.param("[go](reviews/1)", "<p><a>go</a> (reviews/1)</p>", id="no link into our own pages"),
        pytest.param("[go](javascript:x)", "<p><a>go</a> (javascript:x)</p>", id="no other scheme"),
        pytest.param(
            "[x](https://a&#46;example)",
            f'<p><a href="https://a.example" rel="{LINK_REL}" target="_blank">x</a> (a.example)</p>',
            id="a host written with entities",
        ),
        pytest.param(
            "[a]\n\n[a]: https://b.example 'why'",
            f'<p><a href="https://b.example" rel="{LINK_REL}" target="_blank">a</a> (b.example)</p>\n'
            f'<p><a href="https://b.example" rel="{LINK_REL}" target="_blank">a</a> (b.example): '
            "https://b.example 'why'</p>",
            id="a link's definition is shown",
        ),
        pytest.param("[//]: # (secret)", "<p><a>//</a> (#): # (secret)</p>", id="a definition as a comment"),
        pytest.param("a\n\n&nbsp;\n\n&nbsp;\n\nb", "<p>a</p>\n<p>b</p>", id="gaps are closed"),
        pytest.param("&lt;b&gt; &copy; &nope;", "<p>&lt;b&gt; © &amp;nope;</p>", id="entities"),
        pytest.param("> a\n> b", "<blockquote>\n<p>a\nb</p>\n</blockquote>", id="a quote"),
    ],
)  # fmt: skip
def test_drawn_as(text: str, html: str) -> None:
    result = rendered(text)
    assert result.html.strip() == html
    assert result.plain_reason == ""
    Page(result.html)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\u202eb", "a[U+202E]b", id="in text"),
        pytest.param("`a\u200bb`", "a[U+200B]b", id="in code"),
        pytest.param("```\na\x1bb\n```", "a[U+001B]b", id="in a code block"),
        pytest.param("a&#8238;b", "a[U+202E]b", id="as a number"),
        pytest.param("a&rlm;b", "a[U+200F]b", id="as a name"),
        pytest.param("![&#8238;](x)", "image: x ([U+202E])", id="beside an image"),
        pytest.param("a\rb", "a[U+000D]b", id="a carriage return alone"),
        pytest.param("\0\x02\x03", "[U+0000][U+0002][U+0003]", id="signs that the renderer uses itself"),
        pytest.param("\u202e(https://a.example)", "[U+202E](https://a.example)", id="a mark is no link"),
    ],
)  # fmt: skip
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    assert drawn(text).text.strip() == shown


def test_a_title_hides_nothing() -> None:
    html = rendered('[a](https://b.example "x&#8238;y\u2066z")').html
    assert 'title="x[U+202E]y[U+2066]z"' in html


def test_line_ends_of_windows_are_no_hidden_characters() -> None:
    assert drawn("# a\r\n\r\nb\r\n").text.split() == ["a", "b"]


def test_code_in_a_list_stays_in_its_item() -> None:
    page = rendered("1. First:\n   ```sh\n   ls\n   ```\n2. Second\n").html
    assert page.count("<ol>") == 1
    assert page.index("<pre>") < page.index("Second")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_each_language_colours_code(language: str) -> None:
    source = '@a[b] {c: "d"} <e f="1"> # g\n+ 2'
    html = rendered(f"```{language}\n{source}\n```").html
    assert "<span" in html
    assert Page(html).text.strip() == source


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("x = 1\n" * 2000, id="a long block"),
        pytest.param("x" * 400, id="a long line"),
        pytest.param("x = 1\n" + "\n" * 20 + "y = 2", id="many blank lines"),
    ],
)
def test_code_that_is_costly_to_colour_stays_plain(code: str) -> None:
    page = drawn(f"```python\n{code}\n```")
    assert "span" not in page.tags
    assert page.text.strip() == code.strip()


def test_colours_are_limited_for_the_whole_plan() -> None:
    block = "```python\n" + "a.b.c.d\n" * 60 + "```\n\n"
    page = drawn(block * 40)
    assert 2000 < page.tags.count("span") <= 4000
    assert page.text.count("a.b.c.d") == 60 * 40


PLAIN: Final = [
    pytest.param("a" * 600_000, PlainReason.LENGTH, id="length"),
    pytest.param("a\n" * 10_001, PlainReason.LINES, id="lines"),
    pytest.param("a" * 20_001, PlainReason.LINE, id="line"),
    pytest.param("[" * 5000, PlainReason.MARKS, id="brackets"),
    pytest.param("![" * 10_000, PlainReason.MARKS, id="images"),
    pytest.param("<a " * 6000 + "\n" + "<a " * 6000, None, id="tags"),
    pytest.param("[a](b " * 3000, PlainReason.MARKS, id="links"),
    pytest.param("\n".join(" " * 4 * n + "- x" for n in range(300)), PlainReason.DEPTH, id="lists"),
    pytest.param(">" * 1000 + "x", PlainReason.DEPTH, id="quotes"),
    pytest.param("- " * 1000 + "x", PlainReason.DEPTH, id="lists in a line"),
    pytest.param("|a" * 3000 + "\n" + "|-" * 3000 + "\n" + "|b" * 3000, PlainReason.TABLE, id="table"),
    pytest.param("\n".join("a" + "`" * n for n in range(1, 900)), PlainReason.MARKS, id="backticks"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), PLAIN)
def test_what_costs_too_much_is_shown_plain(text: str, reason: PlainReason | None) -> None:
    result = rendered(text)
    assert result.plain_reason == ("" if reason is None else str(REASONS[reason]))
    page = Page(result.html)
    assert page.text.strip() == text.strip()
    assert reason is None or page.tags == ["pre"]


def test_reasons_are_total() -> None:
    assert set(REASONS) == set(PlainReason)


def test_a_plain_plan_is_escaped_and_marked() -> None:
    result = rendered("<script>\u202e" + "a" * 20_001)
    assert result.html.startswith("<pre>&lt;script&gt;[U+202E]aaa")


def test_reasons_are_said_in_the_readers_language() -> None:
    with translation.override("en"):
        assert rendered("a" * 20_001).plain_reason.startswith("The plan has a line too long")


def test_a_plan_that_overflows_the_stack_is_shown_plain() -> None:
    text = "overflow\n\n" + "\n".join(" " * 4 * n + "- x" for n in range(18))
    limit, depth = sys.getrecursionlimit(), 0
    frame = sys._getframe()  # noqa: SLF001 - how deep this test itself is
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 60)
    try:
        result = rendered(text)
    finally:
        sys.setrecursionlimit(limit)
    assert result.plain_reason == str(REASONS[PlainReason.FAILED])
    assert rendered(text).plain_reason == "", "a failure is not kept"


def test_what_is_drawn_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    first = rendered("kept **for** ever")
    monkeypatch.setattr(rendering._Pen, "html", lambda *_page: "<p>drawn again</p>")  # noqa: SLF001 - what draws
    assert rendered("kept **for** ever") == first
    assert rendered("something else").html == "<p>drawn again</p>"
    monkeypatch.setattr(rendering, "VERSION", "another-release")
    assert rendered("kept **for** ever").html == "<p>drawn again</p>"


def test_pages_take_the_html_as_it_is() -> None:
    assert isinstance(rendered("a").html, SafeString)
    assert isinstance(rendered("a" * 20_001), Rendering)


@pytest.mark.parametrize(
    ("fragment", "clean"),
    [
        pytest.param('<p id="x" onclick="y">a</p>', "<p>a</p>", id="attributes"),
        pytest.param("<svg><style>a", "&lt;svg&gt;&lt;style&gt;a", id="tags"),
        pytest.param('<span class="k">a</span>', "a", id="colour outside of code"),
        pytest.param(
            '<pre><code><span class="k" id="x">a</span><span class="btn">b</span></code></pre>',
            '<pre><code><span class="k">a</span><span>b</span></code></pre>',
            id="colour in code",
        ),
        pytest.param('<h3 id="decision">a</h3>', "<h3>a</h3>", id="an id of ours"),
        pytest.param('<a href="javascript:x" target="top">a</a>', "<a>a</a>", id="a scheme"),
        pytest.param('<ol start="x"><li>a</li></ol>', "<ol><li>a</li></ol>", id="a start"),
    ],
)  # fmt: skip
def test_sanitize_trusts_nothing_that_comes_before_it(fragment: str, clean: str) -> None:
    assert sanitize(fragment) == clean


def whole(text: str) -> str:
    """Return the plan drawn at once, as if there were no blocks."""
    codes: list[CodeBlock] = []

    def keep(code: CodeBlock) -> str:
        codes.append(code)
        return f"\0{len(codes) - 1}\0"

    lines = NormalizeWhitespace(grammar()).run(marked(text).split("\n"))
    page = laid_out(lines, keep).lines
    colours = rendering._Colours()  # noqa: SLF001 - drawing at once is a test's business
    drawn_codes = [colours.of(code) for code in codes]
    return rendering._Pen().html(page, drawn_codes, read(text).definitions)  # noqa: SLF001


@given(plans())
@example("[a]\n\n> x\n\n[a]: https://a.example\n\n> y\n> z")
@example("- a\n\n\n- b\n\n1. c\n\n  [x][a]\n\n[A]: https://a.example")
@example("[text\n> [b]: https://b.example\n\n[b]")
def test_block_by_block_is_the_whole(text: str) -> None:
    """Lists and quotes in several parts, definitions elsewhere, notes: nothing is lost."""
    assert "".join(rendered(text).html.split("\n")) == "".join(whole(text).split("\n"))


@given(plans())
def test_a_block_is_drawn_the_same_in_any_plan(text: str) -> None:
    """What is kept of a block serves every revision that holds it."""
    before = rendering.drawn(text)
    after = rendering.drawn("# Before\n\n" + text + "\n\nAfter\n")
    assert [block.html for block in before.blocks] == [block.html for block in after.blocks[1:-1]]
