"""What would be costly to draw is known before it is drawn."""
# ruff: noqa: E501 - a row of a table is a line

import pytest

from reviews.core.effort import (
    DEEPEST,
    LONGEST_LINE,
    MOST_CELLS,
    MOST_CHARACTERS,
    MOST_LINES,
    MOST_MARKS,
    MOST_OPEN,
    PlainReason,
    too_costly,
    too_long,
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", None, id="nothing"),
        pytest.param("a\n" * (MOST_LINES - 1), None, id="as many lines as may be"),
        pytest.param("a\n" * MOST_LINES, PlainReason.LINES, id="a line more"),
        pytest.param("a" * LONGEST_LINE, None, id="a line as long as may be"),
        pytest.param("a" * (LONGEST_LINE + 1), PlainReason.LINE, id="a letter more"),
        pytest.param(("a" * 1023 + "\n") * (MOST_CHARACTERS // 1024), None, id="as long as may be"),
        pytest.param(("a" * 1023 + "\n") * (MOST_CHARACTERS // 1024) + "a", PlainReason.LENGTH, id="longer"),
    ],
)  # fmt: skip
def test_too_long(text: str, reason: PlainReason | None) -> None:
    assert too_long(text) is reason


TABLE = ["|a|b|c|d|", "|-|-|-|-|"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        pytest.param([], None, id="nothing"),
        pytest.param(["    " * DEEPEST + "a"], None, id="as deep as may be"),
        pytest.param(["    " * DEEPEST + "- a"], PlainReason.DEPTH, id="deeper by a list"),
        pytest.param(["> " * (DEEPEST + 1) + "a"], PlainReason.DEPTH, id="deeper by quotes"),
        pytest.param([">" * (DEEPEST + 1) + "a"], PlainReason.DEPTH, id="the same, close together"),
        pytest.param(["1. " * (DEEPEST + 1) + "a"], PlainReason.DEPTH, id="deeper by numbers"),
        pytest.param(["- " * 100], None, id="a rule is not deep"),
        pytest.param([*TABLE, *["|1|2|3|4|"] * (MOST_CELLS // 5 - 2)], None, id="as many cells as may be"),
        pytest.param([*TABLE, *["|1|2|3|4|"] * (MOST_CELLS // 5)], PlainReason.TABLE, id="more cells"),
        pytest.param([*TABLE, *["|1|2|3|4|"] * 600, "", *TABLE, *["|1|2|3|4|"] * 600], PlainReason.TABLE, id="in two tables"),
        pytest.param(["a|b"] * MOST_CELLS, None, id="bars that are no table"),
        pytest.param(["*a* " * 100] * (MOST_MARKS // 200 - 1), None, id="as many marks as may be"),
        pytest.param(["*a* " * 100] * (MOST_MARKS // 200), PlainReason.MARKS, id="more marks"),
        pytest.param(["a", ""] * (MOST_MARKS // 3 + 1), PlainReason.MARKS, id="too many blocks"),
        pytest.param(["[" * MOST_OPEN], None, id="as many open brackets as may be"),
        pytest.param(["[" * (MOST_OPEN + 1)], PlainReason.MARKS, id="one more"),
        pytest.param(["[" * 500, ""] * 30, PlainReason.MARKS, id="some brackets, many times"),
        pytest.param(["[" * 3000 + "]" * 3000], PlainReason.MARKS, id="brackets in brackets"),
        pytest.param(["]" * 3000], None, id="brackets that close nothing"),
        pytest.param(["[a](b) "] * 2000, None, id="links"),
        pytest.param(["[a](b(c)d) "] * 2000, None, id="links with brackets"),
        pytest.param(['[a](b "c (d) e")'] * 2000, None, id="links with titles"),
        pytest.param(["[a](b"] * 2000, PlainReason.MARKS, id="open links"),
        pytest.param(["[a](b(c)"] * 2000, PlainReason.MARKS, id="links open by one"),
        pytest.param(["[a](b'c)"] * 2000, PlainReason.MARKS, id="links with open titles"),
        pytest.param(["a" * 500 + "`" * size for size in range(1, 100)], None, id="some open code"),
        pytest.param(["a" * 800 + "`" * size for size in range(1, 240)], PlainReason.MARKS, id="much open code"),
        pytest.param(["`a` b " * 60] * 100, None, id="closed code"),
        pytest.param(["[" + "\\*" * 400] * 40, PlainReason.MARKS, id="escapes take room"),
    ],
)  # fmt: skip
def test_too_costly(lines: list[str], reason: PlainReason | None) -> None:
    assert too_costly(lines) is reason
