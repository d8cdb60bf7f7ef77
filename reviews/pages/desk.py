"""Where a review stands for one person: what they may do, and why not."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from planmode import queries
from planmode.access.may import Action, Caller, may
from planmode.core.options import SHOWN_FROM
from planmode.core.plansteps import PlanStep
from reviews import dashboards
from reviews.core.decisions import DecisionKind, offered
from reviews.models import Card, Review
from reviews.quorum import Quorum, quorum
from reviews.services import owned


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the review stands for one person.

    ``offered`` are the decisions that they may take now, ``why_not`` says why one is missing;
    ``track`` are the reviews of all the plan's revisions, ``newer`` the newest behind this one.
    ``waits``: after a dismissal the agent waits for the person.
    ``steps`` are those of this revision, as long as the session goes by them. ``quorum`` says
    where votes stand while the review is open.
    """

    review: Review
    state: str
    who: str
    offered: tuple[DecisionKind, ...]
    why_not: str
    damaged: bool
    track: tuple[Review, ...]
    newer: Review | None
    acknowledged: datetime | None
    waits: bool
    steps: tuple[PlanStep, ...]
    quorum: Quorum | None

    @property
    def reason_required(self) -> bool:
        """Whether a rejection has to say why."""
        return self.quorum is not None and self.quorum.policy.rules.reason_required

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
    track = dashboards.reviews_of_plan(card)
    newest, config = track[-1], queries.config(card.session.fold)
    closed = damaged or card.status != Card.Status.OPEN
    mine = () if closed else _decisions_of(card, caller)
    return Desk(
        review=card,
        state=dashboards.state_of(card),
        who=dashboards.who_answered(card),
        offered=tuple(kind for kind in offered(config) if kind in mine),
        waits=config.after_dismiss == "waits",
        why_not=_why_not(card, caller),
        damaged=damaged,
        track=tuple(track),
        newer=newest if newest.revision_version > card.revision_version else None,
        acknowledged=dashboards.acknowledged(card),
        steps=_steps(card),
        quorum=None if closed else quorum(card),
    )


def _steps(card: Review) -> tuple[PlanStep, ...]:
    plan = card.session.fold.plan
    return plan.steps if plan.revision == str(card.revision_id) else ()


def _decisions_of(card: Review, caller: Caller) -> tuple[DecisionKind, ...]:
    own = card.session.owner_id == caller.user_id and not card.project.allow_self_review
    decides = may(caller, Action.DECIDE, owned(card)) and not own
    dismisses = may(caller, Action.DISMISS, owned(card))
    return tuple(
        kind for kind in DecisionKind if (dismisses if kind is DecisionKind.DISMISS else decides)
    )


def _why_not(card: Review, caller: Caller) -> str:
    if not may(caller, Action.DECIDE, owned(card)):
        return _("You can read this plan. Deciding takes the role reviewer or lead.")
    if card.session.owner_id == caller.user_id and not card.project.allow_self_review:
        return _("This is your own agent's plan. In this project somebody else has to decide.")
    return ""
