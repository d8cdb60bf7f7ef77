"""A model that plays a file of replies: no key, no network."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import ErrorDetails

from planmode.agent.contracts import ModelFailureError, ModelReply, ModelRequest
from planmode.core.calls import ToolCall
from planmode.core.outcomes import Outcome
from planmode.core.profiles import CHILDREN, MAIN
from planmode.core.view import AssistantMessage, Message, ToolMessage, UserMessage
from planmode.core.wire import clean

MAX_SCRIPT_BYTES: Final = 1024 * 1024
MAX_LATENCY_MS: Final = 60_000
CHARACTERS_PER_TOKEN: Final = 4
_PLAN_FILE: Final = "${plan_file}"
_SHOWN_MISTAKES: Final = 5
_WORDS: Final[Mapping[str, str]] = {
    "extra_forbidden": "unknown key",
    "missing": "missing",
    "model_type": "expected keys with values",
}


def _outcomes(value: object) -> frozenset[Outcome]:
    words = [value] if isinstance(value, str) else value
    known = ", ".join(Outcome)
    if not isinstance(words, list) or not words:
        raise ValueError(f"give one of {known}, or a list of them")
    unknown = [word for word in words if word not in set(Outcome)]
    if unknown:
        raise ValueError(f"not among {known}")
    return frozenset(Outcome(word) for word in words)


def _json_values(args: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(args, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError("JSON has no such value; put dates and the like in quotes") from None
    return args


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Call(_Strict):
    name: str = Field(min_length=1, max_length=200)
    args: Annotated[dict[str, Any], AfterValidator(_json_values)] = Field(default_factory=dict)


class _Fail(_Strict):
    kind: Literal["timeout", "rate_limit", "error"]
    times: int = Field(default=1, ge=1)


class Reply(_Strict):
    """One reply of a script; docs/scripted-model.md says what each key means."""

    text: str = ""
    tool_calls: list[_Call] = Field(default_factory=list)
    after: Annotated[frozenset[Outcome], BeforeValidator(_outcomes)] | None = None
    repeat: int = Field(default=1, ge=1)
    latency_ms: int = Field(default=0, ge=0, le=MAX_LATENCY_MS)
    fail: _Fail | None = None

    def fits(self, used: int, last_outcome: Outcome | None) -> bool:
        """Return whether this reply may be given, having been given ``used`` times."""
        return used < self.repeat and (self.after is None or last_outcome in self.after)


def _profiles(agents: dict[str, list[Reply]]) -> dict[str, list[Reply]]:
    if not set(agents) <= set(CHILDREN):
        raise ValueError(f"name profiles: {', '.join(CHILDREN)}")
    return agents


class Script(_Strict):
    """A file of replies; ``agents`` holds those of child agents, by their profile's name."""

    replies: list[Reply] = Field(min_length=1)
    agents: Annotated[dict[str, list[Reply]], AfterValidator(_profiles)] = Field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """Plays ``script``: what it says next depends on the log alone, never on earlier calls."""

    name: str
    script: Script

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the first unused reply that fits the newest review's outcome.

        Raises:
            ModelFailureError: no reply is left (script_exhausted), or the reply is to fail first.
        """
        number, reply = self._next(request)
        if reply.latency_ms:
            threading.Event().wait(reply.latency_ms / 1000)
        if reply.fail is not None and request.failures < reply.fail.times:
            raise ModelFailureError(
                reply.fail.kind, f"{self.name}: reply {number} is written to fail"
            )
        calls = _calls(reply, f"call-{number}-{_used(request, number)}", request.plan_file)
        text = clean(reply.text)
        return ModelReply(
            text=text,
            calls=calls,
            model=self.name,
            input_tokens=_tokens(request.system, *map(_spoken, request.messages)),
            output_tokens=_tokens(text, *(call.args for call in calls)),
            mark=str(number),
        )

    def _next(self, request: ModelRequest) -> tuple[int, Reply]:
        for number, reply in enumerate(self._replies(request.profile)):
            if reply.fits(_used(request, number), request.last_outcome):
                return number, reply
        last = "no review was resolved" if request.last_outcome is None else request.last_outcome
        raise ModelFailureError(
            "script_exhausted",
            f"{self.name} has no reply left {_whose(request.profile)}(last outcome: {last}); "
            "add one to the script",
        )

    def _replies(self, profile: str) -> list[Reply]:
        if profile == MAIN:
            return self.script.replies
        return self.script.agents.get(profile, [])


def open_script(path: Path) -> ScriptedModel:
    """Return the model that plays the file at ``path``.

    Raises:
        ModelFailureError: script_invalid; the message says what is wrong and where. It never
            quotes the file's values: whoever names a path need not be allowed to read it.
    """
    try:
        status = path.stat()
        if not path.is_file():  # a pipe would block, a device would not end
            raise _invalid(path, "this is not a file")
        script = _loaded(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise _invalid(path, error.strerror or "not readable") from None
    except UnicodeDecodeError:
        raise _invalid(path, "this is not UTF-8 text") from None
    return ScriptedModel(f"scripted:{clean(path.name)}", script)


def _invalid(path: Path, reason: str) -> ModelFailureError:
    return ModelFailureError("script_invalid", f"The script {clean(str(path))}: {reason[:1000]}")


@lru_cache(maxsize=64)
def _loaded(path: Path, mtime_ns: int, size: int) -> Script:  # noqa: ARG001 - part of the key
    with path.open("rb") as file:
        content = file.read(MAX_SCRIPT_BYTES + 1)
    if len(content) > MAX_SCRIPT_BYTES:
        raise _invalid(path, f"it is larger than {MAX_SCRIPT_BYTES} bytes")
    try:
        return Script.model_validate(_parsed(path, content.decode()))
    except ValidationError as error:
        raise _invalid(path, _mistakes(error)) from None


class _Loader(yaml.SafeLoader):
    """SafeLoader without aliases: a few lines of them stand for more values than memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - the base class's signature
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not allowed", mark)
        return super().compose_node(parent, index)


