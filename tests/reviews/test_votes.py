"""Votes: approvals until the policy is met, one a person, replaceable."""

import json
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from planmode.access.models import Project, Role
from planmode.core import events as ev
from reviews import services
from reviews.core.decisions import DecisionKind
from reviews.core.errors import (
    DecisionIncompleteError,
    NoVoteError,
    OwnPlanError,
    ReviewClosedError,
    RevisionStaleError,
)
from reviews.core.policy import Rules
from reviews.models import Absence, AuditFact, DecisionRecord, FeedEntry, Review, Vote
from tests import desk
from tests.conftest import member
from tests.factories import PLAN, Play, play, submits
from tests.races import at_once, together

DONE = {"text": "Done."}


@pytest.fixture
def two(project: Project) -> int:
    """The project wants two approvals; return the policy's version."""
    return services.set_policy(project, Rules(2))


@pytest.fixture
def session(two: int, operator: User) -> Play:
    """A session whose plan, with two options, waits for two approvals."""
    return play(operator, [submits(PLAN, "Small", "Large"), DONE]).work()


@pytest.fixture
def second(project: Project) -> User:
    """Decides, too."""
    return member(project, "second", Role.REVIEWER)


@pytest.fixture
def lead(project: Project) -> User:
    """Decides on the second level."""
    return member(project, "lea", Role.LEAD)


def facts(kind: str) -> list[dict[str, Any]]:
    """Return the data of all audit facts of a kind."""
    rows = AuditFact.objects.filter(kind=kind).order_by("pk")
    return [json.loads(bytes(row.canonical))["data"] for row in rows]


def test_an_approval_waits_for_the_second(session: Play, reviewer: User, second: User) -> None:
    first = desk.approve(session, reviewer, option="Small", feedback="Keep it short.")
    assert (first.status, first.version) == ("open", 2)
    assert desk.every(session, ev.PlanResolved) == []
    assert session.turn.state == "waiting"
    after = desk.approve(session, second, option="Small", feedback="Mind the tests.")
    assert (after.status, after.outcome) == ("resolved", "approved")
    (resolved,) = desk.every(session, ev.PlanResolved)
    assert (resolved.option, resolved.by) == ("Small", second.pk)
    assert resolved.feedback == "reviewer:\nKeep it short.\n\nsecond:\nMind the tests."


def test_a_decision_keeps_policy_and_votes(
    session: Play, two: int, reviewer: User, second: User
) -> None:
    desk.approve(session, reviewer, option="Small")
    decision = desk.approve(session, second, option="Small").decision
    assert decision.policy_version == two == 1
    assert [vote["by"] for vote in decision.votes] == [reviewer.pk, second.pk]
    (fact,) = facts("decision")
    assert (fact["policy_version"], fact["votes"]) == (1, [reviewer.pk, second.pk])


def test_without_a_policy_the_first_approval_decides(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE]).work()
    decision = desk.approve(session, reviewer, feedback="Go").decision
    assert (decision.policy_version, decision.feedback) == (0, "Go")
    assert [vote["by"] for vote in decision.votes] == [reviewer.pk]
    assert facts("vote") == []


def test_a_vote_that_leaves_the_review_open_is_an_audit_fact_and_a_change(
    session: Play, reviewer: User
) -> None:
    desk.approve(session, reviewer, option="Large", feedback="secret words")
    (fact,) = facts("vote")
    assert (fact["by"], fact["option"], fact["policy_version"]) == (reviewer.pk, "Large", 1)
    assert fact["missing"] == [{"count": 1, "kind": "approvals", "options": []}]
    assert "secret" not in json.dumps(fact)
    entry = FeedEntry.objects.latest("pk")
    assert (entry.kind, entry.version) == ("plan_review.changed", session.review.version)


def test_a_vote_is_replaced(session: Play, reviewer: User, second: User) -> None:
    desk.approve(session, reviewer, option="Small", feedback="Small is fine")
    desk.approve(session, reviewer, option="Large", feedback="No: large")
    assert Vote.objects.get().option == "Large"
    desk.approve(session, second, option="Small")
    assert session.review.status == "open"
    assert facts("vote")[-1]["missing"][-1]["options"] == ["Small", "Large"]
    assert desk.approve(session, second, option="Large").decision.feedback == "reviewer:\nNo: large"


@pytest.mark.parametrize("kind", [kind for kind in DecisionKind if kind != "approve"])
def test_every_other_decision_needs_nobody_else(
    session: Play, reviewer: User, second: User, kind: DecisionKind
) -> None:
    desk.approve(session, reviewer, option="Small")
    words = {"feedback": "More."} if kind is DecisionKind.REVISE else {}
    review = desk.decide(session, second, kind, **words)
    assert review.status == "resolved"
    assert (review.decision.by, review.decision.votes) == (second, [])
    assert review.decision.policy_version == 1


def test_a_vote_is_taken_back(session: Play, reviewer: User, second: User) -> None:
    desk.approve(session, reviewer, option="Small")
    review = services.withdraw_vote(session.review.pk, by=desk.caller(reviewer))
    assert (review.status, review.version) == ("open", 3)
    assert facts("vote_withdrawn")[0]["by"] == reviewer.pk
    desk.approve(session, second, option="Small")
    assert session.review.status == "open"
    with pytest.raises(NoVoteError):
        services.withdraw_vote(session.review.pk, by=desk.caller(reviewer))


def test_a_vote_is_not_taken_back_behind_the_decision(
    session: Play, reviewer: User, second: User
) -> None:
    for person in (reviewer, second):
        desk.approve(session, person, option="Small")
    with pytest.raises(ReviewClosedError, match="decided by second"):
        services.withdraw_vote(session.review.pk, by=desk.caller(reviewer))


