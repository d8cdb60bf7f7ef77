"""The tools that there are, and how a call's arguments are read."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from planmode.agent.contracts import Arguments, Tool
from planmode.agent.tools.agent import Agent
from planmode.agent.tools.ask_user_question import AskUserQuestion
from planmode.agent.tools.bash import Bash
from planmode.agent.tools.cron_create import CronCreate
from planmode.agent.tools.cron_delete import CronDelete
from planmode.agent.tools.cron_list import CronList
from planmode.agent.tools.edit import Edit
from planmode.agent.tools.enter_plan_mode import EnterPlanMode
from planmode.agent.tools.exit_plan_mode import ExitPlanMode, ExitPlanModeWithPlan
from planmode.agent.tools.glob import Glob
from planmode.agent.tools.grep import Grep
from planmode.agent.tools.read import Read
from planmode.agent.tools.reply_to_comment import ReplyToComment
from planmode.agent.tools.task_list import TaskList
from planmode.agent.tools.task_output import TaskOutput
from planmode.agent.tools.task_stop import TaskStop
from planmode.agent.tools.todo_list import TodoList
from planmode.agent.tools.write import Write
from planmode.core.presets import PlanModeConfig
from planmode.core.wire import clean

_TOOLS: Final[tuple[Tool[Any], ...]] = (
    Read(),
    Glob(),
    Grep(),
    Write(),
    Edit(),
    Bash(),
    TaskList(),
    TaskOutput(),
    TaskStop(),
    Agent(),
    AskUserQuestion(),
    TodoList(),
    ReplyToComment(),
    CronCreate(),
    CronList(),
    CronDelete(),
    EnterPlanMode(),
    ExitPlanMode(),
)
TOOLS: Final[Mapping[str, Tool[Any]]] = {tool.name: tool for tool in _TOOLS}
"""In the order in which the model is told of them, which never depends on the session."""

_WITH_PLAN: Final[Mapping[str, Tool[Any]]] = {**TOOLS, "ExitPlanMode": ExitPlanModeWithPlan()}


def tools_of(config: PlanModeConfig, outside: Iterable[Tool[Any]] = ()) -> Mapping[str, Tool[Any]]:
    """Return the tools of one kind of session: our own, then those of ``outside``."""
    own = _WITH_PLAN if config.source == "argument" else TOOLS
    return {**own, **{tool.name: tool for tool in outside}}


DEEPEST: Final = 16
_MOST_REASONS: Final = 20
_LONGEST_REASON: Final = 200


class ArgumentsInvalidError(Exception):
    """Arguments that the tool can't take: one line of JSON pointer and reason for each fault."""


def parse(tool: Tool[Any], args_json: str) -> Arguments:
    """Return the arguments of a call, from the text that the model sent.

    Nothing at all counts as ``{}``: some providers send that for a tool without arguments.

    Raises:
        ArgumentsInvalidError: it is no JSON object, holds a key twice, text that no file or
            database can keep, or nests too deep; or it is not what the tool declares.
    """
    value = _object(args_json if args_json.strip() else "{}")
    faults = list(_unkeepable(value, "", 0))
    if faults:
        raise _invalid(faults)
    try:
        # Dumped once more, so that only one parser's reading of the text is ever used.
        parsed: Arguments = tool.arguments.model_validate_json(json.dumps(value))
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise _invalid((_pointer(item["loc"]), item["msg"]) for item in found) from error
    return parsed


def _object(args_json: str) -> dict[str, Any]:
    try:
        value = json.loads(args_json, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError as error:
        raise _invalid([("", "nests too deep")]) from error
    except ValueError as error:
        raise _invalid([("", f"is not strict JSON: {error}")]) from error
    if not isinstance(value, dict):
        raise _invalid([("", "must be a JSON object")])
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _unkeepable(value: object, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield what no tool could do anything with, wherever it stands."""
    if depth > DEEPEST:
        yield "", "nests too deep"
        return
    match value:
        case str() if clean(value) != value:
            yield pointer, "holds a NUL character or half a surrogate pair"
        case dict():
            for key, item in value.items():
                yield from _unkeepable(key, pointer, depth + 1)
                yield from _unkeepable(item, pointer + _pointer((key,)), depth + 1)
        case list():
            for number, item in enumerate(value):
                yield from _unkeepable(item, f"{pointer}/{number}", depth + 1)
        case _:
            pass


def _pointer(location: tuple[int | str, ...]) -> str:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in location)
    return "".join(f"/{part}" for part in parts)


def _invalid(faults: Iterable[tuple[str, str]]) -> ArgumentsInvalidError:
    lines = [_line(pointer, reason) for pointer, reason in faults]
    more = len(lines) - _MOST_REASONS
    shown = lines[:_MOST_REASONS] + ([f"(and {more} more)"] if more > 0 else [])
    return ArgumentsInvalidError("\n".join(shown))


def _line(pointer: str, reason: str) -> str:
    """Return one fault in one line; the whole of the arguments is shown as "/"."""
    line = f"{(pointer or '/')[:_LONGEST_REASON]} {reason[:_LONGEST_REASON]}"
    return " ".join(clean(line).split())
