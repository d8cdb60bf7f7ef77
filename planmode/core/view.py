"""What the model is sent for one call, compiled from the log."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from planmode.core import events as ev
from planmode.core.calls import ToolCall


@dataclass(frozen=True, slots=True)
class UserMessage:
    """Something said to the model: by a person, or injected by us as ``variant``."""

    text: str
    origin: ev.Origin
    seq: int
    attachments: tuple[ev.Attachment, ...] = ()
    variant: ev.Variant | None = None


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

    def undo(self, to: int) -> None:
        """Forget event number ``to``, which began a turn, and all that came after it."""
        self.messages = [message for message in self.messages if message.seq < to]
        self.held, self.open_calls, self.asking = [], {}, False

    def compact(self, summary: UserMessage) -> None:
        """Let ``summary`` stand for all that was said so far."""
        self.messages = [summary]

    def only_newest(self, variant: ev.Variant) -> None:
        """Drop the reminders of ``variant`` that a later one of them replaces."""
        told = [m.seq for m in self.messages if isinstance(m, UserMessage) and m.variant == variant]
        stale = set(told[:-1])
        self.messages = [message for message in self.messages if message.seq not in stale]

    def cut(self, seq: int) -> None:
        """Close what a cancelled turn left open: each call needs a result."""
        self.asking = False
        for call_id, name in self.open_calls.items():
            self.messages.append(ToolMessage(call_id, name, self.cut_text, is_error=True, seq=seq))
        self.open_calls = {}
        self.settle()


def transcript(  # noqa: C901, PLR0912 - one arm for each event that speaks
    events: Iterable[ev.Event], *, cut_text: str, only_newest: Collection[ev.Variant] = ()
) -> tuple[Message, ...]:
    """Return the conversation that ``events`` (a whole log) tell: same log, same messages.

    ``cut_text`` is the result of a call whose turn was cancelled before it had one. Of the
    reminders of a variant in ``only_newest`` the last one alone is kept: by type, never by text.
    """
    kept = _Transcript(cut_text)
    for seq, event in enumerate(events, start=1):
        match event:
            case ev.MessagePosted(text=text, origin=origin, attachments=attachments):
                kept.hear(UserMessage(text, origin, seq, attachments))
            case ev.ReminderInjected(text=text, variant=variant):
                kept.hear(UserMessage(text, ev.Origin.INJECTION, seq, variant=variant))
            case ev.StepStarted():
                kept.begin()
            case ev.ModelFailed():
                kept.asking = False
                kept.settle()
            case ev.ModelReplied():
                kept.reply(seq, event)
            case ev.ToolFinished():
                kept.result(seq, event)
            case ev.TurnEnded() | ev.SessionForked():
                kept.cut(seq)
            case ev.ConversationUndone(to=to):
                kept.undo(to)
            case ev.ContextCompacted(summary=summary):
                kept.compact(UserMessage(summary, ev.Origin.INJECTION, seq))
            case _:
                pass
    for variant in only_newest:
        kept.only_newest(variant)
    return tuple(kept.messages)
