"""Which policy holds for a review, and where its votes stand."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from planmode.access.may import Action, Caller, Owned, may
from planmode.access.models import Membership, Role
from reviews.core.policy import DEFAULT, Cast, Rules, Standing, Stricter, parse, tally
from reviews.core.tiers import Tier, tier_of
from reviews.models import Absence, Policy, Review, Vote

NO_VERSION: Final = 0
"""The version of what holds where nobody set a policy."""


@dataclass(frozen=True, slots=True)
class InForce:
    """The policy that holds; ``version`` is 0 where a project has none of its own."""

    version: int = NO_VERSION
    rules: Rules = DEFAULT


@dataclass(frozen=True, slots=True)
class Seat:
    """A person who may decide in a project.

    ``away`` is about today. ``stands_in_for`` is a lead who is away and whose deputy they are, with
    that one's name.
    """

    person: int
    name: str
    lead: bool
    away: bool = False
    stands_in_for: int | None = None
    stands_in_name: str = ""

    @property
    def counts_as_lead(self) -> bool:
        """Whether their approval counts on the second level."""
        return self.lead or self.stands_in_for is not None


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote as it stands, by a person who may still decide.

    ``lead`` says that it counts on the second level, ``deputy_of`` for whom, if not for the person
    themselves; ``own`` that it is about their own agent's plan, or their own words in it.
    """

    person: int
    name: str
    option: str
    note: str
    start: bool
    lead: bool
    own: bool
    deputy_id: int | None
    deputy_of: str
    at: datetime

    @property
    def cast(self) -> Cast:
        """What the policy counts of it."""
        return Cast(self.person, self.option, self.lead)


@dataclass(frozen=True, slots=True)
class Quorum:
    """Where an open review stands: the policy, its tier, the votes, and who may give one.

    ``seats`` are empty where nobody asked: there is no vote yet, and the first approval decides.
    """

    policy: InForce
    tier: Tier
    ballots: tuple[Ballot, ...]
    standing: Standing
    seats: Mapping[int, Seat] = field(default_factory=dict)

    def of(self, person: int) -> Ballot | None:
        """Return the vote of ``person``, if they gave one."""
        return next((ballot for ballot in self.ballots if ballot.person == person), None)


def in_force(project_id: int) -> InForce:
    """Return the policy that holds in a project at this moment."""
    return _policies({project_id})[project_id]


def seats(project_id: int) -> dict[int, Seat]:
    """Return who may decide in a project, by user id, in the order of their names."""
    return _seats({project_id}, timezone.localdate())[project_id]


def quorum(review: Review) -> Quorum:
    """Return where an open review stands."""
    return quorums([review])[review.pk]


def quorums(reviews: Sequence[Review]) -> dict[UUID, Quorum]:
    """Return where open reviews stand, in at most four queries however many there are.

    Votes count as long as who gave them may decide. Absences count by the day of the installation's
    time zone.
    """
    projects = {review.project_id for review in reviews}
    policies = _policies(projects)
    votes: dict[UUID, list[Vote]] = defaultdict(list)
    given = Vote.objects.filter(review__in=reviews).select_related("person", "deputy_of")
    for vote in given.order_by("at", "pk"):
        votes[vote.review_id].append(vote)
    people: dict[int, dict[int, Seat]] = {project: {} for project in projects}
    asked = [policy.rules.asks(Tier.HIGH) for policy in policies.values()]
    if votes or asked.count(Stricter()) < len(asked):
        people = _seats(projects, timezone.localdate())
    return {
        review.pk: _quorum(
            policies[review.project_id],
            tier_of(review.risk),
            votes[review.pk],
            people[review.project_id],
        )
        for review in reviews
    }


def _quorum(
    policy: InForce, tier: Tier, votes: Iterable[Vote], people: Mapping[int, Seat]
) -> Quorum:
    ballots = tuple(_ballot(vote, people) for vote in votes if vote.person_id in people)
    standing = tally([ballot.cast for ballot in ballots], policy.rules, tier)
    return Quorum(policy, tier, ballots, standing, people)


def _ballot(vote: Vote, people: Mapping[int, Seat]) -> Ballot:
    """Return a vote as it counts now: who was a lead and is none any more gave a plain one."""
    spoke_for = vote.deputy_of_id or vote.person_id
    represented = people.get(spoke_for)
    return Ballot(
        person=vote.person_id,
        name=vote.person.get_username(),
        option=vote.option,
        note=vote.feedback,
        start=vote.start,
        lead=vote.lead and represented is not None and represented.lead,
        own=vote.own,
        deputy_id=vote.deputy_of_id,
        deputy_of=vote.deputy_of.get_username() if vote.deputy_of else "",
        at=vote.at,
    )


def _policies(projects: Collection[int]) -> dict[int, InForce]:
    newest = Policy.objects.filter(project=OuterRef("project")).order_by("-version")
    rows = Policy.objects.filter(
        project__in=projects, version=Subquery(newest.values("version")[:1])
    )
    own = {row.project_id: InForce(row.version, parse(row.rules)) for row in rows}
    return {project: own.get(project, InForce()) for project in projects}


def _seats(projects: Collection[int], day: date) -> dict[int, dict[int, Seat]]:
    members = Membership.objects.filter(
        Q(project=None) | Q(project__in=projects), user__is_active=True
    )
    rows = list(members.select_related("user").order_by("user__username"))
    found = {project: _deciders(rows, project) for project in projects}
    people = {person for there in found.values() for person in there}
    absent = Absence.objects.filter(person__in=people, first__lte=day, last__gte=day)
    absences = list(absent.order_by("person__username", "pk"))
    return {project: _with_absences(there, absences) for project, there in found.items()}


def _deciders(members: Iterable[Membership], project: int) -> dict[int, Seat]:
    roles: dict[int, set[tuple[int | None, str]]] = defaultdict(set)
    names: dict[int, str] = {}
    for member in members:
        if member.project_id in {None, project}:
            roles[member.user_id].add((member.project_id, member.role))
            names[member.user_id] = member.user.get_username()
    thing = Owned(project)
    return {
        person: Seat(person, names[person], lead=any(role == Role.LEAD for _, role in held))
        for person, held in roles.items()
        if may(Caller(person, frozenset(held)), Action.DECIDE, thing)
    }


def _with_absences(there: dict[int, Seat], absences: Iterable[Absence]) -> dict[int, Seat]:
    for absence in absences:
        away = there.get(absence.person_id)
        if away is None:
            continue
        there[away.person] = replace(away, away=True)
        deputy = there.get(absence.deputy_id) if absence.deputy_id else None
        if away.lead and deputy is not None and not deputy.lead:
            there[deputy.person] = replace(
                deputy, stands_in_for=away.person, stands_in_name=away.name
            )
    return there
