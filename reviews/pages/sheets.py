"""A decision as a form: what was asked for, typed and wrong."""

from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planmode.core.options import SHOWN_FROM
from prompts.unseen import says_something
from reviews import dashboards
from reviews.core.decisions import LONGEST_FEEDBACK, REJECTS, DecisionKind
from reviews.core.errors import BlocksUnseenError, DecisionIncompleteError
from reviews.pages.frame import text_of


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a field; an empty ``field`` is about the whole form."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A decision as it was typed, and what is wrong with it.

    ``carried``: it was typed for an older revision.
    """

    kind: DecisionKind
    option: str = ""
    feedback: str = ""
    reason: str = ""
    start: bool = True
    problems: tuple[Problem, ...] = ()
    carried: bool = False

    @property
    def words(self) -> str:
        """What was typed."""
        return self.feedback or self.reason

    def problem(self, field: str) -> str:
        """Return what is wrong with ``field``; empty when nothing is."""
        return next((p.text for p in self.problems if p.field == field), "")

    @property
    def option_problem(self) -> str:
        """What is wrong with the choice."""
        return self.problem("option")

    @property
    def feedback_problem(self) -> str:
        """What is wrong with the feedback."""
        return self.problem("feedback")

    @property
    def reason_problem(self) -> str:
        """What is wrong with the reason."""
        return self.problem("reason")


def asked_sheet(request: HttpRequest) -> Sheet | None:
    """Return the sheet that the address opens, if any."""
    if "decide" not in request.GET:
        return None
    return Sheet(_kind(request.GET["decide"]), option=request.GET.get("option", ""))


def _kind(text: str) -> DecisionKind:
    try:
        return DecisionKind(text)
    except ValueError as error:
        raise BadRequest("there is no such decision") from error


def sent_sheet(request: HttpRequest) -> Sheet:
    """Return the sheet as it was sent."""
    kind = _kind(request.POST.get("decision", ""))
    approves = kind is DecisionKind.APPROVE
    return Sheet(
        kind,
        option=text_of(request, "option"),
        feedback=text_of(request, "feedback"),
        reason=text_of(request, "reason"),
        # A box that is not ticked sends nothing; the other sheets have no such box.
        start="start" in request.POST if approves else True,
    )


def incomplete(sheet: Sheet, review_id: UUID, error: DecisionIncompleteError) -> Problem:
    """Return the problem at its field, as far as the field can be told."""
    labels = [option["label"] for option in dashboards.review(review_id).options]
    for name in ("feedback", "reason"):
        if len(getattr(sheet, name).encode("utf-8", "surrogatepass")) > LONGEST_FEEDBACK:
            return Problem(name, _("This text is too long: 64 KiB is the limit. Shorten it."))
    if sheet.kind is DecisionKind.APPROVE and len(labels) >= SHOWN_FROM and not sheet.option:
        return Problem("option", _("Choose the option that you approve."))
    if sheet.kind is DecisionKind.REVISE and not says_something(sheet.feedback):
        return Problem("feedback", _("Say what the agent should change."))
    if sheet.kind in REJECTS and not says_something(sheet.reason):
        return Problem("reason", _("Say why: this project wants a reason with a rejection."))
    return Problem("", str(error))


def unseen(error: BlocksUnseenError) -> Problem:
    """Return the problem of who would approve what they have not seen."""
    words = ngettext(
        "%(n)d block was never on your screen. This project's policy wants you to have seen it "
        "before you approve.",
        "%(n)d blocks were never on your screen. This project's policy wants you to have seen them "
        "before you approve.",
        error.count,
    )
    return Problem("", words % {"n": error.count})
