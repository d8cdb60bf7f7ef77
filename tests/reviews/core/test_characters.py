"""What nobody sees is marked, and what is as it should be is not."""
# ruff: noqa: E501, RUF001 - a row of a table is a line, and people write in many scripts

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.characters import marked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("\u202egpj\u202c", "[U+202E]gpj[U+202C]", id="right to left"),
        pytest.param("\u2066a\u2069", "[U+2066]a[U+2069]", id="isolates"),
        pytest.param("main\u200e", "main[U+200E]", id="a direction mark"),
        pytest.param("build\u061c/tmp", "build[U+061C]/tmp", id="the Arabic direction mark"),
        pytest.param("a\u200bb\u2060c\ufeffd", "a[U+200B]b[U+2060]c[U+FEFF]d", id="zero width"),
        pytest.param("ad\u200dmin API_\u200cKEY", "ad[U+200D]min API_[U+200C]KEY", id="joiners"),
        pytest.param("de\xadploy", "de[U+00AD]ploy", id="a soft hyphen"),
        pytest.param("const \u3164 \u2800", "const [U+3164] [U+2800]", id="blanks with a name"),
        pytest.param("x\U000e0061\U000e007f", "x[U+E0061][U+E007F]", id="tags"),
        pytest.param("\U0001f642\U000e0162", "\U0001f642[U+E0162]", id="a selector that says something"),
        pytest.param("a\ufe0f", "a[U+FE0F]", id="a selector on a letter"),
        pytest.param("\u206aplan\ufffb", "[U+206A]plan[U+FFFB]", id="signs out of use"),
        pytest.param("a\u2028b\x85c\x0bd\x0ce", "a[U+2028]b[U+0085]c[U+000B]d[U+000C]e", id="line ends"),
        pytest.param("\x1b[2K\x00\x7f", "[U+001B][2K[U+0000][U+007F]", id="terminal controls"),
        pytest.param("rm\recho", "rm[U+000D]echo", id="a carriage return alone"),
        pytest.param("a\r", "a[U+000D]", id="a carriage return at the end"),
    ],
)  # fmt: skip
def test_hidden_characters_are_marked(text: str, shown: str) -> None:
    assert marked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a\tb\nc\r\nd", id="tabs and line ends"),
        pytest.param("先读代码，再写计划。（两步）", id="Chinese"),
        pytest.param("الخطة: تحديث README", id="Arabic"),
        pytest.param("می\u200cخواهم", id="Persian, with a joiner"),
        pytest.param("क्\u200dष", id="Hindi, with a joiner"),
        pytest.param("\U0001f469\u200d\U0001f4bb \u2764\ufe0f", id="emoji"),
        pytest.param("\u2764\ufe0f\u200d\U0001f525", id="emoji with both"),
        pytest.param("1\ufe0f\u20e3", id="a key cap"),
        pytest.param("葛\U000e0100", id="a form of a character"),
        pytest.param("手順1\u3000テスト a\xa0b", id="wide and hard blanks"),
    ],
)
def test_what_is_as_it_should_be_is_left_alone(text: str) -> None:
    assert marked(text) == text


@given(text=st.text())
def test_only_what_is_hidden_changes(text: str) -> None:
    shown = marked(text)
    visible = {"Lu", "Ll", "Nd", "Ps", "Pe", "Pd", "Po", "Sm", "Sc"}
    assert [c for c in text if unicodedata.category(c) in visible] == [
        c for c in _without_marks(text, shown) if unicodedata.category(c) in visible
    ]
    assert marked(shown) == shown


def _without_marks(text: str, shown: str) -> str:
    """Take from ``shown`` the marks that ``text`` did not have."""
    kept: list[str] = []
    rest = shown
    for character in text:
        mark = f"[U+{ord(character):04X}]"
        rest, found = (rest[len(mark) :], "") if rest.startswith(mark) else (rest[1:], rest[:1])
        kept.append(found)
    assert rest == ""
    return "".join(kept)
