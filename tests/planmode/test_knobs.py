"""A preset with what the installation chose, and the plan section."""

from pathlib import Path

import pytest
from pytest_django import Settings

from planmode.core.presets import PRESETS, resolve
from planmode.knobs import knobs, section_of


@pytest.mark.parametrize("preset", PRESETS)
def test_the_installation_as_it_comes_wishes_for_nothing(preset: str) -> None:
    assert knobs(preset) == resolve(preset)


def test_what_the_installation_chose_counts(settings: Settings) -> None:
    """claude:C-22 C-23."""
    settings.PLAN_EXPLORERS, settings.PLAN_DESIGNERS = 5, 2
    assert (knobs("claude").explorers, knobs("claude").designers) == (5, 2)
    settings.PLAN_WORKFLOW = "iterative"
    assert knobs("claude").workflow == "iterative"
    assert knobs("kimi") == PRESETS["kimi"]


@pytest.mark.parametrize(
    ("own", "file", "section"),
    [
        pytest.param(" Ours.\n", "For all.", "Ours.", id="the project's own"),
        pytest.param(" \n", "For all.\n", "For all.", id="blank is none"),
        pytest.param("", " ", "", id="both blank"),
        pytest.param("", None, "", id="nothing"),
        pytest.param("Ours.", None, "Ours.", id="no file"),
    ],
)
def test_the_project_s_section_comes_before_the_installation_s(
    settings: Settings, tmp_path: Path, own: str, file: str | None, section: str
) -> None:
    """dsh:D-16."""
    if file is not None:
        settings.PLAN_SECTION_FILE = tmp_path / "section.md"
        settings.PLAN_SECTION_FILE.write_text(file, encoding="utf-8")
    assert section_of(own) == section


def test_a_file_that_can_t_be_read_says_so(settings: Settings, tmp_path: Path) -> None:
    settings.PLAN_SECTION_FILE = tmp_path / "missing.md"
    with pytest.raises(OSError, match=r"missing\.md"):
        section_of("")
    assert section_of("Ours.") == "Ours."
