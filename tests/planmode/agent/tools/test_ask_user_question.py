"""AskUserQuestion: questions that a person can answer."""

import json

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import Asks
from planmode.core.events import QuestionItem
from tests.planmode.agent.tools.conftest import Ground


def test_questions_become_items(ground: Ground) -> None:
    outcome = ground.outcome(
        "AskUserQuestion",
        questions=[
            {"text": "Which?", "choices": ["A", "B"], "several": True},
            {"text": "Why?"},
        ],
    )
    assert outcome == Asks((QuestionItem("Which?", ("A", "B"), several=True), QuestionItem("Why?")))


@pytest.mark.parametrize(
    ("questions", "pointer"),
    [
        pytest.param([], "/questions ", id="none"),
        pytest.param([{"text": "?"}] * 5, "/questions ", id="five"),
        pytest.param([{"text": "  "}], "/questions/0/text ", id="blank"),
        pytest.param([{"text": "x" * 501}], "/questions/0/text ", id="long"),
        pytest.param([{"text": "?", "choices": ["a"] * 7}], "/questions/0/choices ", id="choices"),
        pytest.param([{"text": "?", "choices": [""]}], "/questions/0/choices/0 ", id="no choice"),
        pytest.param([{"text": "?", "choices": ["x" * 201]}], "/questions/0/choices/0 ", id="wide"),
        pytest.param([{"text": "?", "header": "h"}], "/questions/0/header ", id="unknown key"),
        pytest.param("?", "/questions ", id="no list"),
    ],
)
def test_what_can_not_be_asked(questions: object, pointer: str) -> None:
    with pytest.raises(ArgumentsInvalidError) as refused:
        parse(TOOLS["AskUserQuestion"], json.dumps({"questions": questions}))
    assert str(refused.value).startswith(pointer)
