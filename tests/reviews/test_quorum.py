"""Which policy holds, where votes stand, and who may give one."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from planmode.access.models import Membership, Project, Role
from reviews import quorum
from reviews.core.policy import DEFAULT, Rules
from reviews.core.tiers import Tier
from reviews.models import Absence, AuditFact, Policy, Review, Vote
from reviews.services import set_policy
from tests.conftest import member
from tests.factories import play, submits
from tests.races import at_once


def away(person: User, deputy: User | None = None, *, first: int = 0, last: int = 0) -> None:
    """Let ``person`` be away, from and to so many days from today."""
    today = timezone.localdate()
    Absence.objects.create(
        person=person,
        deputy=deputy,
        first=today + timedelta(days=first),
        last=today + timedelta(days=last),
    )


@pytest.fixture
def lead(project: Project) -> User:
    """Decides on the second level."""
    return member(project, "lea", Role.LEAD)


@pytest.fixture
def review(operator: User) -> Review:
    """A review that waits."""
    return play(operator, [submits()]).work().review


# Policies


def test_without_one_the_usual_rules_hold(project: Project) -> None:
    assert quorum.in_force(project.pk) == quorum.InForce(0, DEFAULT)


def test_the_highest_version_holds_and_none_is_changed(project: Project, admin: User) -> None:
    other = Project.objects.create(name="other")
    assert set_policy(project, Rules(2), by=admin) == 1
    assert set_policy(project, Rules(3, deadline_hours=8), by=admin) == 2
    assert set_policy(other, Rules(4)) == 1
    assert quorum.in_force(project.pk) == quorum.InForce(2, Rules(3, deadline_hours=8))
    kept = Policy.objects.filter(project=project).order_by("version")
    assert [row.rules["approvals"] for row in kept] == [2, 3]


def test_the_rules_that_hold_already_make_no_version(project: Project, admin: User) -> None:
    assert [set_policy(project, Rules(2), by=admin) for _ in range(2)] == [1, 1]
    assert AuditFact.objects.filter(kind="policy_changed").count() == 1


def test_each_version_is_an_audit_fact(project: Project, admin: User) -> None:
    set_policy(project, Rules(2, all_seen_from=Tier.HIGH), by=admin)
    data = json.loads(bytes(AuditFact.objects.get(kind="policy_changed").canonical))["data"]
    assert (data["by"], data["project"], data["version"]) == (admin.pk, "default", 1)
    assert data["review_policy"]["all_seen_from"] == "high"


@pytest.mark.django_db(transaction=True)
def test_policies_set_at_once_get_a_version_each(project: Project) -> None:
    versions = at_once(lambda n: set_policy(project, Rules(n + 1, deadline_hours=n + 1)), 5)
    assert sorted(versions, key=str) == [1, 2, 3, 4, 5]


# Seats


@pytest.mark.usefixtures("operator", "manager", "admin", "reviewer", "lead")
def test_who_may_decide(project: Project) -> None:
    everywhere = User.objects.create_user("everywhere")
    Membership.objects.create(user=everywhere, project=None, role=Role.LEAD)
    gone = member(project, "gone", Role.REVIEWER)
    gone.is_active = False
    gone.save()
    elsewhere = Project.objects.create(name="elsewhere")
    member(elsewhere, "neighbour", Role.REVIEWER)
    found = quorum.seats(project.pk)
    assert [(seat.name, seat.lead) for seat in found.values()] == [
        ("everywhere", True),
        ("lea", True),
        ("reviewer", False),
    ]


@pytest.mark.parametrize(
    ("days", "stands_in"),
    [
        pytest.param((0, 0), True, id="today"),
        pytest.param((-3, 0), True, id="its last day"),
        pytest.param((0, 3), True, id="its first day"),
        pytest.param((-3, -1), False, id="over"),
        pytest.param((1, 3), False, id="to come"),
    ],
)
def test_a_deputy_counts_as_lead_while_the_lead_is_away(
    project: Project, reviewer: User, lead: User, days: tuple[int, int], *, stands_in: bool
) -> None:
    away(lead, reviewer, first=days[0], last=days[1])
    found = quorum.seats(project.pk)
    assert found[reviewer.pk].counts_as_lead is stands_in
    assert found[reviewer.pk].stands_in_name == ("lea" if stands_in else "")
    assert found[lead.pk].away is stands_in


def test_only_a_decider_stands_in_and_only_for_a_lead(
    project: Project, reviewer: User, lead: User, operator: User
) -> None:
    second = member(project, "second", Role.REVIEWER)
    away(lead, operator)
    away(second, reviewer)
    away(operator, reviewer)
    found = quorum.seats(project.pk)
    assert operator.pk not in found
    assert not found[reviewer.pk].counts_as_lead
    assert found[second.pk].away


def test_a_lead_is_nobodys_deputy_and_an_absence_needs_none(project: Project, lead: User) -> None:
    other = member(project, "mo", Role.LEAD)
    away(lead, other)
    away(other)
    found = quorum.seats(project.pk)
    assert found[other.pk].stands_in_for is None
    assert found[other.pk].away


# Votes


def vote(review: Review, person: User, **fields: object) -> Vote:
    """Write a vote as it was given a while ago."""
    return Vote.objects.create(review=review, person=person, at=timezone.now(), **fields)


def test_where_votes_stand(review: Review, project: Project, reviewer: User, lead: User) -> None:
    set_policy(project, Rules(1, lead=True))
    vote(review, reviewer, feedback="Fine")
    found = quorum.quorum(review)
    assert (found.standing.have, found.standing.lead_there) == (1, False)
    mine = found.of(reviewer.pk)
    assert mine is not None
    assert (mine.name, mine.note, mine.lead) == ("reviewer", "Fine", False)
    assert found.of(lead.pk) is None
    vote(review, lead, lead=True)
    assert quorum.quorum(review).standing.met


def test_a_vote_counts_as_long_as_its_person_may_decide(
    review: Review, project: Project, reviewer: User, lead: User
) -> None:
    """security:S44: what somebody has lost since they voted does not count."""
    set_policy(project, Rules(1, lead=True))
    vote(review, reviewer)
    vote(review, lead, lead=True)
    lead.memberships.update(role=Role.REVIEWER)
    assert not quorum.quorum(review).standing.lead_there
    reviewer.memberships.all().delete()
    found = quorum.quorum(review)
    assert [ballot.name for ballot in found.ballots] == ["lea"]
    assert not found.standing.met


def test_a_deputys_vote_counts_for_a_lead(
    review: Review, project: Project, reviewer: User, lead: User
) -> None:
    set_policy(project, Rules(1, lead=True))
    vote(review, reviewer, lead=True, deputy_of=lead)
    found = quorum.quorum(review)
    assert found.ballots[0].deputy_of == "lea"
    assert found.standing.lead_there
    lead.memberships.all().delete()
    assert not quorum.quorum(review).standing.lead_there


def test_many_reviews_cost_as_much_as_one(
    operator: User, reviewer: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    reviews = [play(operator, [submits()]).work().review for _ in range(3)]
    with django_assert_num_queries(2):
        assert quorum.quorum(reviews[0]).seats == {}
    vote(reviews[0], reviewer)
    with django_assert_num_queries(4):
        quorum.quorums(reviews[:1])
    with django_assert_num_queries(4):
        found = quorum.quorums(reviews)
    assert [found[review.pk].standing.have for review in reviews] == [1, 0, 0]
    assert found[reviews[0].pk].tier is Tier.LOW
