"""The seam to pydantic-ai: its messages, its replies, its errors."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from pydantic_ai import exceptions as failures
from pydantic_ai import messages as wire
from pydantic_ai.direct import model_request
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from planmode.agent.contracts import ModelFailureError, ModelReply, ModelRequest, ToolSpec
from planmode.agent.models import loops
from planmode.core.attachments import BINARY
from planmode.core.calls import ToolCall
from planmode.core.events import Attachment
from planmode.core.view import AssistantMessage, Message, ToolMessage, UserMessage
from planmode.core.wire import clean
from prompts.rendering import escaped, framed, render

MAX_REPLY_CHARS: Final = 4 * 1024 * 1024
MAX_CALLS: Final = 64
"""Tool calls of one reply; each of them is judged and run, one after the other."""
MAX_ARGS_CHARS: Final = 1536 * 1024
"""Of one call: a file of 1 MiB, escaped."""
MAX_ID_CHARS: Final = 120
_ROOM: Final = 10
MAX_DETAIL_CHARS: Final = 500

_KINDS: Final[tuple[tuple[type[Exception], str, str], ...]] = (
    (failures.ModelRateLimitError, "rate_limit", ""),
    (failures.ModelRequestTimeout, "timeout", ""),
    (failures.ModelTimeoutError, "timeout", ""),
    (TimeoutError, "timeout", ""),
    (
        failures.ModelNotFoundError,
        "unknown_model",
        "The provider knows no such model (or its base URL is wrong): ",
    ),
    (
        failures.ModelAuthenticationError,
        "refused",
        "The provider does not accept the key that the workers have for it: ",
    ),
    (failures.ModelQuotaExceededError, "refused", "The provider's quota is used up: "),
    (failures.ModelRequestRejectedError, "refused", ""),
    (failures.ContentFilterError, "refused", ""),
    (failures.UserError, "refused", ""),
)
"""Class, kind, and what to say first. The first class that fits decides."""

_KIND_OF_STATUS: Final = {408: "timeout", 409: "error", 425: "error", 429: "rate_limit"}
_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
_SECRET: Final = re.compile(
    r"""\b(?:sk|pk|rk|gsk|xai|hf|nvapi|ghp|AIza|AKIA)[-_A-Z0-9][-\w.*]{5,}  # by its beginning
    | (?<=Bearer\s)\S+
    | (?<=://)[^\s/@]+(?=@)                                                # user:password
    | \b(?=\w*\d)(?=\w*[A-Za-z])\w{32,}\b                                  # by its length""",
    re.VERBOSE,
)
_MASK: Final = "***"


def ask(name: str, request: ModelRequest, *, timeout_s: float) -> ModelReply:
    """Return the reply of the model that pydantic-ai knows as ``name``.

    Blocks for at most ``timeout_s``.

    Raises:
        ModelFailureError: there is none.
    """
    conversation = list(_conversation(request))
    tools = ModelRequestParameters(function_tools=[_definition(tool) for tool in request.tools])
    options = _options(timeout_s)

    async def answered(loop: loops.ThreadLoop) -> wire.ModelResponse:
        model = await loop.client(name, partial(_model, name))
        return await model_request(
            model, conversation, model_settings=options, model_request_parameters=tools
        )

    try:
        response = loops.run(answered)
    except ModelFailureError:
        raise
    except Exception as error:  # noqa: BLE001 - the clients trip over odd answers in any way
        # From None: the provider's error quotes the request and parts of keys, and goes into logs.
        raise _failure(error) from None
    return _reply(response, name, {call.id for call in _calls_of(request.messages)})


def _options(timeout_s: float) -> ModelSettings:
    return ModelSettings(
        timeout=timeout_s,
        request_timeout=timeout_s,
        max_retries=0,  # the turn retries, where people can see it
        cache=True,  # the next request begins with the same bytes
    )


def _model(name: str) -> Model:
    """Return a client for ``name``, with address and key from the environment.

    Raises:
        ModelFailureError: unknown_model, or key_missing with what to set.
    """
    try:
        return infer_model(name)
    except Exception as error:  # noqa: BLE001 - each client has its own for "no key"
        missing = re.findall(r"`([A-Z][A-Z0-9_]+)`", str(error))
        if missing:
            advice = f"{name} needs {' or '.join(missing)} in the environment of the workers"
            raise ModelFailureError("key_missing", _masked(advice)) from None
        raise ModelFailureError(
            "unknown_model", _masked(f"{name} can't be used: {error}")
        ) from None


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema)
    )


def _conversation(request: ModelRequest) -> Iterator[wire.ModelMessage]:
    """Yield the messages; what was said to the model in a row is one, as providers demand."""
    said: list[wire.ModelRequestPart] = []
    for message in request.messages:
        match message:
            case UserMessage() | ToolMessage():
                said.append(_said(message, request.files))
            case AssistantMessage(text="", calls=()):
                pass  # no provider takes an empty message
            case AssistantMessage():
                yield _request(said, request.system)
                said = []
                yield _replied(message)
    yield _request(said, request.system)


