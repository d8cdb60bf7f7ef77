"""The remarks on a plan, beside it on its review's page."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import HttpRequest

from planmode.access.may import Action, Caller, may
from reviews.models import Comment, CommentKind, Draft, Review
from reviews.pages.desk import Desk
from reviews.pages.frame import text_of
from reviews.services import NewDraft, owned
from reviews.threads import Thread, threads

KINDS: Final = (CommentKind.REMARK, CommentKind.QUESTION, CommentKind.PRAISE)
"""What a person may call a remark; a suggestion is one by its text."""


@dataclass(frozen=True, slots=True)
class RemarkForm:
    """A remark that is being written: a new one, a draft, or what could not be kept.

    ``draft`` and ``version`` name what was saved already, ``problem`` says what is wrong.
    """

    new: NewDraft = field(default_factory=NewDraft)
    draft: UUID | None = None
    version: int = 0
    problem: str = ""

    @property
    def suggests(self) -> bool:
        """Whether other text is suggested for the lines."""
        return self.new.suggestion is not None


@dataclass(frozen=True, slots=True)
class Remarks:
    """What stands beside the plan: the threads, and what this person is writing.

    ``form`` is the one that is open, ``replying`` the thread that it answers.
    """

    threads: tuple[Thread, ...]
    drafts: tuple[Draft, ...]
    may_comment: bool
    form: RemarkForm
    person: str = ""

    @property
    def open(self) -> tuple[Thread, ...]:
        """Those that nobody has resolved."""
        return tuple(thread for thread in self.threads if thread.open)

    @property
    def resolved(self) -> tuple[Thread, ...]:
        """Those that were resolved."""
        return tuple(thread for thread in self.threads if not thread.open)

    @property
    def addressed(self) -> int:
        """How many open ones something was done about."""
        return sum(thread.addressed for thread in self.open)

    @property
    def blocking(self) -> int:
        """How many open ones block."""
        return sum(thread.comment.blocking for thread in self.open)

    @property
    def authors(self) -> list[str]:
        """Who wrote, by name."""
        names = Counter(_author(thread.comment) for thread in self.threads)
        return sorted(names)


def remarks(
    request: HttpRequest, review: Review, caller: Caller, stands: Desk, *, form: RemarkForm | None
) -> Remarks:
    """Return the remarks as the page shows them; ``form`` is what was sent and not kept."""
    found = threads(review, delivered=stands.acknowledged is not None)
    allowed = may(caller, Action.COMMENT, owned(review)) and not stands.damaged
    drafts = Draft.objects.filter(review=review, author_id=caller.user_id).order_by("pk")
    mine = tuple(drafts.select_related("parent__author")) if allowed else ()
    person = request.GET.get("by", "")
    shown = tuple(thread for thread in found if not person or _author(thread.comment) == person)
    return Remarks(shown, mine, allowed, form or _asked(request, mine), person)


def _author(comment: Comment) -> str:
    return comment.author.get_username() if comment.author else ""


def _asked(request: HttpRequest, drafts: tuple[Draft, ...]) -> RemarkForm:
    """Return the form that the address opens: a draft, or a new remark on lines."""
    wanted = request.GET.get("draft", "")
    found = next((draft for draft in drafts if str(draft.pk) == wanted), None)
    if found is not None:
        anchor = found.anchor
        new = NewDraft(
            text=found.text,
            first=anchor.get("first", 0),
            last=anchor.get("last", 0),
            selection=anchor["quote"] if anchor.get("selected") else "",
            kind=CommentKind(found.kind),
            blocking=found.blocking,
            suggestion=found.suggestion,
            parent=found.parent_id,
        )
        return RemarkForm(new, found.pk, found.version)
    first, last = lines(request.GET.get("comment", ""))
    return RemarkForm(NewDraft(first=first, last=last))


def lines(text: str) -> tuple[int, int]:
    """Return the lines that ``text`` names: ``14``, ``14-16``, or nothing for the whole plan.

    Raises:
        BadRequest: it names none.
    """
    first, _, last = text.partition("-")
    numbers = [number or first for number in (first, last)]
    if not text:
        return 0, 0
    if not all(n.isascii() and n.isdigit() and len(n) < len("1000000") for n in numbers):
        raise BadRequest("there are no such lines")
    return int(numbers[0]), int(numbers[1])


def sent_form(request: HttpRequest) -> RemarkForm:
    """Return a remark as it was sent.

    Raises:
        BadRequest: a field holds what no form of ours sends.
    """
    try:
        first, last = lines(request.POST.get("lines", ""))
        parent = request.POST.get("parent", "")
        draft = request.POST.get("draft", "")
        new = NewDraft(
            text=text_of(request, "text"),
            first=first,
            last=last,
            selection=text_of(request, "selection"),
            kind=CommentKind(request.POST.get("kind") or CommentKind.REMARK),
            blocking="blocking" in request.POST,
            suggestion=text_of(request, "suggestion") if "suggests" in request.POST else None,
            parent=UUID(parent) if parent else None,
        )
        version = int(request.POST.get("version") or 0)
        return RemarkForm(new, UUID(draft) if draft else None, version)
    except ValueError as error:
        raise BadRequest("this remark can't be read") from error
