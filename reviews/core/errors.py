"""What the review desk refuses, each with a stable code."""

from dataclasses import dataclass
from datetime import datetime

from planmode.core.errors import DomainError


@dataclass(frozen=True, slots=True)
class Ending:
    """How a review ended.

    ``by`` is a user name, empty when no person decided; ``outcome`` is empty when it ended without
    a decision; ``at`` is aware.
    """

    status: str
    by: str = ""
    outcome: str = ""
    option: str = ""
    at: datetime | None = None


class ReviewUnknownError(DomainError):
    """No review of that id that the caller may see."""

    code = "review_unknown"
    title = "There is no such review"


class CardUnknownError(DomainError):
    """No question or approval of that id that the caller may see."""

    code = "card_unknown"
    title = "There is no such card"


class ReviewClosedError(DomainError):
    """Somebody decided, or the review ended otherwise; ``ending`` says by whom and what."""

    code = "review_closed"
    title = "This review is closed"

    def __init__(self, message: str, *, ending: Ending) -> None:
        """Keep how the review ended."""
        super().__init__(message)
        self.ending = ending


class RevisionStaleError(DomainError):
    """The decision names another revision than the review's; ``current`` is the right sha256."""

    code = "revision_stale"
    title = "The plan on your screen is not the one under review"

    def __init__(self, message: str, *, current: str) -> None:
        """Keep the sha256 that the review has."""
        super().__init__(message)
        self.current = current


class DecisionIncompleteError(DomainError):
    """The decision lacks something, or has something that does not belong to it."""

    code = "decision_incomplete"
    title = "The decision can't be taken like this"


class TokenNeverDecidesError(DomainError):
    """A program tried to decide."""

    code = "token_never_decides"
    title = "Only a person can decide"


class OwnPlanError(DomainError):
    """The project does not let people decide on plans of their own sessions."""

    code = "own_plan"
    title = "Somebody else has to decide on your own agent's plan"


class LastAdminError(DomainError):
    """Nobody would be left who may change the project's members."""

    code = "last_admin"
    title = "Somebody has to stay admin"


class AnswerInvalidError(DomainError):
    """The answers do not fit the questions."""

    code = "answer_invalid"
    title = "The answer can't be taken"


class PolicyInvalidError(DomainError):
    """A policy has a rule that it can't have; ``field`` is its name, such as ``high.lead``."""

    code = "policy_invalid"
    title = "The policy can't be taken like this"

    def __init__(self, message: str, *, field: str) -> None:
        """Keep which rule it is."""
        super().__init__(message)
        self.field = field


class NoVoteError(DomainError):
    """The person has no vote on this review that they could take back."""

    code = "no_vote"
    title = "You have no vote on this review"


class NoDeadlineError(DomainError):
    """The review does not expire, so there is nothing to extend."""

    code = "no_deadline"
    title = "This review has no deadline"


class BlocksUnseenError(DomainError):
    """The policy wants who approves to have seen every changed block; ``count`` were not."""

    code = "blocks_unseen"
    title = "You have not seen all that changed"

    def __init__(self, message: str, *, count: int) -> None:
        """Keep how many are left."""
        super().__init__(message)
        self.count = count


class AnchorInvalidError(DomainError):
    """A comment was put on lines or words that the revision does not have."""

    code = "anchor_invalid"
    title = "The comment can't stand there"


class CommentInvalidError(DomainError):
    """A comment says nothing, too much, or is one too many."""

    code = "comment_invalid"
    title = "The comment can't be taken like this"


class CommentUnknownError(DomainError):
    """No comment or draft of that id that the caller may see."""

    code = "comment_unknown"
    title = "There is no such comment"


class DraftStaleError(DomainError):
    """The draft was saved from elsewhere meanwhile; ``text`` is what it holds now."""

    code = "draft_stale"
    title = "This draft was changed in another window"

    def __init__(self, message: str, *, text: str) -> None:
        """Keep what the draft holds."""
        super().__init__(message)
        self.text = text
