"""What can happen in a session: immutable facts, one class each."""

from dataclasses import dataclass
from enum import StrEnum

from planmode.core.calls import ToolCall
from planmode.core.options import PlanOption
from planmode.core.outcomes import Closure, Outcome
from planmode.core.permission import PermissionMode


class Origin(StrEnum):
    """Who speaks in a message of role *user*."""

    USER = "user"
    CRON_JOB = "cron_job"
    INJECTION = "injection"


class TurnState(StrEnum):
    """Where a turn stands."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing will follow in this turn."""
        return self not in {TurnState.QUEUED, TurnState.RUNNING, TurnState.WAITING}


class Verdict(StrEnum):
    """Why a tool call has the result it has."""

    RAN = "ran"
    DENIED = "denied"
    REFUSED = "refused"  # a person said no
    INVALID = "invalid"
    SKIPPED = "skipped"
    INTERRUPTED = "interrupted"


class ReminderKind(StrEnum):
    """Which text of a reminder was given; each has its own ``.md``."""

    FULL = "full"
    SPARSE = "sparse"
    REENTRY = "reentry"
    EXIT = "exit"
    INLINE_FULL = "inline_full"
    INLINE_SPARSE = "inline_sparse"
    INLINE_REENTRY = "inline_reentry"


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """One question to a person; ``choices`` may be empty (free text)."""

    text: str
    choices: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One line of the agent's own list."""

    text: str
    status: str


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """An agent was put to work on a workspace."""

    project: str
    workspace: str
    model: str
    preset: str
    permission_mode: PermissionMode
    owner: int


@dataclass(frozen=True, slots=True)
class MessagePosted:
    """Somebody said something to the agent; ``author`` is a user id."""

    text: str
    author: int | None = None
    origin: Origin = Origin.USER


@dataclass(frozen=True, slots=True)
class TurnQueued:
    """A turn is due; ``number`` counts the session's turns from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class StepStarted:
    """One model call begins: it sees everything that the log held before."""

    number: int


@dataclass(frozen=True, slots=True)
class ModelReplied:
    """The model answered; ``mark`` is the provider's own bookmark (scripted models use it)."""

    text: str
    calls: tuple[ToolCall, ...]
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ModelFailed:
    """One attempt to ask the model failed; ``kind`` as in ``agent.contracts.ModelFailureError``."""

    kind: str
    detail: str
    retry_in_ms: int | None


@dataclass(frozen=True, slots=True)
class ReminderInjected:
    """A reminder was put before the next model call; ``plan_id`` is what it spoke of."""

    variant: str
    kind: ReminderKind
    text: str
    plan_id: str | None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool begins to run."""

    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The one result of a tool call."""

    call_id: str
    name: str
    text: str
    verdict: Verdict = Verdict.RAN
    is_error: bool = False
    stops_turn: bool = False
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A tool call waits for a person's yes; ``summary`` is a line, ``args`` the whole of it."""

    approval: str
    call_id: str
    name: str
    summary: str
    args: str


@dataclass(frozen=True, slots=True)
class ApprovalResolved:
    """A person allowed or refused a tool call."""

    approval: str
    allow: bool
    note: str
    by: int


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The agent asks a person."""

    question: str
    call_id: str
    items: tuple[QuestionItem, ...]


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """A person answered, one text for each item."""

    question: str
    answers: tuple[str, ...]
    by: int


@dataclass(frozen=True, slots=True)
class PlanModeEntered:
    """From here on only the plan file may change."""

    plan_id: str
    previous_mode: PermissionMode


@dataclass(frozen=True, slots=True)
class PlanModeExited:
    """Plan mode ended by a decision; ``cause`` is the outcome.

    ``note`` says why ``restored_mode`` is another mode than the one before.
    """

    plan_id: str
    restored_mode: PermissionMode
    cause: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlanModeCancelled:
    """Plan mode ended without a decision."""

    plan_id: str
    restored_mode: PermissionMode


@dataclass(frozen=True, slots=True)
class PlanFileWritten:
    """The plan file holds other bytes now; ``size`` in bytes."""

    plan_id: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class PlanRevisionRecorded:
    """The plan file's bytes were kept as an immutable revision.

    ``version`` counts from 1; ``sha256`` is lower-case hex; ``size`` is in bytes.
    """

    plan_id: str
    version: int
    key: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class PlanSubmitted:
    """A review is open; ``review`` is the card's id, ``revision`` the id of the bytes."""

    review: str
    call_id: str
    revision: str
    plan_id: str
    version: int
    sha256: str
    title: str
    options: tuple[PlanOption, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanResolved:
    """A review has its outcome; ``by`` is ``None`` when no person decided."""

    review: str
    outcome: Outcome
    option: str = ""
    feedback: str = ""
    reason: str = ""
    start: bool = True
    by: int | None = None


@dataclass(frozen=True, slots=True)
class PlanReviewClosed:
    """A review ended without a decision."""

    review: str
    how: Closure


@dataclass(frozen=True, slots=True)
class TodoListWritten:
    """The agent's own list has new contents."""

    items: tuple[TodoItem, ...]


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The agent stopped; ``state`` is done, stopped, failed or cancelled."""

    number: int
    state: TurnState
    reason: str = ""
    detail: str = ""


Event = (
    SessionStarted
    | MessagePosted
    | TurnQueued
    | StepStarted
    | ModelReplied
    | ModelFailed
    | ReminderInjected
    | ToolStarted
    | ToolFinished
    | ApprovalRequested
    | ApprovalResolved
    | QuestionAsked
    | QuestionAnswered
    | PlanModeEntered
    | PlanModeExited
    | PlanModeCancelled
    | PlanFileWritten
    | PlanRevisionRecorded
    | PlanSubmitted
    | PlanResolved
    | PlanReviewClosed
    | TodoListWritten
    | TurnEnded
)
