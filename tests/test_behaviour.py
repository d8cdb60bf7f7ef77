"""docs/behaviour.md, the names of lines and the tests hold together."""

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.rows import LEFT_OUT, TESTED_BY_NAME, ids

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/behaviour.md").read_text(encoding="utf-8")
SOURCES = {
    path: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if path != Path(__file__)
}
GROUPS = frozenset({"state", "enter", "guard", "guard_path", "options", "enter_tool"}) | {
    "exit_direct", "exit_review", "batch", "revision", "reminder", "permission",
}  # fmt: skip

SUBJECTS: Final[dict[str, dict[str, str]]] = yaml.safe_load(
    (ROOT / "tests/vectors/lines.yaml").read_text(encoding="utf-8")
)
LINES: Final = {f"{source}:{line}" for source, lines in SUBJECTS.items() for line in lines}
LINE: Final = r"(?:[A-Z]-?\d+|\d\.\d+)(?:\.\d+)*"


def part(heading: str) -> str:
    """Return the page's part below ``heading``, up to the next one of its level or above."""
    level = heading.index(" ")
    rest = PAGE.partition(f"\n{heading}\n")[2]
    return re.split(rf"\n#{{1,{level}}} ", rest, maxsplit=1)[0]


def named_lines(text: str) -> set[str]:
    """Return the lines that ``text`` names, also in lists after one ``kimi:``."""
    sources = "|".join(SUBJECTS)
    found = re.findall(rf"\b({sources}):({LINE}(?:,?\s+{LINE}\b)*)", text)
    return {f"{source}:{_whole(line)}" for source, some in found for line in re.findall(LINE, some)}


def _whole(line: str) -> str:
    """Return the line of which ``line`` may be a part: a row of its table."""
    return line.partition(".")[0] if line[0].isalpha() else line


PROVEN: Final = named_lines("\n".join(SOURCES.values()))
EXPLAINED: Final = named_lines(part("## Decided otherwise or elsewhere"))


def named_rows(text: str) -> set[str]:
    """Return the rows that ``text`` names, with those between ``A to B``."""
    found = set(re.findall(r"\b[A-Z]{2}-\d\d\b", text))
    for group, first, last in re.findall(r"\b([A-Z]{2})-(\d\d) to \1-(\d\d)\b", text):
        found |= {f"{group}-{number:02}" for number in range(int(first), int(last) + 1)}
    return found


# Lines


@pytest.mark.parametrize("line", sorted(LINES))
def test_each_line_is_proven_by_a_test_or_explained_on_the_page(line: str) -> None:
    """One of the two: a reason that outlived its day would hide what is proven."""
    assert (line in PROVEN) is not (line in EXPLAINED)


def test_every_line_says_what_it_is_about() -> None:
    assert all(subject.strip() for lines in SUBJECTS.values() for subject in lines.values())


def test_lines_that_are_named_exist() -> None:
    """Reports of other areas have names, too, and are no part of the list."""
    named = {line for line in PROVEN | named_lines(PAGE) if not line.startswith("case:")}
    assert named <= LINES
    assert {line for line in named_lines(PAGE) if line.startswith("case:")} <= LINES


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("kimi:S12.", {"kimi:S12"}),
        ("kimi:V2 V5.1 to V5.8", {"kimi:V2", "kimi:V5"}),
        ("kimi:2.4.10. claude:C-13, C-24: whole", {"kimi:2.4.10", "claude:C-13", "claude:C-24"}),
        ("pi:P-13 pi:P-17: also", {"pi:P-13", "pi:P-17"}),
        ('id="case:C053 no start"', {"case:C053"}),
        ("vector:RV-07 security:S19 fault:F07", set()),
    ],
)
def test_how_lines_are_named(text: str, lines: set[str]) -> None:
    assert named_lines(text) == lines


# Rows


def test_rows_on_the_page_exist() -> None:
    kimi = part("## `kimi`")
    assert set(re.findall(r"(?<![\w:])[A-Z]{2}-\d\d\b", kimi)) <= ids()


@pytest.mark.parametrize("row", sorted(LEFT_OUT))
def test_a_row_without_a_test_has_its_reason_on_the_page(row: str) -> None:
    assert row in ids()
    assert row in named_rows(part("### What ours does not have"))


@pytest.mark.parametrize("row", sorted(TESTED_BY_NAME))
def test_a_row_in_prose_is_tested_by_name(row: str) -> None:
    assert row in ids()
    named = "\n".join(text for text in SOURCES.values() if "vector:" in text)
    assert re.search(rf"vector:[^\n]*{row}", named)


def test_every_group_of_rows_has_its_test() -> None:
    """A row whose group no test asks for would be left out in silence."""
    asked = set(re.findall(r'rows\("(\w+)"', "\n".join(SOURCES.values())))
    assert asked >= GROUPS - {"options"}
    assert any('"options"' in text for text in SOURCES.values())
