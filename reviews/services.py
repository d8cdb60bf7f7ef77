"""Verbs of the review desk, each one transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from planmode import queries
from planmode import services as planmode
from planmode.access import tokens
from planmode.access.may import Action, Caller, Owned, as_of_now, caller_of, may, may_lend
from planmode.access.models import Project, Token
from planmode.core import events as ev
from planmode.core.errors import NotAllowedError
from planmode.core.wire import clean
from prompts.unseen import says_something
from reviews import audit
from reviews.core.decisions import (
    OUTCOME_OF,
    Decision,
    DecisionKind,
    check_offered,
    completed,
)
from reviews.core.errors import (
    AnswerInvalidError,
    CardUnknownError,
    Ending,
    OwnPlanError,
    ReviewClosedError,
    ReviewUnknownError,
    RevisionStaleError,
    TokenNeverDecidesError,
)
from reviews.models import Approval, Card, Question, Review

LONGEST_ANSWER: Final = 8 * 1024

C = TypeVar("C", bound=Card)


@transaction.atomic
def decide(review_id: UUID, decision: Decision, *, by: Caller) -> Review:
    """Decide on the revision that the person read; the first valid decision wins.

    The session's lock lets decisions through one by one. What follows of one is made of its event,
    in the same transaction: the review closes (``reviews.projections``), plan mode, telemetry,
    audit fact, feed and the turn.

    Raises:
        ReviewUnknownError: no such review that ``by`` may see.
        TokenNeverDecidesError: ``by`` is a program.
        NotAllowedError: their roles do not let them decide.
        OwnPlanError: it is their own agent's plan, and the project wants somebody else.
        ReviewClosedError: somebody was faster, or the review ended.
        RevisionStaleError: the decision names another sha256 than the review's.
        DecisionIncompleteError: something is missing or does not belong.
        StoredDataError: the plan's bytes are not those that were submitted, so that nobody can
            approve them. Every other decision stays possible.
    """
    review = _locked(Review, review_id, ReviewUnknownError)
    _check_decider(review, decision.kind, as_of_now(by))
    if review.status != Card.Status.OPEN:
        raise _closed(review)
    if decision.sha256 != review.sha256:
        raise RevisionStaleError(
            f"under review is revision {review.revision_version}, sha256 {review.sha256}",
            current=review.sha256,
        )
    check_offered(decision.kind, queries.config(review.session.fold))
    complete = completed(decision, [option["label"] for option in review.options])
    if complete.kind is DecisionKind.APPROVE:
        queries.revision_bytes(review.revision_id)  # verified, behind the lock
    planmode.resolve_plan(
        review.session_id,
        ev.PlanResolved(
            review=str(review.pk),
            outcome=OUTCOME_OF[complete.kind],
            option=complete.option,
            feedback=complete.feedback,
            reason=complete.reason,
            start=complete.start,
            by=by.user_id,
        ),
    )
    return Review.objects.select_related("decision__by").get(pk=review.pk)


def _check_decider(review: Review, kind: DecisionKind, by: Caller) -> None:
    if not may(by, Action.READ_TITLE, owned(review)):
        raise ReviewUnknownError(f"no review {review.pk}")
    if by.by_token:
        raise TokenNeverDecidesError("a token never decides; log in with a browser")
    action = Action.DISMISS if kind is DecisionKind.DISMISS else Action.DECIDE
    if not may(by, action, owned(review)):
        raise NotAllowedError(f"your roles in this project do not let you {kind} a plan")
    own = review.session.owner_id == by.user_id and action is Action.DECIDE
    if own and not review.project.allow_self_review:
        raise OwnPlanError("this project wants somebody else to decide on your agents' plans")


def _closed(review: Review) -> ReviewClosedError:
    decision = getattr(review, "decision", None)
    if decision is None:
        ending = Ending(review.status, at=review.closed_at)
    else:
        by = decision.by.get_username() if decision.by else ""
        ending = Ending(review.status, by, decision.outcome, decision.option, decision.at)
    return ReviewClosedError(how_it_ended(review), ending=ending)


def how_it_ended(review: Review) -> str:
    """Return in one sentence how a closed review ended, by whom and when."""
    decision = getattr(review, "decision", None)
    if decision is None:
        return f"this review is closed: {review.status}"
    who = decision.by.get_username() if decision.by else "nobody (automatically)"
    chosen = f", option {decision.option!r}" if decision.option else ""
    return f"decided by {who} at {_moment(decision.at)}: {decision.outcome}{chosen}"


def _moment(at: datetime) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M:%S %Z}"


@transaction.atomic
def answer_question(question_id: UUID, answers: Sequence[str], *, by: Caller) -> Question:
    """Answer each item of a question with a text; the turn goes on.

    Raises:
        CardUnknownError: no such question that ``by`` may see.
        NotAllowedError: their roles do not let them answer.
        AnswerInvalidError: not one answer of 1 to 8192 bytes for each item.
        NotWaitingError: it was answered already, or is not asked any more.
    """
    question = _locked(Question, question_id, CardUnknownError)
    _check_answerer(question, as_of_now(by))
    if len(answers) != len(question.items):
        raise AnswerInvalidError(f"send {len(question.items)} answers, one for each question")
    if not all(map(says_something, answers)):
        raise AnswerInvalidError("an answer is blank")
    if any(len(answer.encode("utf-8", "surrogatepass")) > LONGEST_ANSWER for answer in answers):
        raise AnswerInvalidError(f"an answer is over {LONGEST_ANSWER} bytes")
    said = tuple(clean(answer) for answer in answers)
    planmode.answer_question(
        question.session_id, ev.QuestionAnswered(str(question.pk), said, by.user_id)
    )
    return Question.objects.get(pk=question.pk)


@transaction.atomic
def answer_approval(approval_id: UUID, *, allow: bool, note: str, by: Caller) -> Approval:
    """Allow or refuse a tool call; the turn goes on.

    Raises:
        CardUnknownError: no such approval that ``by`` may see.
        NotAllowedError: their roles do not let them answer.
        AnswerInvalidError: the note is over 8192 bytes.
        NotWaitingError: it was answered already, or is not asked any more.
    """
    approval = _locked(Approval, approval_id, CardUnknownError)
    _check_answerer(approval, as_of_now(by))
    if len(note.encode("utf-8", "surrogatepass")) > LONGEST_ANSWER:
        raise AnswerInvalidError(f"the note is over {LONGEST_ANSWER} bytes")
    said_note = clean(note.strip()) if says_something(note) else ""
    planmode.answer_approval(
        approval.session_id,
        ev.ApprovalResolved(str(approval.pk), allow, said_note, by.user_id),
    )
    return Approval.objects.get(pk=approval.pk)


def _check_answerer(card: Card, by: Caller) -> None:
    if not may(by, Action.READ_TITLE, owned(card)):
        raise CardUnknownError(f"no card {card.pk}")
    if by.by_token:
        raise TokenNeverDecidesError("a token never answers; log in with a browser")
    if not may(by, Action.ANSWER, owned(card)):
        raise NotAllowedError("your roles in this project do not let you answer")


def owned(card: Card) -> Owned:
    """Return what the access rules need of a card (its session must be loaded)."""
    return Owned(card.project_id, card.session.owner_id)


def cards(kind: type[C]) -> QuerySet[C]:
    """Return all cards of ``kind``, which is Review, Question or Approval."""
    return kind._default_manager.all()  # noqa: SLF001 - documented by Django for this use


def _locked(kind: type[C], card_id: UUID, unknown: type[Exception]) -> C:
    """Return the card, its session locked first: the order in which every verb locks."""
    session_id = cards(kind).filter(pk=card_id).values_list("session", flat=True).first()
    if session_id is None:
        raise unknown(f"no {kind.__name__.lower()} {card_id}")
    planmode.hold_session(session_id)
    return cards(kind).select_related("session", "project").get(pk=card_id)


@transaction.atomic
def issue_token(
    owner: User, project: Project, name: str, *, scopes: frozenset[str]
) -> tuple[Token, str]:
    """Make a token for ``owner`` in ``project``; return it and its text, which is shown once.

    Raises:
        NotAllowedError: the owner's own roles do not reach that far.
    """
    _check_lender(owner, project, scopes)
    token, text = tokens.issue(owner, project, name, scopes=scopes)
    data = {
        "owner": owner.pk,
        "prefix": token.prefix,
        "project": project.name,
        "scopes": sorted(scopes),
    }
    audit.record([audit.Fact("token_issued", data)], now=timezone.now())
    return token, text


def _check_lender(owner: User, project: Project, scopes: frozenset[str]) -> None:
    person = caller_of(owner)
    lacking = sorted(scopes - (may_lend(person, project.pk) if person else frozenset()))
    if lacking:
        raise NotAllowedError(
            f"{owner} has no role in project {project} that a token could {' or '.join(lacking)} "
            "by: an operator's may do both, a reviewer's, lead's or admin's may read"
        )
