"""A model that tests listen to, and that lets things happen meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass, field

from planmode.agent.contracts import ModelReply, ModelRequest
from planmode.core import events as ev
from planmode.core.calls import ToolCall
from planmode.core.view import UserMessage


@dataclass(slots=True)
class Listener:
    """A model that keeps what it was sent, and lets something happen while it thinks."""

    replies: list[ModelReply]
    meanwhile: Callable[[], object] | None = None
    requests: list[ModelRequest] = field(default_factory=list)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the next reply; what happens meanwhile happens in the first call."""
        self.requests.append(request)
        happening, self.meanwhile = self.meanwhile, None
        if happening is not None:
            happening()
        return self.replies.pop(0)

    def heard(self, number: int) -> list[str]:
        """Return what people had said in request ``number``."""
        return [
            message.text
            for message in self.requests[number].messages
            if isinstance(message, UserMessage) and message.origin is ev.Origin.USER
        ]


def reply(text: str, *calls: ToolCall) -> ModelReply:
    """Return a reply of the model."""
    return ModelReply(text, calls, "listener")
