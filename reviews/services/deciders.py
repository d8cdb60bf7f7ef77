"""Who may decide on a plan, asked inside the decision's transaction."""

from planmode.access.may import Action, Caller, may
from planmode.core.errors import DomainError, NotAllowedError
from reviews.core.decisions import DecisionKind
from reviews.core.errors import OwnPlanError, ReviewUnknownError, TokenNeverDecidesError
from reviews.models import Review
from reviews.services.cards import owned


def check_decider(review: Review, kind: DecisionKind, by: Caller) -> None:
    """Return quietly when ``by`` may decide so.

    Raises:
        ReviewUnknownError: they may not even know of the review.
        TokenNeverDecidesError: they are a program.
        NotAllowedError: their roles do not let them.
        OwnPlanError: the plan is their own agent's, or the words that they would approve are
            theirs, and the project wants somebody else.
    """
    if not may(by, Action.READ_TITLE, owned(review)):
        raise ReviewUnknownError(f"no review {review.pk}")
    if by.by_token:
        raise TokenNeverDecidesError("a token never decides; log in with a browser")
    action = Action.DISMISS if kind is DecisionKind.DISMISS else Action.DECIDE
    if not may(by, action, owned(review)):
        raise NotAllowedError(f"your roles in this project do not let you {kind} a plan")
    if action is Action.DECIDE and not review.project.allow_self_review:
        _check_own(review, kind, by)


def may_decide(review: Review, kind: DecisionKind, by: Caller) -> bool:
    """Return whether ``by`` may decide so, as far as their roles say."""
    try:
        check_decider(review, kind, by)
    except DomainError:
        return False
    return True


def _check_own(review: Review, kind: DecisionKind, by: Caller) -> None:
    if review.session.owner_id == by.user_id:
        raise OwnPlanError("this project wants somebody else to decide on your agents' plans")
    if kind is DecisionKind.APPROVE and review.edited_by_id == by.user_id:
        raise OwnPlanError(
            "you wrote into this plan; this project wants somebody else to approve that"
        )
