"""The texts by name."""

from pathlib import Path

import pytest

import prompts
from prompts import library
from prompts.errors import PromptError

ROOT = Path(prompts.__file__).parent


def test_every_file_has_its_name() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.md")}
    assert {f"{name}.md" for name in library.NAMES} == files
    assert "reminders/full" in library.NAMES


def test_text_is_the_file_without_blank_lines_around_it() -> None:
    content = (ROOT / "results/skipped.md").read_text(encoding="utf-8")
    assert content == library.text("results/skipped") + "\n"


@pytest.mark.parametrize("name", ["results/nothing", "full", "reminders/full.md", "../README", ""])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(PromptError, match="no text called"):
        library.text(name)
