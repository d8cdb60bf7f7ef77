"""A model server on this machine: plays answers, records requests."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

LONGEST_HOLD_S: Final = 60
INPUT_TOKENS: Final = 11
OUTPUT_TOKENS: Final = 7

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that an answer holds; without ``id`` the stub makes one."""

    name: str
    args: Mapping[str, Any] | str
    id: str | None = None

    @property
    def args_json(self) -> str:
        """The arguments as JSON text; a string is sent as it is, however broken."""
        return self.args if isinstance(self.args, str) else json.dumps(self.args)


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str = ""
    calls: tuple[Call, ...] = ()
    status: int = 200
    raw: bytes | None = None
    holds: bool = False


class ModelStub:
    """Speaks OpenAI's chat completions and responses, and Anthropic's messages.

    It streams where it is asked to, with Anthropic only: pydantic-ai has the newer Claude models
    stream, whatever its caller wants. Answers are given in the order in which they were queued,
    whatever the request is; where none is left, the request is refused (400).
    """

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self._answers: deque[_Answer] = deque()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._play))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def openai_url(self) -> str:
        """What OPENAI_BASE_URL must be."""
        return f"{self.anthropic_url}/v1"

    @property
    def anthropic_url(self) -> str:
        """What ANTHROPIC_BASE_URL must be."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, text: str = "", *calls: Call) -> None:
        """Queue a reply of that text and those tool calls."""
        self._answers.append(_Answer(text=text, calls=calls))

    def fail(self, status: int, message: str = "made to fail") -> None:
        """Queue an error."""
        self._answers.append(_Answer(text=message, status=status))

    def garble(self, raw: bytes) -> None:
        """Queue a 200 whose body is ``raw``, said to be JSON."""
        self._answers.append(_Answer(raw=raw))

    def hang(self) -> None:
        """Queue silence: no answer until the stub closes."""
        self._answers.append(_Answer(holds=True))

    def _play(self, received: Received) -> tuple[int, bytes]:
        self.requests.append(received)
        left = self._answers.popleft() if self._answers else None
        answer = left or _Answer(text="the stub has no answer left", status=400)
        if answer.holds:
            self._closing.wait(LONGEST_HOLD_S)
        if answer.raw is not None:
            return 200, answer.raw
        body = _body(received, answer, len(self.requests))
        if received.body.get("stream") and answer.status == 200:
            return 200, b"".join(map(_event, _streamed(body)))
        return answer.status, json.dumps(body).encode()


def _handler(play: Callable[[Received], tuple[int, bytes]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, body = play(Received(self.path, headers, json.loads(content)))
            try:
                self.send_response(status)
                kind = "text/event-stream" if body.startswith(b"event:") else "application/json"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True  # the client gave up waiting

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            """Keep the tests' output quiet."""

    return Handler


def _body(received: Received, answer: _Answer, number: int) -> Json:
    if answer.status != 200:
        kind = {"type": "invalid_request_error", "message": answer.text}
        return {"type": "error", "error": kind}
    ids = [call.id or f"call_{number}_{index}" for index, call in enumerate(answer.calls)]
    model = received.body["model"]
    match received.path:
        case "/v1/chat/completions":
            return _chat_completion(model, answer, ids)
        case "/v1/responses":
            return _response(model, answer, ids)
        case "/v1/messages" | "/v1/messages?beta=true":
            return _message(model, answer, ids)
        case path:
            raise AssertionError(f"the stub does not speak {path}")


def _chat_completion(model: str, answer: _Answer, ids: list[str]) -> Json:
    calls = [
        {
            "id": id_,
            "type": "function",
            "function": {"name": call.name, "arguments": call.args_json},
        }
        for id_, call in zip(ids, answer.calls, strict=True)
    ]
    message = {"role": "assistant", "content": answer.text or None, "tool_calls": calls or None}
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [choice],
        "usage": {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        },
    }


def _response(model: str, answer: _Answer, ids: list[str]) -> Json:
    said = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": answer.text, "annotations": []}],
    }
    calls = [
        {
            "type": "function_call",
            "id": f"fc_{id_}",
            "call_id": id_,
            "name": call.name,
            "arguments": call.args_json,
            "status": "completed",
        }
        for id_, call in zip(ids, answer.calls, strict=True)
    ]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "model": model,
        "output": [*([said] if answer.text else []), *calls],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": INPUT_TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        },
    }


def _message(model: str, answer: _Answer, ids: list[str]) -> Json:
    said = [{"type": "text", "text": answer.text}] if answer.text else []
    calls = [
        {"type": "tool_use", "id": id_, "name": call.name, "input": json.loads(call.args_json)}
        for id_, call in zip(ids, answer.calls, strict=True)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [*said, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _streamed(message: Json) -> Iterator[Json]:
    """Yield a message of Anthropic's as the events that build it."""
    empty: Json = {"content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**message, **empty}}
    for index, block in enumerate(message["content"]):
        start, delta = _begun(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": OUTPUT_TOKENS}}
    yield {"type": "message_stop"}


def _begun(block: Json) -> tuple[Json, Json]:
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    whole = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": whole}


def _event(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
