"""What plan mode refuses, each with a stable code."""

from typing import ClassVar


class DomainError(Exception):
    """A refusal that a caller can act on; ``str(error)`` says what to do."""

    code: ClassVar[str]
    title: ClassVar[str]


class SessionUnknownError(DomainError):
    """No session of that id that the caller may see."""

    code = "session_unknown"
    title = "There is no such session"


class RevisionUnknownError(DomainError):
    """No revision of that id that the caller may see."""

    code = "revision_unknown"
    title = "There is no such revision"


class ProjectUnknownError(DomainError):
    """No project of that name that the caller may see."""

    code = "project_unknown"
    title = "There is no such project"


class NotAllowedError(DomainError):
    """The caller's roles do not allow the action."""

    code = "not_allowed"
    title = "Your roles do not allow this"


class WorkspaceRefusedError(DomainError):
    """The workspace is not a folder inside the installation's workspace roots."""

    code = "workspace_refused"
    title = "This workspace is not available"


class SessionInvalidError(DomainError):
    """A session can't start with these values."""

    code = "session_invalid"
    title = "The session can't start like this"


class MessageInvalidError(DomainError):
    """The message is empty or too large."""

    code = "message_invalid"
    title = "The message can't be taken"


class CommandInvalidError(DomainError):
    """What an operator typed is no command, or can't be sent like this."""

    code = "command_invalid"
    title = "This command can't be taken"


class RulesInvalidError(DomainError):
    """A list of permission rules can't be taken."""

    code = "rules_invalid"
    title = "The permission rules can't be used like this"


class PlanTooLargeError(DomainError):
    """The plan is over the size limit."""

    code = "plan_too_large"
    title = "The plan is too large"


class PlanInvalidError(DomainError):
    """The plan is empty, or not text that every database keeps unchanged."""

    code = "plan_invalid"
    title = "The plan can't be submitted"


class PlanUnchangedError(DomainError):
    """The same bytes were decided before."""

    code = "plan_unchanged"
    title = "The plan has not changed since it was decided"


class OptionsInvalidError(DomainError):
    """The options of a submission break a rule."""

    code = "options_invalid"
    title = "The options can't be offered like this"


class NotPlanningError(DomainError):
    """Plan mode is off."""

    code = "not_planning"
    title = "Plan mode is off"


class AlreadyPlanningError(DomainError):
    """Plan mode is on already."""

    code = "already_planning"
    title = "Plan mode is on already"


class NotWaitingError(DomainError):
    """The session does not wait for this answer (any more)."""

    code = "not_waiting"
    title = "Nothing waits for this answer"


class NoTurnError(DomainError):
    """The session has no turn that could be changed."""

    code = "no_turn"
    title = "No turn is under way"


class ClaimLostError(DomainError):
    """Another worker holds the turn now; whatever this one still had to write is void."""

    code = "claim_lost"
    title = "Another worker holds this turn"


class StoredDataError(DomainError):
    """Stored bytes are missing or do not have the hash they were stored under."""

    code = "stored_data_damaged"
    title = "Stored data is damaged"


class EventUnknownError(DomainError):
    """The log holds an event that this release does not know."""

    code = "event_unknown"
    title = "The log holds an event that this release does not know"


class KeyReusedError(DomainError):
    """An idempotency key came a second time with another request."""

    code = "key_reused"
    title = "This Idempotency-Key was used for another request"


class TaskUnknownError(DomainError):
    """The session has no background task of that number."""

    code = "task_unknown"
    title = "There is no such background task"


class ScheduleUnknownError(DomainError):
    """The session has no active schedule of that number."""

    code = "schedule_unknown"
    title = "There is no such schedule"


class ScheduleInvalidError(DomainError):
    """The cron line can't be read, or never comes true."""

    code = "schedule_invalid"
    title = "This can't be scheduled"


class TooManyJobsError(DomainError):
    """The session has as many background tasks or schedules as it may have."""

    code = "too_many_jobs"
    title = "The session has too many of these already"


class ChildSessionError(DomainError):
    """The session is that of an agent which another agent started."""

    code = "child_session"
    title = "This session belongs to another agent"


class PermissionModeUnavailableError(DomainError):
    """The permission mode is switched off here."""

    code = "permission_mode_unavailable"
    title = "This permission mode is not available"


class TurnOpenError(DomainError):
    """A turn is under way, and what was asked for needs an agent at rest."""

    code = "turn_open"
    title = "The agent is at work"


class RetryRefusedError(DomainError):
    """The newest turn is not one that can be tried again."""

    code = "retry_refused"
    title = "There is nothing to try again"


class UndoRefusedError(DomainError):
    """What was named is no message that can be taken back."""

    code = "undo_refused"
    title = "This can't be taken back"


class ForkRefusedError(DomainError):
    """The log has no such place to fork at."""

    code = "fork_refused"
    title = "The session can't be forked there"


class NoPlanFileError(DomainError):
    """The session's agents keep no plan file."""

    code = "no_plan_file"
    title = "There is no plan file"


class PlanEditConflictError(DomainError):
    """The plan changed since the person read it; ``current`` is its sha256 now."""

    code = "plan_edit_conflict"
    title = "The plan has changed since you read it"

    def __init__(self, detail: str, *, current: str) -> None:
        """Keep what the plan now is."""
        super().__init__(detail)
        self.current = current


class PlanUnderReviewError(DomainError):
    """A person is deciding on the plan: what they read must stay what it is."""

    code = "plan_under_review"
    title = "The plan is under review"

    def __init__(self, version: int) -> None:
        """Say which revision it is, and what to do."""
        super().__init__(
            f"revision {version} is under review: ask for changes first, or wait for the decision"
        )


class AttachmentRefusedError(DomainError):
    """A file can't go with a message."""

    code = "attachment_refused"
    title = "This file can't be attached"
