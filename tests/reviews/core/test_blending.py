"""Two versions are one, and each can be read out of it."""

from html import escape
from html.parser import HTMLParser
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.core.blending import all_marked, blended
from reviews.core.fragments import COME, GONE
from reviews.core.pairing import Effort

TEXT: Final = st.text(alphabet="ab 1登é<&\"'`", min_size=1, max_size=12).map(
    lambda text: escape(f"x{text}")
)
VOID: Final = {"br", "hr"}


def element(tag: str, inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inside.map(lambda text: f"<{tag}>{text}</{tag.split(' ', maxsplit=1)[0]}>")


def several(parts: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=1, max_size=most).map("".join)


INLINE: Final = several(
    st.one_of(
        TEXT,
        st.just("<br>"),
        *(element(tag, TEXT) for tag in ("em", "strong", "del", "code", 'a href="https://a.b"')),
        element("strong", element("em", TEXT)),
    )
)
CODE: Final = element(
    "pre",
    element("code", several(st.one_of(TEXT, st.just("\n"), element('span class="k"', TEXT)), 6)),
)
ROWS: Final = several(element("tr", several(element("td", INLINE))))
LEAVES: Final = st.one_of(
    element("p", INLINE), element('h3 id="plan-h-1"', INLINE), CODE, st.just("<hr>"),
    element("table", element("tbody", ROWS)),
)  # fmt: skip
BLOCKS: Final = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        element("blockquote", several(inner)),
        element(
            "ul",
            several(element("li", st.one_of(INLINE, inner, st.tuples(INLINE, inner).map("".join)))),
        ),
    ),
    max_leaves=6,
)  # fmt: skip
FRAGMENTS: Final = several(BLOCKS)


class Reading(HTMLParser):
    """The text of HTML without one kind of mark; fails where elements are not nested."""

    def __init__(self, without: str = "") -> None:
        super().__init__()
        self.without = without
        self.open: list[str] = []
        self.text = ""
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [str(value) for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(str(self.get_starttag_text()))
        elif self.without not in self.open or not self.without:
            self.text += "\n" if tag == "br" else ""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().strip("<>").split(" ")[0] == tag

    def handle_data(self, data: str) -> None:
        if not self.without or self.without not in self.open:
            self.text += data


def reading(fragment: str, without: str = "") -> Reading:
    found = Reading(without)
    found.feed(fragment)
    found.close()
    assert not found.open
    return found


def blend(old: str, new: str) -> str:
    found = blended(old, new, Effort())
    assert found is not None
    return found


@given(old=FRAGMENTS, new=FRAGMENTS)
@settings(deadline=None)
def test_both_texts_can_be_read_out_of_the_blend(old: str, new: str) -> None:
    """Kept + removed reads as the old text, kept + added as the new one."""
    found = blend(old, new)
    assert reading(found, COME).text == reading(old).text
    assert reading(found, GONE).text == reading(new).text
    assert blend(old, new) == found


@given(fragment=FRAGMENTS)
@settings(deadline=None)
def test_what_did_not_change_has_no_marks(fragment: str) -> None:
    assert blend(fragment, fragment) == fragment


@given(fragment=FRAGMENTS)
@settings(deadline=None)
def test_what_is_new_or_removed_is_marked_whole(fragment: str) -> None:
    for mark in (GONE, COME):
        found = all_marked(fragment, mark)
        assert reading(found).text == reading(fragment).text
        assert reading(found, mark).text == "" or "<br>" in fragment
    assert reading(all_marked(fragment, GONE)).ids == []


def gone(text: str) -> str:
    return f"{GONE}{text}</del>"


def come(text: str) -> str:
    return f"{COME}{text}</ins>"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            "<p>Rotate keys hourly.</p>", "<p>Rotate keys daily.</p>",
            f"<p>Rotate keys {gone('hourly')}{come('daily')}.</p>", id="a word",
        ),
        pytest.param(
            "<p>Use <code>a b</code> now</p>", "<p>Use <code>a c</code> now</p>",
            f"<p>Use {gone('<code>a b</code>')}{come('<code>a c</code>')} now</p>",
            id="case:C086 code stays whole",
        ),
        pytest.param(
            '<p>see <a href="https://a.b/x">docs</a> first</p>',
            '<p>see <a href="https://a.b/y">docs</a> first</p>',
            f'<p>see {GONE}<a href="https://a.b/x">docs</a></del>'
            f'{COME}<a href="https://a.b/y">docs</a></ins> first</p>',
            id="case:C086 a link stays whole",
        ),
        pytest.param(
            "<p>this is bold now</p>", "<p>this is <strong>bold</strong> now</p>",
            f"<p>this is {gone('bold')}{come('<strong>bold</strong>')} now</p>",
            id="a word that became bold",
        ),
        pytest.param(
            "<ul><li>one</li><li>two</li></ul>", "<ul><li>one</li><li>new</li><li>two</li></ul>",
            f"<ul><li>one</li><li>{come('new')}</li><li>two</li></ul>", id="an item",
        ),
        pytest.param(
            "<ul><li>say it here<ul><li>a</li></ul></li><li>b</li></ul>",
            "<ul><li>say it there<ul><li>a</li></ul></li><li>b</li></ul>",
            f"<ul><li>say it {gone('here')}{come('there')}<ul><li>a</li></ul></li><li>b</li></ul>",
            id="an item around a list",
        ),
        pytest.param(
            "<table><tr><td>a</td><td>x</td></tr></table>",
            "<table><tr><td>b</td><td>x</td></tr></table>",
            f"<table><tr><td>{gone('a')}{come('b')}</td><td>x</td></tr></table>", id="a cell",
        ),
        pytest.param(
            "<pre><code>a = 1\nb = 2\n</code></pre>", "<pre><code>a = 1\nb = 3\n</code></pre>",
            f"<pre><code>a = 1\nb = {gone('2')}{come('3')}\n</code></pre>", id="a line of code",
        ),
        pytest.param(
            '<h3 id="plan-h-1">Goal</h3>', '<h3 id="plan-h-2">Goal</h3>',
            '<h3 id="plan-h-2">Goal</h3>', id="a number of a heading is no change",
        ),
        pytest.param(
            "<p>a</p>\n<p>b</p>", "<p>a</p>\n<p>c</p>",
            f"<p>a</p><p>{gone('b')}{come('c')}</p>", id="blanks between blocks",
        ),
        pytest.param(
            "<p>a</p>", "<h3>a</h3>", f"<p>{gone('a')}</p><h3>{come('a')}</h3>", id="another kind",
        ),
    ],
)  # fmt: skip
def test_blends(old: str, new: str, expected: str) -> None:
    assert blend(old, new) == expected


def test_what_is_too_much_to_look_at_is_not_blended() -> None:
    assert blended("<p>a b</p>", "<p>a c</p>", Effort(characters=3)) is None


def test_a_plan_cannot_mark_its_own_text() -> None:
    """security:S21 such a tag in a plan is text, and struck-through text has no class."""
    found = blend("<p>safe &lt;ins class=x&gt; <del>x</del></p>", "<p>safe <del>x</del></p>")
    assert found.count(GONE) == 1
    assert COME not in found