def _parsed(path: Path, text: str) -> object:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - _Loader is a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _invalid(path, f"line {line}: {error.problem or error.context}") from None
    except yaml.YAMLError:
        raise _invalid(path, "it holds characters that YAML does not allow") from None
    except RecursionError:
        raise _invalid(path, "it is nested too deeply") from None
    except (AttributeError, KeyError, TypeError, ValueError):  # PyYAML, of a "2024-13-01"
        raise _invalid(path, "it holds a date or number that is none; put it in quotes") from None


def _mistakes(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)
    told = [_mistake(one) for one in found[:_SHOWN_MISTAKES]]
    if len(found) > _SHOWN_MISTAKES:
        told.append(f"and {len(found) - _SHOWN_MISTAKES} more")
    return "; ".join(told)


def _mistake(found: ErrorDetails) -> str:
    """Return one mistake with the number of its reply: ``reply 3, tool_calls.0: ...``."""
    match found["loc"]:
        case ("replies", int(number), *rest):
            place = [f"reply {number}"]
        case ("agents", str(agent), int(number), *rest):
            place = [f"agent {agent}", f"reply {number}"]
        case whole:
            place, rest = [], list(whole)
    if rest:
        place.append(".".join(map(str, rest)))
    what = _WORDS.get(found["type"], found["msg"].removeprefix("Value error, "))
    return f"{', '.join(place) or 'top level'}: {what}"


def _whose(profile: str) -> str:
    return "" if profile == MAIN else f"for an agent of the profile {profile} "


def _used(request: ModelRequest, number: int) -> int:
    return request.marks.get(str(number), 0)


def _calls(reply: Reply, prefix: str, plan_file: str) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(f"{prefix}-{index}", clean(call.name), clean(_args(call.args, plan_file)))
        for index, call in enumerate(reply.tool_calls)
    )


def _args(args: Mapping[str, Any], plan_file: str) -> str:
    return json.dumps(_filled(args, plan_file), ensure_ascii=False)


def _filled(value: Any, plan_file: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return ``value`` with the plan file's path in each of its strings."""
    match value:
        case str():
            return value.replace(_PLAN_FILE, plan_file)
        case list():
            return [_filled(item, plan_file) for item in value]
        case dict():
            return {key: _filled(item, plan_file) for key, item in value.items()}
        case _:
            return value


def _spoken(message: Message) -> str:
    match message:
        case UserMessage(text=text) | ToolMessage(text=text):
            return text
        case AssistantMessage(text=text, calls=calls):
            return text + "".join(call.args for call in calls)


def _tokens(*texts: str) -> int:
    """Return an estimate, rounded up: a script has no tokenizer."""
    return -(-sum(map(len, texts)) // CHARACTERS_PER_TOKEN)