def test_a_new_revision_begins_without_votes(
    two: int, operator: User, reviewer: User, second: User
) -> None:
    """A vote belongs to one review, which is one revision: its bytes are what it was given for."""
    replies = [
        submits(),
        submits(
            "# Plan\n\n2. Other\n",
        ),
        DONE,
    ]
    session = play(operator, replies).work()
    desk.approve(session, reviewer)
    old = session.review
    desk.decide(session, second, DecisionKind.REVISE, feedback="Again.")
    session.work()
    assert session.review.votes.count() == 0
    assert old.votes.count() == 1
    with pytest.raises(RevisionStaleError):
        desk.approve(session, second, sha256=old.sha256)
    assert desk.approve(session, second).status == "open"


def test_one_who_says_wait_keeps_the_agent_from_starting(
    session: Play, reviewer: User, second: User
) -> None:
    desk.approve(session, reviewer, option="Small", start=False)
    assert desk.approve(session, second, option="Small").decision.start is False


def test_notes_that_are_too_long_together_leave_the_vote_out(
    session: Play, reviewer: User, second: User
) -> None:
    desk.approve(session, reviewer, option="Small", feedback="x" * 40_000)
    with pytest.raises(DecisionIncompleteError, match="shorten yours"):
        desk.approve(session, second, option="Small", feedback="y" * 40_000)
    assert Vote.objects.get().person == reviewer
    assert desk.approve(session, second, option="Small").status == "resolved"


# Two levels


def test_a_lead_comes_on_top(project: Project, operator: User, reviewer: User, lead: User) -> None:
    services.set_policy(project, Rules(1, lead=True))
    session = play(operator, [submits(), DONE]).work()
    assert desk.approve(session, lead).status == "open"
    decision = desk.approve(session, reviewer).decision
    assert [(vote["by"], vote["lead"]) for vote in decision.votes] == [
        (lead.pk, True),
        (reviewer.pk, False),
    ]


def test_a_deputy_gives_the_leads_approval(
    project: Project, operator: User, reviewer: User, second: User, lead: User
) -> None:
    services.set_policy(project, Rules(1, lead=True))
    today = timezone.localdate()
    Absence.objects.create(person=lead, first=today, last=today, deputy=second)
    session = play(operator, [submits(), DONE]).work()
    desk.approve(session, second)
    decision = desk.approve(session, reviewer).decision
    assert decision.votes[0]["deputy_of"] == lead.pk


# One's own


@pytest.mark.parametrize("self_review", [False, True])
def test_who_wrote_into_the_plan_approves_their_own_words(
    session: Play, reviewer: User, project: Project, *, self_review: bool
) -> None:
    """An applied suggestion counts as self-review; its author may still ask for changes."""
    Project.objects.filter(pk=project.pk).update(allow_self_review=self_review)
    Review.objects.update(edited_by=reviewer)
    if self_review:
        desk.approve(session, reviewer, option="Small")
        assert Vote.objects.get().own
        return
    with pytest.raises(OwnPlanError, match="wrote into this plan"):
        desk.approve(session, reviewer, option="Small")
    assert desk.decide(session, reviewer, DecisionKind.REVISE, feedback="No.").outcome == "revise"


def test_one_self_approval_marks_the_decision(project: Project, two: int, reviewer: User) -> None:
    Project.objects.update(allow_self_review=True)
    both = member(project, "bo", Role.OPERATOR, Role.REVIEWER)
    session = play(both, [submits(), DONE]).work()
    desk.approve(session, both)
    assert desk.approve(session, reviewer).decision.own


# Many at once


def crowd(project: Project, count: int) -> list[User]:
    """Return people who may all decide."""
    return [member(project, f"reviewer-{number}", Role.REVIEWER) for number in range(count)]


@pytest.mark.django_db(transaction=True)
def test_one_person_twice_at_once_counts_once(session: Play, reviewer: User) -> None:
    """case:C067."""
    answers = at_once(lambda _: desk.approve(session, reviewer, option="Small"), 4)
    assert [answer.status for answer in answers if isinstance(answer, Review)] == ["open"] * 4
    assert Vote.objects.count() == 1
    assert session.review.status == "open"


@pytest.mark.django_db(transaction=True)
def test_of_many_approvals_at_once_two_close_it(session: Play, project: Project) -> None:
    """case:C064 with a quorum: one decision, made by the second, and the others hear of it."""
    people = crowd(project, 12)
    answers = at_once(lambda n: desk.approve(session, people[n], option="Small"), 12)
    taken = [answer for answer in answers if isinstance(answer, Review)]
    late = [answer for answer in answers if isinstance(answer, ReviewClosedError)]
    assert (len(taken), len(late)) == (2, 10)
    assert sorted(review.status for review in taken) == ["open", "resolved"]
    assert Vote.objects.count() == 2
    assert len(DecisionRecord.objects.get().votes) == 2
    assert len(desk.every(session, ev.PlanResolved)) == 1
    assert desk.refolded(session) == session.state


@pytest.mark.django_db(transaction=True)
def test_a_vote_and_a_withdrawal_at_once_tell_one_story(session: Play, project: Project) -> None:
    first, other = crowd(project, 2)
    desk.approve(session, first, option="Small")
    review = session.review
    answers = together(
        [
            partial(services.withdraw_vote, review.pk, by=desk.caller(first)),
            partial(desk.approve, session, other, option="Small"),
        ]
    )
    closed = session.review.status == "resolved"
    assert any(isinstance(answer, ReviewClosedError) for answer in answers) is closed
    assert Vote.objects.filter(person=first).exists() is closed
    assert DecisionRecord.objects.count() == int(closed)
