"""Votes, what is missing, and more time, by HTTP."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Project, Role
from reviews.core.policy import Rules
from reviews.core.tiers import Tier
from reviews.services import set_policy
from tests.conftest import member
from tests.factories import PLAN, Play, play, submits
from tests.planmode.api.http import Answer, browser, get, post, problem, program


@pytest.fixture
def client(reviewer: User) -> Client:
    return browser(reviewer)


@pytest.fixture
def lead(project: Project) -> Client:
    return browser(member(project, "lea", Role.LEAD))


@pytest.fixture
def waiting(operator: User, project: Project) -> Play:
    """A session whose plan needs an approval and a lead's, within eight hours."""
    set_policy(project, Rules(1, lead=True, deadline_hours=8))
    plan = f"{PLAN}3. Write a migration\n"
    return play(operator, [submits(plan, "Small", "Large"), {"text": "Done."}]).work()


def approve(client: Client, session: Play, option: str = "Small", **fields: Any) -> Answer:  # noqa: ANN401 - JSON values
    review = session.review
    body = {"decision": "approve", "sha256": review.sha256, "option": option, **fields}
    return post(client, f"/reviews/{review.pk}/decision", body)


def test_a_vote_is_an_answer_with_what_is_missing(client: Client, waiting: Play) -> None:
    answer = approve(client, waiting, feedback="for the agent alone")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["outcome"], body["decision"]) == ("open", None, None)
    assert body["policy_version"] == 1
    assert body["needs"] == {"approvals": 1, "have": 1, "lead": True, "lead_approved": False}
    assert body["missing"] == [{"kind": "lead", "count": 1, "options": []}]
    (vote,) = body["votes"]
    assert (vote["by"], vote["option"], vote["lead"], vote["own"]) == (
        "reviewer",
        "Small",
        False,
        False,
    )
    assert "for the agent alone" not in str(body)


def test_votes_between_options_are_named_as_split(
    client: Client, lead: Client, waiting: Play
) -> None:
    approve(client, waiting, "Small")
    missing = approve(lead, waiting, "Large").json()["missing"]
    assert {"kind": "split", "count": 0, "options": ["Large", "Small"]} in missing


def test_a_decision_by_votes_says_whose(client: Client, lead: Client, waiting: Play) -> None:
    approve(client, waiting)
    body = approve(lead, waiting).json()
    assert (body["status"], body["outcome"]) == ("resolved", "approved")
    assert (body["policy_version"], body["needs"], body["missing"]) == (1, None, [])
    votes = [(vote["by"], vote["lead"], vote["option"]) for vote in body["votes"]]
    assert votes == [("reviewer", False, "Small"), ("lea", True, "Small")]
    assert get(client, f"/reviews/{waiting.review.pk}").json()["votes"] == body["votes"]


def test_a_review_says_how_risky_it_looks_and_when_it_expires(
    client: Client, waiting: Play
) -> None:
    body = get(client, f"/reviews/{waiting.review.pk}").json()
    assert body["risk"] == {
        "tier": "medium",
        "reasons": [{"kind": "migration", "line": 5, "text": "3. Write a migration"}],
        "warnings": [],
    }
    deadline = waiting.review.deadline_at
    assert deadline is not None
    assert body["deadline_at"] == deadline.isoformat()
    assert [missing["kind"] for missing in body["missing"]] == ["approvals", "lead"]


def test_a_vote_is_withdrawn_once(client: Client, waiting: Play) -> None:
    approve(client, waiting)
    path = f"/reviews/{waiting.review.pk}/withdraw"
    assert post(client, path, {}).json()["votes"] == []
    assert problem(post(client, path, {})) == (409, "no_vote")


def test_more_time_is_given_once_for_a_key(client: Client, waiting: Play) -> None:
    before = waiting.review.deadline_at
    assert before is not None
    path = f"/reviews/{waiting.review.pk}/extend"
    answers = [post(client, path, {}, Idempotency_Key="more").json() for _ in range(2)]
    assert [body["deadline_at"] for body in answers] == [
        (before + timedelta(hours=8)).isoformat()
    ] * 2


def test_a_review_without_a_deadline_has_nothing_to_extend(client: Client, operator: User) -> None:
    session = play(operator, [submits()]).work()
    answer = post(client, f"/reviews/{session.review.pk}/extend", {})
    assert problem(answer) == (409, "no_deadline")


@pytest.mark.parametrize("verb", ["withdraw", "extend"])
def test_who_may_neither_vote_nor_extend(
    waiting: Play, project: Project, operator: User, stranger: User, verb: str
) -> None:
    """security:S19 security:S36: a token never, a reader not, and others do not know of it."""
    path = f"/reviews/{waiting.review.pk}/{verb}"
    assert problem(post(program(operator, project), path, {})) == (403, "token_never_decides")
    assert problem(post(browser(operator), path, {})) == (403, "not_allowed")
    assert problem(post(browser(stranger), path, {})) == (404, "review_unknown")
    assert problem(post(browser(operator), path, {"by": 1})) == (422, "invalid")


def test_blocks_that_were_not_seen_are_a_number(
    client: Client, operator: User, project: Project
) -> None:
    set_policy(project, Rules(all_seen_from=Tier.LOW))
    session = play(operator, [submits()]).work()
    answer = approve(client, session, "")
    assert problem(answer) == (409, "blocks_unseen")
    assert answer.json()["count"] == 2
