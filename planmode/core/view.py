"""What the model is sent for one call, compiled from the log."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from planmode.core import events as ev
from planmode.core.calls import ToolCall


@dataclass(frozen=True, slots=True)
class UserMessage:
    """Something said to the model: by a person, or injected by us."""

    text: str
    origin: ev.Origin
    seq: int


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """The model's own reply."""

    text: str
    calls: tuple[ToolCall, ...]
    seq: int


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """A tool call's result."""

    call_id: str
    name: str
    text: str
    is_error: bool
    seq: int


Message = UserMessage | AssistantMessage | ToolMessage


@dataclass(slots=True)
class _Transcript:
    """Messages in an order that every provider accepts; ``cut_text`` answers a cancelled call.

    A user message is held back while a step's reply is under way (the model did not see it) and
    while calls have no result (nothing may stand between a call and its results).
    """

    cut_text: str
    messages: list[Message] = field(default_factory=list)
    held: list[UserMessage] = field(default_factory=list)
    open_calls: dict[str, str] = field(default_factory=dict)
    asking: bool = False

    def hear(self, message: UserMessage) -> None:
        (self.held if self.asking or self.open_calls else self.messages).append(message)

    def begin(self) -> None:
        """Start a model call, which sees all before it, also what a lost attempt held back."""
        self.asking = False
        self.settle()
        self.asking = True

    def reply(self, seq: int, event: ev.ModelReplied) -> None:
        self.asking = False
        self.messages.append(AssistantMessage(event.text, event.calls, seq))
        self.open_calls = {call.id: call.name for call in event.calls}
        self.settle()

    def result(self, seq: int, event: ev.ToolFinished) -> None:
        self.open_calls.pop(event.call_id, None)
        self.messages.append(
            ToolMessage(event.call_id, event.name, event.text, event.is_error, seq)
        )
        self.settle()

    def settle(self) -> None:
        if not self.open_calls and not self.asking:
            self.messages += self.held
            self.held = []

    def cut(self, seq: int) -> None:
        """Close what a cancelled turn left open: each call needs a result."""
        self.asking = False
        for call_id, name in self.open_calls.items():
            self.messages.append(ToolMessage(call_id, name, self.cut_text, is_error=True, seq=seq))
        self.open_calls = {}
        self.settle()


def transcript(  # noqa: C901, PLR0912 - one arm for each event that speaks
    events: Iterable[ev.Event], *, cut_text: str
) -> tuple[Message, ...]:
    """Return the conversation that ``events`` (a whole log) tell: same log, same messages.

    ``cut_text`` is the result of a call whose turn was cancelled before it had one.
    """
    kept = _Transcript(cut_text)
    for seq, event in enumerate(events, start=1):
        match event:
            case ev.MessagePosted(text=text, origin=origin):
                kept.hear(UserMessage(text, origin, seq))
            case ev.ReminderInjected(text=text):
                kept.hear(UserMessage(text, ev.Origin.INJECTION, seq))
            case ev.StepStarted():
                kept.begin()
            case ev.ModelFailed():
                kept.asking = False
                kept.settle()
            case ev.ModelReplied():
                kept.reply(seq, event)
            case ev.ToolFinished():
                kept.result(seq, event)
            case ev.TurnEnded():
                kept.cut(seq)
            case _:
                pass
    return tuple(kept.messages)
