"""Where a review stands for one person: what they may do, and why not."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from planmode import queries
from planmode.access.may import Action, Caller, may
from planmode.core.options import SHOWN_FROM
from planmode.core.plansteps import PlanStep
from reviews import dashboards
from reviews.core.anatomy import Anatomy, Warned, WarningKind, restored
from reviews.core.choices import Offer, offer
from reviews.core.decisions import DecisionKind, offered
from reviews.dashboards import SessionReviews
from reviews.models import Card, Review
from reviews.pages.needs import After, Need, afterwards, line_of, needs
from reviews.quorum import Ballot, Quorum, quorum, seats
from reviews.services import may_decide, owned


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the review stands for one person.

    ``offered`` are the decisions that they may take now, ``why_not`` says why one is missing;
    ``track`` are the reviews of all the plan's revisions, ``newer`` the newest behind this one,
    ``others`` those of all plans of the session.
    ``waits``: after a dismissal the agent waits for the person.
    ``steps`` are those of this revision, as long as the session goes by them. While the review is
    open, ``quorum`` says where votes stand, ``needs`` what is missing and from whom, ``after`` what
    an approval by this person would do. ``anatomy`` is what the plan's risk was read from.
    """

    review: Review
    state: str
    who: str
    offered: tuple[DecisionKind, ...]
    why_not: str
    damaged: bool
    track: tuple[Review, ...]
    others: SessionReviews
    newer: Review | None
    acknowledged: datetime | None
    waits: bool
    steps: tuple[PlanStep, ...]
    quorum: Quorum | None
    needs: tuple[Need, ...]
    after: tuple[After, ...]
    mine: Ballot | None
    anatomy: Anatomy | None
    voters: tuple[str, ...]

    @property
    def leads(self) -> tuple[str, ...]:
        """The names of those whose approval counts on the second level today; asked for late."""
        people = seats(self.review.project_id).values()
        return tuple(seat.name for seat in people if seat.counts_as_lead and not seat.away)

    @property
    def offer(self) -> Offer:
        """The options, with what became of them since earlier revisions."""
        here = self.review.revision_version
        earlier = [one for one in self.track if one.revision_version <= here]
        return offer([(one.revision_version, one.options) for one in earlier])

    @property
    def needs_line(self) -> str:
        """Where votes stand, in one line; empty once it is over."""
        return line_of(self.quorum) if self.quorum else ""

    @property
    def votes(self) -> tuple[Ballot, ...]:
        """The approvals that were given so far."""
        return self.quorum.ballots if self.quorum else ()

    @property
    def approaches(self) -> tuple[Warned, ...]:
        """Headings of several approaches, where the plan offers no choice."""
        return self._warned(WarningKind.APPROACHES)

    @property
    def unread(self) -> tuple[Warned, ...]:
        """Files that the plan names and the agent never read."""
        return self._warned(WarningKind.UNREAD)

    def _warned(self, kind: WarningKind) -> tuple[Warned, ...]:
        found = self.anatomy.warnings if self.anatomy else ()
        return tuple(warned for warned in found if warned.kind is kind)

    @property
    def closes(self) -> bool:
        """Whether an approval by this person decides, whatever option it names."""
        return all(after.closes for after in self.after)

    @property
    def stays_open(self) -> str:
        """What is missing behind this person's approval, if that holds for every option."""
        texts = {after.needs for after in self.after}
        return texts.pop() if len(texts) == 1 else ""

    @property
    def reason_required(self) -> bool:
        """Whether a rejection has to say why."""
        return self.quorum is not None and self.quorum.policy.rules.reason_required

    @property
    def wants_all_seen(self) -> bool:
        """Whether who approves must have had every block on the screen."""
        return self.quorum is not None and self.quorum.policy.rules.wants_all_seen(self.quorum.tier)

    @property
    def open(self) -> bool:
        """Whether the review waits for a decision."""
        return bool(self.review.status == Card.Status.OPEN)

    @property
    def has_choice(self) -> bool:
        """Whether an approval has to name an option."""
        return len(self.review.options) >= SHOWN_FROM

    @property
    def awaited(self) -> bool:
        """Whether the agent has yet to be given the outcome."""
        return self.review.status == Card.Status.RESOLVED and self.acknowledged is None


def desk(card: Review, caller: Caller, *, damaged: bool) -> Desk:
    """Return where ``card`` stands for ``caller``.

    ``damaged``: its bytes are not what they were.
    """
    others = dashboards.reviews_of_session(card.session_id, caller.user_id)
    track = others.of_plan(card.plan_id)
    newest, config = track[-1], queries.config(card.session.fold)
    closed = damaged or card.status != Card.Status.OPEN
    mine = () if closed else _decisions_of(card, caller)
    stands = None if closed else quorum(card)
    return Desk(
        review=card,
        state=dashboards.state_of(card),
        who=dashboards.who_answered(card),
        offered=tuple(kind for kind in offered(config) if kind in mine),
        waits=config.after_dismiss == "waits",
        why_not=_why_not(card, caller),
        damaged=damaged,
        track=track,
        others=others,
        newer=newest if newest.revision_version > card.revision_version else None,
        acknowledged=dashboards.acknowledged(card),
        steps=_steps(card),
        quorum=stands,
        needs=_needs(card, stands, alone=DecisionKind.APPROVE not in mine),
        after=afterwards(card, stands, caller.user_id) if stands else (),
        mine=stands.of(caller.user_id) if stands else None,
        anatomy=restored(card.anatomy),
        voters=_voters(card),
    )


def _needs(card: Review, stands: Quorum | None, *, alone: bool) -> tuple[Need, ...]:
    """Return what is missing; who can't give it themselves is told who can."""
    if stands is None:
        return ()
    people = stands.seats or (seats(card.project_id) if alone else {})
    return needs(card, stands, people)


def _voters(card: Review) -> tuple[str, ...]:
    """Return who approved beside the one whose vote closed the review."""
    decision = getattr(card, "decision", None)
    if decision is None:
        return ()
    others = [vote["by"] for vote in decision.votes if vote["by"] != decision.by_id]
    names = dashboards.usernames(others)
    return tuple(names[person] for person in others)


def _steps(card: Review) -> tuple[PlanStep, ...]:
    plan = card.session.fold.plan
    return plan.steps if plan.revision == str(card.revision_id) else ()


def _decisions_of(card: Review, caller: Caller) -> tuple[DecisionKind, ...]:
    return tuple(kind for kind in DecisionKind if may_decide(card, kind, caller))


def _why_not(card: Review, caller: Caller) -> str:
    if not may(caller, Action.DECIDE, owned(card)):
        return _("You can read this plan. Deciding takes the role reviewer or lead.")
    if card.session.owner_id == caller.user_id and not card.project.allow_self_review:
        return _("This is your own agent's plan. In this project somebody else has to decide.")
    if card.edited_by_id == caller.user_id and not card.project.allow_self_review:
        return _("You wrote into this plan. In this project somebody else has to approve that.")
    return ""
