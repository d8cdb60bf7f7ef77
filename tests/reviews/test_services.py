"""Decisions: every answer, and many people at once."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from uuid6 import uuid7

from planmode import services as planmode
from planmode.access.may import TOKEN_READS, Caller
from planmode.access.models import Membership, Project, Role
from planmode.core import events as ev
from planmode.core.errors import NotAllowedError, NotWaitingError, StoredDataError
from planmode.core.outcomes import Outcome
from planmode.models import Blob
from reviews import services
from reviews.core.decisions import OUTCOME_OF, Decision, DecisionKind
from reviews.core.errors import (
    AnswerInvalidError,
    CardUnknownError,
    DecisionIncompleteError,
    OwnPlanError,
    ReviewClosedError,
    ReviewUnknownError,
    RevisionStaleError,
    TokenNeverDecidesError,
)
from reviews.models import AuditFact, DecisionRecord, FeedEntry, Review, TelemetryEvent
from tests import desk
from tests.factories import PLAN, STOPS_EARLY, Play, call, play, submits
from tests.races import at_once, together
from tests.rows import Row, rows, wanted

DONE = {"text": "Done."}
KINDS = tuple(DecisionKind)


@pytest.fixture
def session(db: None, operator: User) -> Play:
    """A session whose plan, without options, waits."""
    return play(operator, [submits(), DONE]).work()


# The reference's answers

SAID = {
    "approved": "A person approved your plan. Plan mode is off",
    "dismissed": "was dismissed without a decision. Nothing was approved, and plan mode stays on.",
    "rejected": "A person rejected your plan (revision v1). Plan mode stays on",
    "rejected_and_exited": "A person rejected your plan (revision v1) and switched plan mode off.",
    "revise_with_feedback": "The reviewer wants changes to your plan",
}
REFUSED_HERE = {"RV-13"}
"""Revise without feedback: ours wants to hear what shall change."""


def told_of(session: Play) -> list[list[Any]]:
    """Return telemetry with the properties that the vectors know."""
    known = {"outcome", "has_options", "chosen_option", "has_feedback"}
    return [
        [name, {key: value for key, value in properties.items() if key in known}]
        for name, properties in desk.telemetry(session)
    ]


def check_telemetry(session: Play, expected: list[list[Any]]) -> None:
    """Compare; ``has_feedback`` and ``has_options`` are always told here."""
    found = told_of(session)
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (_, properties), (_, known) in zip(found, expected, strict=True):
        assert properties.items() >= known.items()
        assert ("chosen_option" in properties) == ("chosen_option" in known)


@pytest.mark.django_db
@pytest.mark.parametrize("row", rows("exit_review"))
def test_exit_review_rows(row: Row, operator: User, reviewer: User) -> None:
    """kimi:V6, kimi:V2 V5.1 to V5.8 V6: each answer as the explicit decision that it stands for."""
    offered = row["display"].get("options", [])
    session = play(operator, [submits(row["display"]["plan"], *offered), STOPS_EARLY]).work()
    kind, fields = desk.translated(row["response"])
    expect = wanted(row)
    if expect["kind"] == "invalid_response" or row["id"] in REFUSED_HERE:
        with pytest.raises(DecisionIncompleteError):
            desk.decide(session, reviewer, kind, **fields)
        assert session.review.status == "open"
        assert session.state.plan.active
        return
    desk.decide(session, reviewer, kind, **fields)
    session.work()
    result = desk.results(session)[-1]
    assert result.is_error is expect["is_error"]
    assert result.stops_turn is expect["stop_turn"]
    assert session.state.plan.active is expect["active_after"]
    assert SAID[expect["kind"]] in " ".join(result.text.split())
    early = kind is DecisionKind.REVISE  # the agent of this test makes nothing of it
    assert desk.stopped_early(session) is early
    assert session.turn.state == ("stopped" if expect["stop_turn"] or early else "done")
    check_telemetry(session, expect["telemetry"])
    check_text(session, row, result.text)


def check_text(session: Play, row: Row, text: str) -> None:
    """Check what an approval, or a feedback, has to tell."""
    expect, feedback = wanted(row), row["response"].get("feedback", "")
    if "saved_path" in expect:
        assert "Saved as: /" in text
        assert text.rstrip().endswith(row["display"]["plan"])
    if "selected" in expect:
        assert (f"Chosen option: {expect['selected']}" in text) == bool(expect["selected"])
    if "feedback_passed" in expect:
        assert (feedback in text) is expect["feedback_passed"]


# What a decision must be


@pytest.mark.parametrize("kind", KINDS)
def test_a_decision_on_other_bytes_is_refused_with_the_current_ones(
    session: Play, reviewer: User, kind: DecisionKind
) -> None:
    before = desk.log(session)
    with pytest.raises(RevisionStaleError) as caught:
        desk.decide(session, reviewer, kind, sha256="0" * 64, feedback="x")
    assert caught.value.current == session.review.sha256
    assert desk.log(session) == before
    assert session.review.status == "open"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (DecisionKind.REVISE, {}),
        (DecisionKind.REVISE, {"feedback": " \n"}),
        (DecisionKind.REVISE, {"feedback": "x" * 65_537}),
        (DecisionKind.APPROVE, {"option": "Small"}),
        (DecisionKind.APPROVE, {"reason": "fine"}),
        (DecisionKind.REJECT, {"feedback": "no"}),
        (DecisionKind.REJECT, {"option": "Small"}),
        (DecisionKind.DISMISS, {"start": False}),
    ],
)
def test_an_incomplete_decision_changes_nothing(
    session: Play, reviewer: User, kind: DecisionKind, fields: dict[str, Any]
) -> None:
    with pytest.raises(DecisionIncompleteError):
        desk.decide(session, reviewer, kind, **fields)
    assert session.review.status == "open"
    assert not DecisionRecord.objects.exists()


@pytest.mark.django_db
def test_one_of_several_options_must_be_named(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(PLAN, "Small", "Large"), DONE]).work()
    for option in ("", "small", "Huge"):
        with pytest.raises(DecisionIncompleteError, match="Small, Large"):
            desk.approve(session, reviewer, option=option)
    assert desk.approve(session, reviewer, option="Large").decision.option == "Large"


@pytest.mark.django_db
def test_a_single_option_is_a_plain_approval(operator: User, reviewer: User) -> None:
    """kimi:X4."""
    session = play(operator, [submits(PLAN, "Only"), DONE]).work()
    with pytest.raises(DecisionIncompleteError):
        desk.approve(session, reviewer, option="Only")
    assert desk.approve(session, reviewer).outcome == "approved"


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_decision_learns_who_was_first(
    session: Play, reviewer: User, project: Project, kind: DecisionKind
) -> None:
    """kimi:V8: whatever came first, nothing is decided twice."""
    desk.approve(session, reviewer)
    session.work()
    with pytest.raises(ReviewClosedError, match=r"decided by reviewer at .*: approved"):
        desk.decide(session, reviewer, kind, feedback="x")
    assert DecisionRecord.objects.count() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_decision_is_kept_with_all_that_was_said(
    session: Play, reviewer: User, kind: DecisionKind
) -> None:
    """complaints:K-28."""
    words = "feedback" if kind in {DecisionKind.APPROVE, DecisionKind.REVISE} else "reason"
    review = desk.decide(session, reviewer, kind, **{words: "Because."})
    assert (review.status, review.outcome) == ("resolved", OUTCOME_OF[kind])
    assert review.version == 2
    assert getattr(review.decision, words) == "Because."
    assert (review.decision.by, review.decision.own) == (reviewer, False)
    assert review.decision.sha256 == review.sha256
    (resolved,) = desk.every(session, ev.PlanResolved)
    assert (resolved.outcome, resolved.by) == (OUTCOME_OF[kind], reviewer.pk)


@pytest.mark.parametrize("change", [{"content": b"# Another plan"}, None], ids=["other", "gone"])
def test_damaged_bytes_are_not_approved(
    change: dict[str, bytes] | None, session: Play, reviewer: User
) -> None:
    """case:C058: whoever posts to the API has seen no plan that was damaged meanwhile."""
    blob = Blob.objects.filter(sha256=session.review.sha256)
    blob.update(**change) if change else blob.delete()
    before = desk.log(session)
    with pytest.raises(StoredDataError):
        desk.approve(session, reviewer)
    assert desk.log(session) == before
    assert session.review.status == "open"
    assert session.state.plan.active
    assert desk.decide(session, reviewer, DecisionKind.REVISE, feedback="Again").outcome == "revise"


# Who may decide


def give(user: User, project: Project, *roles: Role) -> None:
    """Give roles."""
    for role in roles:
        Membership.objects.create(user=user, project=project, role=role)


def test_a_stranger_learns_nothing_of_a_review(session: Play, stranger: User) -> None:
    with pytest.raises(ReviewUnknownError):
        desk.approve(session, stranger)


@pytest.mark.django_db
def test_a_review_that_does_not_exist(reviewer: User) -> None:
    decision = Decision(DecisionKind.APPROVE, "0" * 64)
    with pytest.raises(ReviewUnknownError):
        services.decide(uuid7(), decision, by=desk.caller(reviewer))


@pytest.mark.parametrize("who", ["manager", "operator", "admin"])
def test_reading_a_plan_is_no_right_to_decide_on_it(
    session: Play, request: pytest.FixtureRequest, who: str
) -> None:
    with pytest.raises(NotAllowedError):
        desk.approve(session, request.getfixturevalue(who))
    assert session.review.status == "open"


def test_an_admin_may_only_dismiss(session: Play, admin: User) -> None:
    assert desk.decide(session, admin, DecisionKind.DISMISS).outcome == "dismissed"


def test_a_role_that_was_taken_away_does_not_decide(
    session: Play, reviewer: User, operator: User
) -> None:
    Membership.objects.filter(user=reviewer).delete()
    with pytest.raises(ReviewUnknownError):
        desk.approve(session, reviewer)


def test_a_lead_decides_too(session: Play, stranger: User, project: Project) -> None:
    give(stranger, project, Role.LEAD)
    assert desk.approve(session, stranger).outcome == "approved"


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_never_decides(session: Play, operator: User, kind: DecisionKind) -> None:
    """claude:C-29 complaints:K-23."""
    review = session.review
    program = Caller(operator.pk, frozenset({(review.project_id, TOKEN_READS)}), by_token=True)
    with pytest.raises(TokenNeverDecidesError):
        services.decide(review.pk, Decision(kind, review.sha256), by=program)


def test_people_decide_on_their_own_plans_only_where_the_project_says_so(
    session: Play, operator: User, project: Project
) -> None:
    give(operator, project, Role.REVIEWER)
    with pytest.raises(OwnPlanError):
        desk.approve(session, operator)
    Project.objects.update(allow_self_review=True)
    assert desk.approve(session, operator).decision.own
    own = TelemetryEvent.objects.get(name="plan_resolved")
    assert own.properties["self_reviewed"] is True


# Questions and tool approvals


@pytest.fixture
def asking(db: None, operator: User) -> Play:
    """A session that asks two things."""
    questions = [{"text": "Which?", "choices": ["a", "b"]}, {"text": "When?"}]
    asks = {"tool_calls": [call("AskUserQuestion", questions=questions)]}
    return play(operator, [asks, DONE]).work()


@pytest.fixture
def wanting(db: None, operator: User) -> Play:
    """A session that wants to write."""
    writes = {"tool_calls": [call("Write", path="new.py", content="x")]}
    return play(operator, [writes, DONE], plan=False).work()


@pytest.mark.parametrize("answers", [[], ["a"], ["a", "b", "c"], ["a", " "], ["a", "é" * 4097]])
def test_each_question_gets_an_answer(asking: Play, reviewer: User, answers: list[str]) -> None:
    with pytest.raises(AnswerInvalidError):
        desk.answer(asking, reviewer, *answers)
    assert asking.question.status == "open"


def test_an_answer_is_kept_with_who_gave_it(asking: Play, reviewer: User) -> None:
    desk.answer(asking, reviewer, "a", "now")
    question = asking.question
    assert (question.status, question.answers) == ("resolved", ["a", "now"])
    assert question.answered_by == reviewer
    with pytest.raises(NotWaitingError):
        desk.answer(asking, reviewer, "b", "later")


def test_the_session_s_owner_may_answer_and_a_manager_may_not(
    asking: Play, operator: User, manager: User
) -> None:
    with pytest.raises(NotAllowedError):
        desk.answer(asking, manager, "a", "now")
    desk.answer(asking, operator, "a", "now")
    assert asking.question.status == "resolved"


def test_another_operator_may_not_answer(asking: Play, stranger: User, project: Project) -> None:
    with pytest.raises(CardUnknownError):
        desk.answer(asking, stranger, "a", "now")
    give(stranger, project, Role.OPERATOR)
    with pytest.raises(NotAllowedError):
        desk.answer(asking, stranger, "a", "now")


def test_a_program_never_answers(asking: Play, operator: User) -> None:
    project_id = asking.question.project_id
    program = Caller(operator.pk, frozenset({(project_id, TOKEN_READS)}), by_token=True)
    with pytest.raises(TokenNeverDecidesError):
        services.answer_question(asking.question.pk, ["a", "b"], by=program)


@pytest.mark.django_db
def test_cards_that_do_not_exist(reviewer: User) -> None:
    with pytest.raises(CardUnknownError):
        services.answer_question(uuid7(), ["a"], by=desk.caller(reviewer))
    with pytest.raises(CardUnknownError):
        services.answer_approval(uuid7(), allow=True, note="", by=desk.caller(reviewer))


@pytest.mark.parametrize("yes", [True, False])
def test_a_yes_or_no_is_kept_with_who_said_it(wanting: Play, reviewer: User, yes: bool) -> None:  # noqa: FBT001 - a table's column
    desk.allow(wanting, reviewer, yes=yes, note="  because ")
    approval = wanting.approval
    assert (approval.status, approval.allowed, approval.note) == ("resolved", yes, "because")
    assert approval.answered_by == reviewer
    with pytest.raises(NotWaitingError):
        desk.allow(wanting, reviewer)


def test_a_note_has_its_limit(wanting: Play, reviewer: User) -> None:
    with pytest.raises(AnswerInvalidError):
        desk.allow(wanting, reviewer, note="x" * 8193)
    assert wanting.approval.status == "open"


def test_a_cancelled_turn_takes_its_questions_back(asking: Play, reviewer: User) -> None:
    planmode.cancel_turn(asking.id)
    assert asking.question.status == "withdrawn"
    with pytest.raises(NotWaitingError):
        desk.answer(asking, reviewer, "a", "now")


# Many at once


def reviewers(project: Project, count: int) -> list[User]:
    """Return people who may all decide."""
    people = [User.objects.create(username=f"reviewer-{number}") for number in range(count)]
    for user in people:
        give(user, project, Role.REVIEWER)
    return people


@pytest.mark.django_db(transaction=True)
def test_of_twenty_approvals_at_once_one_wins(operator: User, project: Project) -> None:
    """fault:F15."""
    people = reviewers(project, 20)
    session = play(operator, [submits(), DONE]).work()
    answers = at_once(lambda n: desk.approve(session, people[n]), 20)
    won = [answer for answer in answers if isinstance(answer, Review)]
    lost = [answer for answer in answers if isinstance(answer, ReviewClosedError)]
    assert (len(won), len(lost)) == (1, 19)
    winner = DecisionRecord.objects.get().by
    assert winner is not None
    assert all(f"decided by {winner.username} at" in str(error) for error in lost)
    check_one_story(session)


@pytest.mark.django_db(transaction=True)
def test_of_different_decisions_at_once_one_wins(operator: User, project: Project) -> None:
    """fault:F16, round by round; each loser learns which."""
    people = reviewers(project, 5)
    for _ in range(4):
        session = play(operator, [submits(), DONE]).work()
        decisions = [
            partial(desk.approve, session, people[0]),
            partial(desk.decide, session, people[1], DecisionKind.REVISE, feedback="x"),
            partial(desk.decide, session, people[2], DecisionKind.REJECT),
            partial(desk.decide, session, people[3], DecisionKind.REJECT_AND_EXIT),
            partial(desk.decide, session, people[4], DecisionKind.DISMISS),
        ]
        answers = Counter(type(answer) for answer in together(decisions))
        assert answers == {Review: 1, ReviewClosedError: 4}
        check_one_story(session)


@pytest.mark.django_db(transaction=True)
def test_a_decision_and_a_cancellation_at_once_tell_one_story(
    operator: User, project: Project
) -> None:
    (person,) = reviewers(project, 1)
    for _ in range(4):
        session = play(operator, [submits(), DONE]).work()
        together(
            [partial(planmode.cancel_turn, session.id), partial(desk.approve, session, person)]
        )
        assert session.turn.state == "cancelled"
        assert session.review.status in {"resolved", "withdrawn"}
        check_one_story(session)


def check_one_story(session: Play) -> None:
    """Row, log, telemetry, feed and state must tell the same."""
    review = session.review
    resolved = desk.every(session, ev.PlanResolved)
    assert desk.refolded(session) == session.state
    assert session.state.plan.review is None
    decided = review.status == "resolved"
    assert [event.outcome for event in resolved] == ([Outcome(review.outcome)] if decided else [])
    told = TelemetryEvent.objects.filter(name="plan_resolved", review_id=review.pk)
    assert [row.outcome for row in told] == ([review.outcome] if decided else [])
    assert DecisionRecord.objects.filter(review=review).count() == int(decided)
    entries = FeedEntry.objects.filter(card_id=review.pk).order_by("pk")
    last = "plan_review.resolved" if decided else "plan_review.changed"
    assert [entry.kind for entry in entries] == ["plan_review.opened", last]


@pytest.mark.django_db
def test_a_token_is_an_audit_fact(operator: User, project: Project) -> None:
    _, text = services.issue_token(operator, project, "laptop", scopes=frozenset({"submit"}))
    fact = AuditFact.objects.get(kind="token_issued")
    assert text not in bytes(fact.canonical).decode()
    assert b'"scopes":["submit"]' in bytes(fact.canonical)


@pytest.mark.django_db
def test_a_role_that_was_taken_away_meanwhile_decides_nothing(
    operator: User, reviewer: User
) -> None:
    """S44: what counts is the role inside the transaction, not the one when the page was asked."""
    session = play(operator, [submits()]).work()
    before = desk.caller(reviewer)
    reviewer.memberships.all().delete()
    decision = Decision(DecisionKind.APPROVE, session.review.sha256)
    with pytest.raises(ReviewUnknownError):
        services.decide(session.review.pk, decision, by=before)
    assert session.review.status == "open"
