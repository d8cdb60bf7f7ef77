"""What can happen in a session: immutable facts, one class each."""

from dataclasses import dataclass
from enum import StrEnum

from planmode.core.calls import ToolCall
from planmode.core.options import PlanOption
from planmode.core.outcomes import Closure, Outcome
from planmode.core.permission import PermissionMode
from planmode.core.plansteps import PlanStep
from planmode.core.profiles import MAIN


class Origin(StrEnum):
    """Who speaks in a message of role *user*."""

    USER = "user"
    CRON_JOB = "cron_job"
    INJECTION = "injection"
    AGENT = "agent"  # the one that started this child

    @property
    def counts(self) -> bool:
        """Whether somebody asked for something: a person, now or by the clock."""
        return self in {Origin.USER, Origin.CRON_JOB}


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


class Variant(StrEnum):
    """What an injected message speaks of."""

    PLAN_MODE = "plan_mode"
    PLAN_REVIEW = "plan_review"  # how a review ended whose plan was the agent's reply
    PLAN_EXECUTION = "plan_execution"  # the approved plan, where the conversation lacks it
    PLAN_EDITED = "plan_edited"
    TURN_END = "turn_end"


class ReminderKind(StrEnum):
    """Which text of a reminder was given."""

    FULL = "full"
    SPARSE = "sparse"
    REENTRY = "reentry"
    EXIT = "exit"
    INLINE_FULL = "inline_full"
    INLINE_SPARSE = "inline_sparse"
    INLINE_REENTRY = "inline_reentry"
    ENTERED = "entered"  # one sentence, where the system text holds the instructions
    APPROVED_PLAN = "approved_plan"
    REVIEWED = "reviewed"
    UNSUBMITTED = "unsubmitted"
    OPEN_STEPS = "open_steps"
    PLAN_EDITED = "plan_edited"


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
class Attachment:
    """A file that came with a message; its bytes are the blob ``sha256``, ``size`` of them."""

    name: str
    media_type: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """An agent was put to work on a workspace.

    ``rules`` are the session's own permission rules; ``parent`` is the session whose agent started
    this one, which then is a child of the ``profile``.
    """

    project: str
    workspace: str
    model: str
    preset: str
    permission_mode: PermissionMode
    owner: int
    rules: tuple[str, ...] = ()
    parent: str = ""
    profile: str = MAIN


@dataclass(frozen=True, slots=True)
class SessionForked:
    """What stands before was copied from ``source``, whose log had it up to ``seq``.

    An open plan goes on under ``plan_id``, in a file of its own.
    """

    source: str
    seq: int
    plan_id: str | None
    by: int


@dataclass(frozen=True, slots=True)
class MessagePosted:
    """Somebody said something to the agent; ``author`` is a user id."""

    text: str
    author: int | None = None
    origin: Origin = Origin.USER
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationUndone:
    """A person took back event number ``to``, a message, and all that followed from it."""

    to: int
    by: int


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """The conversation so far was replaced by ``summary`` in what the model is sent."""

    summary: str


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
    """A reminder was put before the next model call; ``plan_id`` is what it spoke of.

    ``stops_turn``: it tells the outcome of a review after which the agent waits for the person.
    """

    variant: Variant
    kind: ReminderKind
    text: str
    plan_id: str | None
    stops_turn: bool = False


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool begins to run."""

    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The one result of a tool call; ``halt`` says why it stops the turn, if no review did."""

    call_id: str
    name: str
    text: str
    verdict: Verdict = Verdict.RAN
    is_error: bool = False
    stops_turn: bool = False
    duration_ms: int = 0
    halt: str = ""


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
class ChildStarted:
    """A call of the tool Agent waits for the session ``child``, which has a ``task``."""

    child: str
    call_id: str
    profile: str
    task: str