def _request(parts: list[wire.ModelRequestPart], system: str) -> wire.ModelRequest:
    return wire.ModelRequest(parts=parts, instructions=system or None)


def _said(message: UserMessage | ToolMessage, files: Mapping[str, bytes]) -> wire.ModelRequestPart:
    match message:
        case UserMessage(text=text, attachments=()):
            return wire.UserPromptPart(content=text)
        case UserMessage(text=text, attachments=attachments):
            content = [part for item in attachments for part in _enclosed(item, files)]
            return wire.UserPromptPart(content=[*content, text] if text else content)
        case ToolMessage():
            return wire.ToolReturnPart(
                tool_name=message.name,
                content=message.text,
                tool_call_id=message.call_id,
                outcome="failed" if message.is_error else "success",
            )


def _enclosed(item: Attachment, files: Mapping[str, bytes]) -> list[wire.UserContent]:
    """Return the file as the provider takes it: images and PDF as they are, texts as text."""
    name = escaped(item.name)
    content = files.get(item.sha256)
    if content is None:
        return [render("messages/file_damaged", name=name)]
    if item.media_type in BINARY:
        picture = wire.BinaryContent(data=content, media_type=item.media_type)
        return [render("messages/file", name=name), picture]
    return [framed(content.decode("utf-8", "replace"), f"file {item.name}")]


def _replied(message: AssistantMessage) -> wire.ModelResponse:
    parts: list[wire.ModelResponsePart] = []
    if message.text:
        parts.append(wire.TextPart(content=message.text))
    parts += [
        wire.ToolCallPart(tool_name=call.name, args=call.args, tool_call_id=call.id)
        for call in message.calls
    ]
    return wire.ModelResponse(parts=parts)


def _calls_of(messages: Iterable[Message]) -> Iterator[ToolCall]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from message.calls


def _reply(response: wire.ModelResponse, name: str, taken: set[str]) -> ModelReply:
    """Return what ``response`` says; no call has an id that is in ``taken``.

    Raises:
        ModelFailureError: the reply is too large, or was withheld by the provider.
    """
    text = clean(response.text or "")
    if len(response.tool_calls) > MAX_CALLS:
        asked = len(response.tool_calls)
        raise ModelFailureError("error", f"The reply has {asked} tool calls, over {MAX_CALLS}")
    calls = tuple(_call(part, taken) for part in response.tool_calls)
    _check_size(text, [len(call.args) for call in calls])
    if response.finish_reason == "content_filter" and not text and not calls:
        raise ModelFailureError("refused", "The provider's content filter withheld the reply")
    return ModelReply(
        text=text,
        calls=calls,
        model=clean(response.model_name or name),
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
    )


def _check_size(text: str, args: list[int]) -> None:
    if len(text) + sum(args) > MAX_REPLY_CHARS:
        raise ModelFailureError("error", f"The reply is over {MAX_REPLY_CHARS} characters")
    if max(args, default=0) > MAX_ARGS_CHARS:
        raise ModelFailureError("error", f"A tool call is over {MAX_ARGS_CHARS} characters")


def _call(part: wire.ToolCallPart, taken: set[str]) -> ToolCall:
    """Return the call under an id of its own: some providers send none, or count anew each time."""
    wanted = _short(clean(part.tool_call_id) or "call")
    unique, count = wanted, 1
    while unique in taken:
        count += 1
        unique = f"{wanted}-{count}"
    taken.add(unique)
    args = (
        part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    )
    return ToolCall(unique, clean(part.tool_name), clean(args) or "{}")


def _short(call_id: str) -> str:
    """Return ``call_id``, or its beginning and its hash: all rows have room for what is left.

    Some room stays for the number that tells it from another call's.
    """
    if len(call_id) <= MAX_ID_CHARS - _ROOM:
        return call_id
    digest = hashlib.sha256(call_id.encode()).hexdigest()[:32]
    return f"{call_id[: MAX_ID_CHARS - _ROOM - len(digest) - 1]}-{digest}"


def _failure(error: Exception) -> ModelFailureError:
    """Return what a failed call means; what no class tells is worth another try."""
    detail = str(error)
    for cls, kind, advice in _KINDS:
        if isinstance(error, cls):
            return ModelFailureError(kind, _masked(advice + detail))
    if isinstance(error, failures.ModelHTTPError):
        return ModelFailureError(_kind_of_status(error.status_code), _masked(detail))
    if not isinstance(error, failures.AgentRunError):
        detail = f"{type(error).__name__}: {detail}"
    return ModelFailureError("error", _masked(detail))


def _kind_of_status(status: int) -> str:
    rest = "refused" if 400 <= status < 500 else "error"  # noqa: PLR2004 - HTTP's
    return _KIND_OF_STATUS.get(status, rest)


def _masked(detail: str) -> str:
    """Return ``detail`` for people's eyes: short, and without anything that looks like a key."""
    for name, value in os.environ.items():
        if len(value) >= 8 and _SECRET_NAME.search(name):  # noqa: PLR2004 - no key is shorter
            detail = detail.replace(value, _MASK)
    return clean(_SECRET.sub(_MASK, detail))[:MAX_DETAIL_CHARS]
