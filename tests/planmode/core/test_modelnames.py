"""What a model may be called."""

import pytest

from planmode.core.modelnames import LONGEST, problem_with


@pytest.mark.parametrize("name", ["openai:gpt-5", "scripted:demo.yaml", "test"])
def test_a_name_that_can_be_used(name: str) -> None:
    assert problem_with(name) == ""


@pytest.mark.parametrize("name", ["", "x" * (LONGEST + 1), "openai:\n"])
def test_a_name_that_is_none(name: str) -> None:
    assert problem_with(name).startswith("name a model")


@pytest.mark.parametrize("file", ["", "a/b.yaml", "a\\b.yaml", ".hidden", "../x.yaml"])
def test_a_script_is_named_by_a_file_of_its_folder(file: str) -> None:
    assert problem_with(f"scripted:{file}") == "a scripted model is named by a file of SCRIPTS_DIR"
    assert problem_with(f"scripted:{file}", local=True) == ""
