"""docs/behaviour.md and the tests name the same things."""

import re
from pathlib import Path

import pytest

from tests.rows import LEFT_OUT, TESTED_BY_NAME, ids

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/behaviour.md").read_text(encoding="utf-8")
HOLDS = PAGE.partition("## What holds here")[2].partition("\n## ")[0]
SOURCES = {
    path: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if path != Path(__file__)
}
GROUPS = frozenset({"state", "enter", "guard", "guard_path", "options", "enter_tool"}) | {
    "exit_direct", "exit_review", "batch", "revision", "reminder", "permission",
}  # fmt: skip


def lines(text: str) -> set[str]:
    """Return the lines of the reference that ``text`` names, also in lists after one ``kimi:``."""
    found = re.findall(r"kimi:((?:[A-Z]\d+|\d\.\d)(?:\.\d+)*(?: (?:[A-Z]\d+|\d\.\d)[.\d]*)*)", text)
    return {word.rstrip(".") for names in found for word in names.split()}


def named_rows(text: str) -> set[str]:
    """Return the rows that ``text`` names, with those between ``A to B``."""
    found = set(re.findall(r"\b[A-Z]{2}-\d\d\b", text))
    for group, first, last in re.findall(r"\b([A-Z]{2})-(\d\d) to \1-(\d\d)\b", text):
        found |= {f"{group}-{number:02}" for number in range(int(first), int(last) + 1)}
    return found


def test_rows_on_the_page_exist() -> None:
    plain = set(re.findall(r"\b[A-Z]{2}-\d\d\b", PAGE))
    assert plain <= ids()


@pytest.mark.parametrize("row", sorted(LEFT_OUT))
def test_a_row_without_a_test_has_its_reason_on_the_page(row: str) -> None:
    rest = PAGE.partition("## What ours does not have")[2]
    assert row in ids()
    assert row in named_rows(rest)


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


def test_what_holds_is_named_by_the_test_that_proves_it() -> None:
    for entry in HOLDS.splitlines():
        cells = [cell.strip() for cell in entry.split("|")]
        if len(cells) < 5 or not cells[1].startswith("`kimi:"):
            continue
        line = cells[1].strip("`").removeprefix("kimi:")
        files = [name.strip() for name in cells[4].split(",")]
        texts = [SOURCES[ROOT / "tests" / name] for name in files]
        named = {name for text in texts for name in lines(text)}
        assert any(name == line or name.startswith(f"{line}.") for name in named), line
