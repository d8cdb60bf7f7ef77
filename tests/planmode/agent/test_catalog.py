"""How the arguments of a call are read: strictly, and with reasons."""

import pytest

from planmode.agent.catalog import TOOLS, ArgumentsInvalidError, parse
from planmode.agent.contracts import NoArguments
from planmode.agent.tools.read import ReadArguments


def _refusal(name: str, args: str) -> str:
    with pytest.raises(ArgumentsInvalidError) as refused:
        parse(TOOLS[name], args)
    return str(refused.value)


def test_arguments_are_what_the_tool_declares() -> None:
    args = parse(TOOLS["Read"], '{"path": "a.py", "limit": 3}')
    assert args == ReadArguments(path="a.py", offset=1, limit=3)


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_nothing_is_an_empty_object(text: str) -> None:
    assert parse(TOOLS["EnterPlanMode"], text) == NoArguments()


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        pytest.param('{"path": "a", "path": "b"}', "a key occurs twice", id="double key"),
        pytest.param('{"path": "a"', "is not strict JSON", id="cut off"),
        pytest.param("{'path': 'a'}", "is not strict JSON", id="single quotes"),
        pytest.param('["a"]', "must be a JSON object", id="list"),
        pytest.param('"a"', "must be a JSON object", id="text"),
        pytest.param("null", "must be a JSON object", id="null"),
        pytest.param('{"path": "a", "offset": NaN}', "NaN is no JSON number", id="NaN"),
        pytest.param('{"path": "a"} {}', "is not strict JSON", id="two values"),
        pytest.param('{"path": "a", "limit": ' + "9" * 5000 + "}", "is not strict", id="digits"),
        pytest.param("[" * 100_000, "nests too deep", id="endless nesting"),
        pytest.param('{"path": ' + "[" * 50 + "]" * 50 + "}", "nests too deep", id="deep nesting"),
    ],
)
def test_only_one_strict_object(args: str, reason: str) -> None:
    message = _refusal("Read", args)
    assert message.startswith("/ ")
    assert reason in message


@pytest.mark.parametrize("text", [r"a\u0000b", r"\ud800", r"\udfff x"])
def test_text_that_nobody_can_keep(text: str) -> None:
    message = _refusal("Write", f'{{"path": "a", "content": "{text}"}}')
    assert message == "/content holds a NUL character or half a surrogate pair"


def test_a_whole_surrogate_pair_is_a_character() -> None:
    args = parse(TOOLS["Write"], r'{"path": "a", "content": "\ud83d\ude00"}')
    assert args.model_dump() == {"path": "a", "content": "😀"}


def test_each_fault_has_its_place() -> None:
    lines = _refusal("Read", '{"offset": 0, "limit": "5", "a/b~c": 1}').splitlines()
    assert sorted(line.partition(" ")[0] for line in lines) == [
        "/a~1b~0c", "/limit", "/offset", "/path",
    ]  # fmt: skip


def test_numbers_are_not_guessed() -> None:
    assert _refusal("Read", '{"path": "a", "offset": 1.5}').startswith("/offset ")
    assert _refusal("Read", '{"path": "a", "offset": true}').startswith("/offset ")


def test_refusals_are_bounded_and_printable() -> None:
    keys = ", ".join(f'"{"k" * 3000}{n}": 1' for n in range(100))
    message = _refusal("Read", f'{{"path": "a", "\\u0000\\ud800": 1, {keys}}}')
    assert len(message) < 10_000
    message.encode()
    message = _refusal("Read", f'{{"path": "a", {keys}}}')
    assert message.endswith("(and 80 more)")
    assert all(len(line) <= 402 for line in message.splitlines())