@dataclass(frozen=True, slots=True)
class ChildReported:
    """The child's turn ended in ``state``, for ``reason``; ``text`` is its last answer in it."""

    child: str
    text: str
    state: TurnState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PermissionModeRequested:
    """A person chose a mode that waits for the next step; ``None`` takes the choice back."""

    mode: PermissionMode | None
    by: int


@dataclass(frozen=True, slots=True)
class PermissionModeChanged:
    """Another permission mode is on; ``by`` is ``None`` when the breaker of ``auto`` did it."""

    mode: PermissionMode
    previous: PermissionMode
    by: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class AutoBreakerOpened:
    """Too many calls were refused in permission mode ``auto``: it is off for this session."""

    in_row: int
    total: int


@dataclass(frozen=True, slots=True)
class PlanModeRequested:
    """A person's choice that waits for the next step; ``None`` takes it back."""

    active: bool | None
    by: int


@dataclass(frozen=True, slots=True)
class PlanModeEntered:
    """From here on only the plan file may change.

    ``folder`` is where the plan file lies below the workspace, empty for the session's own folder;
    ``by`` is the person who chose plan mode, ``None`` when the agent did.
    """

    plan_id: str
    previous_mode: PermissionMode
    folder: str = ""
    by: int | None = None


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
    """Plan mode ended without a decision; ``note`` as in ``PlanModeExited``."""

    plan_id: str
    restored_mode: PermissionMode
    note: str = ""
    by: int | None = None


@dataclass(frozen=True, slots=True)
class PlanFileWritten:
    """The plan file holds other bytes now; ``size`` in bytes, ``by`` a person who edited it."""

    plan_id: str
    sha256: str
    size: int
    by: int | None = None


@dataclass(frozen=True, slots=True)
class PlanStepsListed:
    """The plan's steps, all of them, as they stand now."""

    steps: tuple[PlanStep, ...]


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
    """A review is open; ``review`` is the card's id, ``revision`` the id of the bytes.

    ``call_id`` is empty where the agent's reply itself is the plan. ``edited_by`` is the person
    who was the last to write into the plan, if it was not the agent.
    """

    review: str
    call_id: str
    revision: str
    plan_id: str
    version: int
    sha256: str
    title: str
    options: tuple[PlanOption, ...] = ()
    edited_by: int | None = None


@dataclass(frozen=True, slots=True)
class SentReply:
    """What somebody said to a comment; ``author`` is a user name, empty for the agent."""

    author: str
    text: str


@dataclass(frozen=True, slots=True)
class SentComment:
    """A reviewer's comment on its way to the agent.

    ``first_line`` and ``last_line`` are of the revision that was decided on, 0 for the whole plan;
    ``lost`` says that what it was about stands nowhere in it. ``quote`` is what it was about.
    ``suggestion`` is text to stand there instead, ``None`` for none.
    """

    comment: str
    author: str
    text: str
    kind: str = "remark"
    blocking: bool = False
    first_line: int = 0
    last_line: int = 0
    lost: bool = False
    quote: str = ""
    suggestion: str | None = None
    replies: tuple[SentReply, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentReplied:
    """The agent answered a comment that it was given."""

    comment: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanResolved:
    """A review has its outcome; ``by`` is ``None`` when no person decided.

    ``comments`` are the open ones that go along, with a revise or an approval.
    """

    review: str
    outcome: Outcome
    option: str = ""
    feedback: str = ""
    reason: str = ""
    start: bool = True
    by: int | None = None
    comments: tuple[SentComment, ...] = ()


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
    | SessionForked
    | MessagePosted
    | ConversationUndone
    | ContextCompacted
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
    | ChildStarted
    | ChildReported
    | PermissionModeRequested
    | PermissionModeChanged
    | AutoBreakerOpened
    | PlanModeRequested
    | PlanModeEntered
    | PlanModeExited
    | PlanModeCancelled
    | PlanFileWritten
    | PlanStepsListed
    | PlanRevisionRecorded
    | PlanSubmitted
    | PlanResolved
    | PlanReviewClosed
    | CommentReplied
    | TodoListWritten
    | TurnEnded
)
