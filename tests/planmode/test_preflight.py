"""What is said before a session starts in vain."""

from pathlib import Path

import pytest
from pytest_django import Settings

from planmode.preflight import model_problem


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("gpt", "write provider:model"),
        ("scripted:missing.yaml", "No such file"),
        ("scripted:broken.yaml", "reply 0, txt: unknown key"),
    ],
)
def test_a_model_that_no_worker_could_ask(
    name: str, problem: str, settings: Settings, tmp_path: Path
) -> None:
    settings.SCRIPTS_DIR = tmp_path
    (tmp_path / "broken.yaml").write_text("replies: [{txt: Done.}]")
    assert problem in model_problem(name)


def test_nothing_is_said_against_what_only_a_provider_knows(
    settings: Settings, tmp_path: Path
) -> None:
    settings.SCRIPTS_DIR = tmp_path
    (tmp_path / "good.yaml").write_text("replies: [{text: Done.}]")
    assert model_problem("scripted:good.yaml") == ""
    assert model_problem("openai-chat:no-such-model") == ""
