"""TodoList: the whole list, each time."""

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.core.events import TodoItem, TodoListWritten
from tests.planmode.agent.tools.conftest import Ground


def test_the_list_is_an_event(ground: Ground) -> None:
    items = [{"text": "Read", "status": "done"}, {"text": "Plan", "status": "in_progress"}]
    result = ground.result("TodoList", items=items)
    assert result.text == "Kept 2 items, 1 of them done."
    assert result.events == (
        TodoListWritten((TodoItem("Read", "done"), TodoItem("Plan", "in_progress"))),
    )
    assert ground.result("TodoList", items=[]).events == (TodoListWritten(()),)


@pytest.mark.parametrize(
    ("args", "pointer"),
    [
        ('{"items": [{"text": "x", "status": "later"}]}', "/items/0/status "),
        ('{"items": [{"text": " ", "status": "done"}]}', "/items/0/text "),
        ('{"items": [{"text": "x"}]}', "/items/0/status "),
        ("{}", "/items "),
    ],
)
def test_what_is_no_list(args: str, pointer: str) -> None:
    with pytest.raises(ArgumentsInvalidError) as refused:
        parse(TOOLS["TodoList"], args)
    assert str(refused.value).startswith(pointer)
