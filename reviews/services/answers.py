"""Answers to questions and tool approvals."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import transaction

from planmode import services as planmode
from planmode.access.may import Action, Caller, as_of_now, may
from planmode.core import events as ev
from planmode.core.errors import NotAllowedError
from planmode.core.wire import clean
from prompts.unseen import says_something
from reviews.core.errors import AnswerInvalidError, CardUnknownError, TokenNeverDecidesError
from reviews.models import Approval, Card, Question
from reviews.services.cards import locked, owned

LONGEST_ANSWER: Final = 8 * 1024


@transaction.atomic
def answer_question(question_id: UUID, answers: Sequence[str], *, by: Caller) -> Question:
    """Answer each item of a question with a text; the turn goes on.

    Raises:
        CardUnknownError: no such question that ``by`` may see.
        NotAllowedError: their roles do not let them answer.
        AnswerInvalidError: not one answer of 1 to 8192 bytes for each item.
        NotWaitingError: it was answered already, or is not asked any more.
    """
    question = locked(Question, question_id, CardUnknownError)
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
    approval = locked(Approval, approval_id, CardUnknownError)
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
