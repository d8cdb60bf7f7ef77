"""What a tool and a model have to offer, and what they are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from planmode.agent.sandbox import Sandbox
from planmode.agent.workspace import Reach
from planmode.core.calls import ToolCall
from planmode.core.errors import NoTurnError
from planmode.core.events import Event, QuestionItem
from planmode.core.failures import WORTH_RETRYING, Failure
from planmode.core.guard import NO_RULES, CallFacts
from planmode.core.options import PlanOption
from planmode.core.outcomes import Outcome
from planmode.core.profiles import MAIN
from planmode.core.rules import Effect, Rules, matching
from planmode.core.state import SessionState
from planmode.core.view import Message
from planmode.models import Claim

LONGEST_SUMMARY: Final = 500
"""Characters of what a person is told of a call."""
_KEPT: Final = 450


class Arguments(BaseModel):
    """A tool's arguments: strict, nothing beyond what is declared."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NoArguments(Arguments):
    """A tool that takes none."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use.

    ``reach`` is every file that it may touch; ``sandboxed`` says that a command of this call runs
    where it can't change anything. ``claim`` is that of the turn, ``call_id`` the call's.
    ``rules`` are the permission rules that count for the session.
    """

    reach: Reach
    state: SessionState
    sandbox: Sandbox
    sandboxed: bool = False
    claim: Claim | None = None
    call_id: str = ""
    rules: Rules = NO_RULES

    @property
    def hides_files(self) -> bool:
        """Whether a permission rule keeps some files from being read."""
        return any(
            rule.effect is Effect.DENY and rule.tool == "Read" and rule.pattern
            for rule in self.rules.rules
        )

    def hides(self, path: str) -> bool:
        """Return whether a rule denies to read ``path``: then no search may show it, either."""
        return self.hides_files and (
            matching(self.rules, "Read", (path,), understood=True) is Effect.DENY
        )

    @property
    def held(self) -> Claim:
        """The claim of the call's turn, for tools that write rows.

        Raises:
            NoTurnError: the call belongs to no turn.
        """
        if self.claim is None:
            raise NoTurnError("this call belongs to no session")
        return self.claim


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is told; ``events`` are written in the same transaction as the result.

    ``plan_bytes`` are the plan file's new contents, when the tool wrote it. ``source`` says whose
    words the text is when they are not the tool's own: it is framed then.
    """

    text: str
    is_error: bool = False
    stops_turn: bool = False
    events: tuple[Event, ...] = ()
    plan_bytes: bytes | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Asks:
    """The call waits for a person's answers; the turn parks."""

    items: tuple[QuestionItem, ...]


@dataclass(frozen=True, slots=True)
class Submits:
    """The plan is submitted with these options; what follows is the review's.

    ``plan`` is its text where the call carries it, ``None`` where it is read from the plan file.
    """

    options: tuple[PlanOption, ...] = ()
    plan: str | None = None


@dataclass(frozen=True, slots=True)
class Enters:
    """Plan mode is to be entered."""


@dataclass(frozen=True, slots=True)
class Spawns:
    """An agent of the ``profile`` gets the ``task``, and the call waits for its report.

    ``child`` is the session of one that has reported before, empty for a new one.
    """

    profile: str
    task: str
    child: str = ""


ToolOutcome = ToolResult | Asks | Submits | Enters | Spawns

A = TypeVar("A", bound=Arguments)


class Tool(Protocol, Generic[A]):
    """One thing that the model can do.

    ``name`` is what the model calls it, and the name of its text in prompts/tools. ``repeatable``
    says that running it twice changes nothing more than running it once.
    """

    name: str
    arguments: type[A]
    repeatable: bool

    def facts(self, args: A, context: ToolContext) -> CallFacts:
        """Return what the guard must know; may look at paths, changes nothing, never raises."""

    def summary(self, args: A) -> str:
        """Return one plain line (at most 500 characters) that tells a person what it would do."""

    def run(self, args: A, context: ToolContext) -> ToolOutcome:
        """Do it. What went wrong is a result with ``is_error``, never an exception."""


def summarized(line: str, *, size: int) -> str:
    """Return ``line`` as a summary may be; one that is cut says of how many characters, ``size``.

    Whoever allows the call shall see that there is more of it.
    """
    return line if len(line) <= LONGEST_SUMMARY else f"{line[:_KEPT]} … ({size} characters)"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model is told of it; ``schema`` is JSON Schema of the arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call.

    ``marks`` counts what the log says this session's model has used (bookmarks of replies),
    ``failures`` the failed attempts of this step, ``last_outcome`` how the newest review ended;
    ``plan_file`` is the plan file's absolute path, or empty, ``profile`` the agent's. Real
    providers ignore these five. ``files`` are the bytes of attachments by their sha256, as far as
    they can be read.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    marks: Mapping[str, int] = field(default_factory=dict)
    failures: int = 0
    last_outcome: Outcome | None = None
    plan_file: str = ""
    profile: str = MAIN
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What the model answered; tokens as the provider counts them."""

    text: str
    calls: tuple[ToolCall, ...]
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    mark: str = ""


class ModelFailureError(Exception):
    """A model call failed; ``kind`` is one of ``Failure``. The message never holds a key."""

    def __init__(self, kind: str, detail: str) -> None:
        """Keep what went wrong."""
        super().__init__(detail)
        self.kind = Failure(kind).value

    @property
    def worth_retrying(self) -> bool:
        """Whether the same call may succeed later."""
        return self.kind in WORTH_RETRYING


class ChatModel(Protocol):
    """A model that answers one request at a time."""

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the reply.

        Raises:
            ModelFailureError: there is none.
        """
