"""The pages of questions and tool approvals."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planmode.access.may import Action, may, may_anywhere
from planmode.access.requests import caller as caller_now
from planmode.core.errors import NotWaitingError
from prompts.unseen import says_something
from reviews import dashboards, feed, services
from reviews.core.errors import AnswerInvalidError, CardUnknownError
from reviews.models import Approval, Card, Question
from reviews.pages.frame import REFUSED, DeskRequest, page, require, text_of
from reviews.services import owned
from reviews.timeline import pretty

ALLOW: Final = {"yes": True, "no": False}
OWN_WORDS: Final = ""
"""What the form sends for *in my own words*; no offered answer is empty."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that the agent offers."""

    text: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """One item of a question with what was typed for it; ``answer`` once it was given.

    ``own`` says that the choice is *in my own words*; ``sent`` that a form came, to be judged.
    """

    number: int
    text: str
    choices: tuple[Choice, ...]
    several: bool
    words: str
    own: bool
    answer: str
    sent: bool

    @property
    def chosen(self) -> list[str]:
        """The offered answers that were chosen."""
        return [choice.text for choice in self.choices if choice.chosen]

    @property
    def written(self) -> list[str]:
        """What was typed, when it says anything."""
        return [self.words] if says_something(self.words) else []

    @property
    def said(self) -> str:
        """The one text that answers the item: the choices, then what was typed; empty in doubt."""
        return "" if self.doubtful else ", ".join([*self.chosen, *self.written])

    @property
    def missing(self) -> bool:
        """Whether there is no answer yet."""
        return self.sent and not (self.chosen or self.written)

    @property
    def doubtful(self) -> bool:
        """Whether there are two answers where one is asked for."""
        return self.sent and not self.several and len([*self.chosen, *self.written]) > 1


@require_safe
@page
def question(request: DeskRequest, question_id: UUID) -> HttpResponse:
    """Show what the agent asks."""
    return _show_question(request, question_id)


@require_POST
@page
def answer_question(request: DeskRequest, question_id: UUID) -> HttpResponse:
    """Answer; what can't be taken comes back with everything that was typed."""
    fields = _fields(request, _readable_question(request, question_id))
    try:
        with transaction.atomic():
            answers = [field.said for field in fields]
            services.answer_question(question_id, answers, by=caller_now(request))
    except AnswerInvalidError as error:
        problem = _what_lacks(fields) or str(error)
        return _show_question(request, question_id, problem=problem, status=422)
    except NotWaitingError as error:
        return _show_question(request, question_id, problem=str(error), status=409)
    except REFUSED as error:
        return _show_question(request, question_id, problem=str(error), status=403)
    return HttpResponseRedirect(reverse("question", args=[question_id]))


def _what_lacks(fields: list[Field]) -> str:
    if any(field.missing for field in fields):
        return _("Answer every question.")
    if any(field.doubtful for field in fields):
        return _("Give one answer where one is asked for.")
    return ""


def _show_question(
    request: DeskRequest, question_id: UUID, *, problem: str = "", status: int = 200
) -> HttpResponse:
    cursor = feed.head()
    card = _readable_question(request, question_id)
    context = {"fields": _fields(request, card), **_context(request, card, problem, cursor)}
    return render(request, "reviews/question.html", context, status=status)


def _readable_question(request: DeskRequest, question_id: UUID) -> Question:
    card = dashboards.question(question_id)
    require(request.caller, Action.READ_PLAN, owned(card), CardUnknownError)
    return card


def _fields(request: DeskRequest, card: Question) -> list[Field]:
    fields = []
    for number, item in enumerate(card.items):
        chosen = request.POST.getlist(f"choice-{number}")
        words = text_of(request, f"words-{number}")
        fields.append(
            Field(
                number,
                item["text"],
                tuple(Choice(text, text in chosen) for text in item["choices"]),
                several=item["several"],
                words=words,
                own=OWN_WORDS in chosen,
                answer=card.answers[number] if number < len(card.answers) else "",
                sent=request.method == "POST",
            )
        )
    return fields


@require_safe
@page
def approval(request: DeskRequest, approval_id: UUID) -> HttpResponse:
    """Show the tool call that waits for a yes."""
    return _show_approval(request, approval_id)


@require_POST
@page
def answer_approval(request: DeskRequest, approval_id: UUID) -> HttpResponse:
    """Allow or refuse the call."""
    _readable_approval(request, approval_id)
    allow = ALLOW.get(request.POST.get("allow", ""))
    note = text_of(request, "note")
    if allow is None:
        problem = _("Choose whether the agent may do this.")
        return _show_approval(request, approval_id, problem=problem, status=422)
    try:
        with transaction.atomic():
            services.answer_approval(approval_id, allow=allow, note=note, by=caller_now(request))
    except AnswerInvalidError as error:
        return _show_approval(request, approval_id, problem=str(error), status=422)
    except NotWaitingError as error:
        return _show_approval(request, approval_id, problem=str(error), status=409)
    except REFUSED as error:
        return _show_approval(request, approval_id, problem=str(error), status=403)
    return HttpResponseRedirect(reverse("approval", args=[approval_id]))


def _show_approval(
    request: DeskRequest, approval_id: UUID, *, problem: str = "", status: int = 200
) -> HttpResponse:
    cursor = feed.head()
    card = _readable_approval(request, approval_id)
    context = {
        "arguments": pretty(card.arguments),
        "note": text_of(request, "note"),
        **_context(request, card, problem, cursor),
    }
    return render(request, "reviews/approval.html", context, status=status)


def _readable_approval(request: DeskRequest, approval_id: UUID) -> Approval:
    card = dashboards.approval(approval_id)
    require(request.caller, Action.READ_PLAN, owned(card), CardUnknownError)
    return card


def _context(
    request: DeskRequest, card: Question | Approval, problem: str, cursor: int
) -> dict[str, object]:
    waits = card.status == Card.Status.OPEN
    return {
        "card": card,
        "state": dashboards.state_of(card),
        "who": dashboards.who_answered(card),
        "waits": waits,
        "answers": waits and may(request.caller, Action.ANSWER, owned(card)),
        "problem": problem,
        "cursor": cursor,
        "hears": may_anywhere(request.caller, Action.HEAR_FEED),
    }
