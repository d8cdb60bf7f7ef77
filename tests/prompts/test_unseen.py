"""One table of what nobody sees, and all three who look for it agree."""

import re
import sys
import unicodedata
from typing import Final

import pytest

from planmode.core.errors import OptionsInvalidError
from planmode.core.options import PlanOption, checked, folded
from prompts.rendering import escaped
from prompts.unseen import UNSEEN, says_something
from reviews.core.characters import marked

ALL: Final = re.findall(f"[{UNSEEN}]", "".join(map(chr, range(sys.maxunicode + 1))))


def test_the_table_holds_every_sign_without_a_shape() -> None:
    """The exceptions are number signs and the like of Arabic, Syriac and Kaithi: they have ink."""
    invisible = {"Cc", "Cf", "Zl", "Zp"}
    others = {chr(code) for code in range(sys.maxunicode + 1)} - set(ALL)
    left = {char for char in others if unicodedata.category(char) in invisible}
    seen = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    assert left == set("\t\n\r") | set(seen)


def test_what_has_a_shape_or_a_width_is_not_in_it() -> None:
    ordinary = "aZ0 \xa0\u2009\u3000é漢한عक़+-…\U0001f680"
    assert not set(ordinary) & set(ALL)


@pytest.mark.parametrize("char", ["\u034f", "\ufe0f", "\u17b4", "\u3164", "\u2800", "\U000e0061"])
def test_a_person_a_label_and_a_frame_are_guarded_alike(char: str) -> None:
    assert marked(f"a{char}b") == f"a[U+{ord(char):04X}]b"
    with pytest.raises(OptionsInvalidError, match="can't be seen"):
        checked([PlanOption(f"Small{char}er")])
    assert escaped(f"</fr{char}om>") == f"&lt;/fr{char}om>"


def test_all_that_is_in_it_is_refused_in_a_label_and_breaks_no_delimiter() -> None:
    for char in ALL:
        with pytest.raises(OptionsInvalidError):
            checked([PlanOption(f"Small{char}er")])
        assert not folded(char)
        assert escaped(f"<system{char}-reminder>").startswith("&lt;")


def test_what_nobody_sees_says_nothing() -> None:
    assert not says_something("".join(ALL) + " \t\r\n\xa0\u3000")
    assert not says_something("")
    assert all(says_something(f" \u200b{char}\n") for char in ".0a\u0600")
