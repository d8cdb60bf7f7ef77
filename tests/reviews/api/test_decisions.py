"""Decisions by HTTP, and what is refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from planmode import services as planmode
from planmode.access.models import FirstAnswer, Project, Role
from planmode.core.events import TurnEnded
from reviews.models import DecisionRecord
from tests.conftest import member
from tests.desk import every, results, telemetry
from tests.factories import PLAN, Play, play, submits
from tests.planmode.api.http import API, Answer, browser, get, post, problem, program

ALL_FIVE: dict[str, dict[str, Any]] = {
    "approve": {"option": "Large"},
    "revise": {"feedback": "Read the tests first"},
    "reject": {"reason": "Not now"},
    "reject_and_exit": {"reason": "Do it by hand"},
    "dismiss": {},
}


@pytest.fixture
def client(reviewer: User) -> Client:
    return browser(reviewer)


@pytest.fixture
def waiting(operator: User) -> Play:
    """A session whose plan waits, with two options; whatever is decided, it only talks."""
    replies = [submits(PLAN, "Small", "Large"), {"text": "Understood.", "repeat": 2}]
    return play(operator, replies).work()


def decide(client: Client, session: Play, decision: str, **fields: Any) -> Answer:  # noqa: ANN401 - JSON values
    headers = {"Idempotency_Key": fields.pop("key")} if "key" in fields else {}
    review = session.review
    body = {"decision": decision, "sha256": review.sha256, **ALL_FIVE.get(decision, {}), **fields}
    return post(client, f"/reviews/{review.pk}/decision", body, **headers)


@pytest.mark.parametrize(
    ("decision", "fields", "told"),
    [
        pytest.param("approve", {}, ("Chosen option: Large", PLAN), id="approve"),
        pytest.param("approve", {"feedback": "Mind  the\nbugs"}, ("Mind  the\nbugs",), id="notes"),
        pytest.param("approve", {"start": False}, ("not to be started",), id="no start"),
        pytest.param("revise", {}, ("Read the tests first", "reviewer"), id="case:C043 revise"),
        pytest.param("reject", {}, ("Not now",), id="case:C044 reject"),
        pytest.param(
            "reject_and_exit",
            {},
            ("Do it by hand", "Nothing was approved"),
            id="case:C054 reject and exit",
        ),
        pytest.param("dismiss", {}, ("without a decision",), id="dismiss"),
        pytest.param("dismiss", {"reason": "Wrong desk"}, ("Wrong desk",), id="dismiss, reason"),
    ],
)
def test_what_the_agent_is_told(
    client: Client,
    waiting: Play,
    decision: str,
    fields: dict[str, Any],
    told: tuple[str, ...],
) -> None:
    assert decide(client, waiting, decision, **fields).status_code == 200
    result = results(waiting.work())[-1]
    assert result.name == "ExitPlanMode"
    assert [words for words in told if words not in result.text] == []


@dataclass(frozen=True, slots=True)
class After:
    """What is true after a decision; ``ends`` is how the turn ended."""

    outcome: str
    ends: str
    planning: bool = False
    is_error: bool = False


@pytest.mark.parametrize(
    ("decision", "fields", "after"),
    [
        pytest.param("approve", {}, After("approved", "done"), id="approve"),
        pytest.param(
            "approve",
            {"start": False},
            After("approved", "stopped"),
            id="case:C053 no start",
        ),
        pytest.param("revise", {}, After("revise", "stopped", planning=True), id="revise"),
        pytest.param(
            "reject",
            {},
            After("rejected", "stopped", planning=True, is_error=True),
            id="case:C041 reject",
        ),
        pytest.param(
            "reject_and_exit",
            {},
            After("rejected_and_exited", "stopped", is_error=True),
            id="case:C054 reject and exit",
        ),
        pytest.param("dismiss", {}, After("dismissed", "done", planning=True), id="dismiss"),
    ],
)
def test_what_a_decision_does(
    client: Client, waiting: Play, decision: str, fields: dict[str, Any], after: After
) -> None:
    assert decide(client, waiting, decision, **fields).json()["outcome"] == after.outcome
    assert waiting.state.plan.active is after.planning
    waiting.work()
    assert results(waiting)[-1].is_error is after.is_error
    assert [event.state for event in every(waiting, TurnEnded)] == [after.ends]


def test_the_answer_is_how_the_review_now_stands(
    client: Client, waiting: Play, reviewer: User
) -> None:
    before = get(client, f"/reviews/{waiting.review.pk}").json()
    assert (before["status"], before["outcome"], before["decision"]) == ("open", None, None)
    answer = decide(client, waiting, "approve", feedback="Go").json()
    after = get(client, f"/reviews/{waiting.review.pk}").json()
    assert after == {**answer, "text": PLAN}
    assert after["decision"].pop("at").endswith("+00:00")
    assert after["decision"] == {
        "by": "reviewer",
        "outcome": "approved",
        "option": "Large",
        "feedback": "Go",
        "reason": None,
        "start": True,
        "self_approved": False,
    }
    assert (after["status"], after["card_version"]) == ("resolved", before["card_version"] + 1)


def test_a_review_shows_what_was_submitted(client: Client, waiting: Play) -> None:
    """case:C048 case:C050."""
    shown = get(client, f"/reviews/{waiting.review.pk}").json()
    assert shown["text"] == PLAN
    assert shown["sha256"] == waiting.review.sha256
    assert shown["version"] == 1
    assert shown["options"] == [
        {"label": "Small", "description": ""},
        {"label": "Large", "description": ""},
    ]
    assert (shown["session"], shown["project"]) == (str(waiting.id), "default")
    assert get(client, f"/revisions/{shown['revision']}").json()["sha256"] == shown["sha256"]


@pytest.mark.parametrize("decision", ALL_FIVE)
def test_another_sha256_decides_nothing(client: Client, waiting: Play, decision: str) -> None:
    """security:S20 kimi:V8 case:C059."""
    response = decide(client, waiting, decision, sha256="0" * 64)
    assert problem(response) == (409, "revision_stale")
    assert response.json()["current"] == waiting.review.sha256
    assert waiting.review.status == "open"
    assert not DecisionRecord.objects.exists()


@pytest.mark.parametrize("decision", ALL_FIVE)
def test_the_second_decision_hears_of_the_first(
    client: Client, waiting: Play, project: Project, decision: str
) -> None:
    """kimi:V14 complaints:K-49, security:S20 kimi:V8: with by whom, what and when."""
    decide(client, waiting, "approve")
    second = decide(browser(member(project, "lea", Role.LEAD)), waiting, decision)
    assert problem(second) == (409, "review_closed")
    body = second.json()
    told = {name: body[name] for name in ("by", "outcome", "option", "review_status")}
    assert told == {
        "by": "reviewer",
        "outcome": "approved",
        "option": "Large",
        "review_status": "resolved",
    }
    assert body["at"] == waiting.review.decision.at.isoformat()
    assert "reviewer" in body["detail"]
    assert [name for name, _ in telemetry(waiting)].count("plan_resolved") == 1


def test_a_withdrawn_review_takes_no_decision(client: Client, waiting: Play) -> None:
    """complaints:K-30, case:C108: nobody decided, and it says so."""
    planmode.cancel_turn(waiting.id)
    response = decide(client, waiting, "approve")
    assert problem(response) == (409, "review_closed")
    body = response.json()
    assert (body["by"], body["outcome"], body["review_status"]) == (None, None, "withdrawn")
    closed_at = waiting.review.closed_at
    assert closed_at is not None
    assert body["at"] == closed_at.isoformat()


def test_an_old_revision_is_not_approved_any_more(
    client: Client, operator: User, reviewer: User
) -> None:
    """case:C060: revise, then approve the old one."""
    session = play(operator, [submits(), submits("# Plan\n\n2. Other\n")]).work()
    old = session.review
    decide(client, session, "revise")
    session.work()
    body = {"decision": "approve", "sha256": old.sha256}
    on_the_old_card = post(client, f"/reviews/{old.pk}/decision", body)
    on_the_new_card = post(client, f"/reviews/{session.review.pk}/decision", body)
    assert problem(on_the_old_card) == (409, "review_closed")
    assert problem(on_the_new_card) == (409, "revision_stale")
    assert session.review.status == "open"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param({"option": ""}, "decision_incomplete", id="none of the offered options"),
        pytest.param({"option": "Huge"}, "decision_incomplete", id="security:S20 unknown option"),
        pytest.param({"option": "large"}, "decision_incomplete", id="another case"),
        pytest.param({"reason": "Why"}, "decision_incomplete", id="reason of an approval"),
        pytest.param({"option": 2}, "invalid", id="option by number"),
        pytest.param({"start": "no"}, "invalid", id="start is no boolean"),
        pytest.param({"sha256": ""}, "invalid", id="case:C069 no sha256"),
        pytest.param({"sha256": "A" * 64}, "invalid", id="capitals"),
        pytest.param({"decision": "maybe"}, "invalid", id="unknown decision"),
        pytest.param({"decision": "auto_approve"}, "invalid", id="not a person's decision"),
        pytest.param({"decided_by": 1}, "invalid", id="security:S37"),
        pytest.param({"feedback": "a\0b"}, "invalid", id="NUL"),
        pytest.param({"feedback": "x" * 65537}, "decision_incomplete", id="over 64 KiB"),
        pytest.param({"feedback": "ä" * 32769}, "decision_incomplete", id="over 64 KiB of UTF-8"),
        pytest.param(
            {"decision": "revise", "option": "", "feedback": " \n"},
            "decision_incomplete",
            id="case:C044 revise without a word",
        ),
        pytest.param(
            {"decision": "revise", "option": "", "feedback": "  \u200b "},
            "decision_incomplete",
            id="revise with what nobody sees",
        ),
        pytest.param({"decision": "reject"}, "decision_incomplete", id="option of a rejection"),
        pytest.param(
            {"decision": "dismiss", "option": "", "start": False},
            "decision_incomplete",
            id="start of a dismissal",
        ),
    ],
)
def test_incomplete_decisions_change_nothing(
    client: Client, waiting: Play, change: dict[str, Any], code: str
) -> None:
    before = waiting.state
    body = {"decision": "approve", "sha256": waiting.review.sha256, "option": "Large", **change}
    response = post(client, f"/reviews/{waiting.review.pk}/decision", body)
    assert problem(response) == (422, code)
    assert waiting.review.status == "open"
    assert waiting.state == before
    assert not DecisionRecord.objects.exists()


def test_an_option_where_none_is_offered(client: Client, operator: User) -> None:
    session = play(operator, [submits(PLAN, "Only")]).work()
    refused = decide(client, session, "approve", option="Only")
    assert problem(refused) == (422, "decision_incomplete")
    assert decide(client, session, "approve", option="").status_code == 200


@pytest.mark.parametrize("decision", ALL_FIVE)
def test_a_token_never_decides(
    operator: User, project: Project, waiting: Play, decision: str
) -> None:
    """security:S19: not even where its owner, who reviews too, could."""
    project.memberships.create(user=operator, role=Role.REVIEWER)
    response = decide(program(operator, project), waiting, decision)
    assert problem(response) == (403, "token_never_decides")
    garbled = decide(program(operator, project), waiting, decision, sha256="not one")
    assert problem(garbled) == (403, "token_never_decides"), "the right comes before the body"
    assert waiting.review.status == "open"


def test_a_browser_decides_with_its_csrf_token_only(waiting: Play, reviewer: User) -> None:
    """security:S11."""
    client = browser(reviewer, checks_csrf=True)
    assert problem(decide(client, waiting, "dismiss")) == (403, "csrf_failed")
    assert waiting.review.status == "open"
    secret = "a" * 32
    client.cookies["csrftoken"] = secret
    path = f"/reviews/{waiting.review.pk}/decision"
    body = {"decision": "dismiss", "sha256": waiting.review.sha256}
    assert post(client, path, body, X_CSRFToken=secret).status_code == 200


@pytest.mark.parametrize("self_review", [False, True])
def test_people_decide_on_their_own_plans_where_the_project_says_so(
    project: Project,
    self_review: bool,  # noqa: FBT001 - the one parameter
) -> None:
    """case:C145."""
    Project.objects.filter(pk=project.pk).update(allow_self_review=self_review)
    both = member(project, "bo", Role.OPERATOR, Role.REVIEWER)
    session = play(both, [submits()]).work()
    response = decide(browser(both), session, "approve", option="")
    if self_review:
        assert response.json()["decision"]["self_approved"] is True
    else:
        assert problem(response) == (403, "own_plan")
        assert session.review.status == "open"


def test_an_admin_dismisses_and_does_nothing_else(admin: User, waiting: Play) -> None:
    client = browser(admin)
    for decision in ("approve", "revise", "reject", "reject_and_exit"):
        assert problem(decide(client, waiting, decision)) == (403, "not_allowed")
    assert decide(client, waiting, "dismiss").json()["decision"]["by"] == "admin"


def test_a_superuser_decides_nothing(project: Project, waiting: Play) -> None:
    root = User.objects.create_superuser("root")
    assert problem(decide(browser(root), waiting, "dismiss")) == (404, "review_unknown")


@pytest.mark.parametrize("text", [str(uuid4()), "1", "None"])
def test_an_unknown_review(client: Client, project: Project, text: str) -> None:
    """kimi:V14 complaints:K-49."""
    body = {"decision": "dismiss", "sha256": "0" * 64}
    assert problem(post(client, f"/reviews/{text}/decision", body)) == (404, "review_unknown")
    assert problem(get(client, f"/reviews/{text}")) == (404, "review_unknown")


def test_the_same_request_gets_the_first_answer(client: Client, waiting: Play) -> None:
    """security:S20, last entry: a captured POST, sent again."""
    first = decide(client, waiting, "approve", key="once")
    again = decide(client, waiting, "approve", key="once")
    other = decide(client, waiting, "reject", option="", key="once")
    assert first.status_code == again.status_code == 200
    assert again.json() == first.json()
    assert problem(other) == (422, "key_reused")
    assert DecisionRecord.objects.count() == 1


def test_one_persons_key_is_not_anothers(client: Client, waiting: Play, project: Project) -> None:
    decide(client, waiting, "approve", key="once")
    lead = browser(member(project, "lea", Role.LEAD))
    assert problem(decide(lead, waiting, "approve", key="once")) == (409, "review_closed")


def test_a_role_that_was_taken_away_decides_nothing(
    client: Client, waiting: Play, reviewer: User
) -> None:
    """security:S44: it is read in the transaction that acts, not when the page came."""
    reviewer.memberships.all().delete()
    assert problem(decide(client, waiting, "approve")) == (404, "review_unknown")


def _at_once(requests: list[Callable[[], Answer]]) -> list[Answer]:
    """Return the answers to requests that are sent in as many threads."""

    def send(request: Callable[[], Answer]) -> Answer:
        try:
            return request()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


@pytest.mark.django_db(transaction=True)
def test_of_many_decisions_at_once_the_first_wins(project: Project, waiting: Play) -> None:
    """case:C064: the others see who decided."""
    names = [f"reviewer{number}" for number in range(8)]
    clients = [browser(member(project, name, Role.REVIEWER)) for name in names]
    kinds = ["approve", "reject"] * 4
    answers = _at_once(
        [
            partial(decide, client, waiting, kind, option="Small" if kind == "approve" else "")
            for client, kind in zip(clients, kinds, strict=True)
        ]
    )
    won = [answer.json() for answer in answers if answer.status_code == 200]
    lost = [answer for answer in answers if answer.status_code != 200]
    assert len(won) == 1
    assert {problem(answer) for answer in lost} == {(409, "review_closed")}
    winner = won[0]["decision"]["by"]
    assert {answer.json()["by"] for answer in lost} == {winner}
    assert list(DecisionRecord.objects.values_list("by__username", flat=True)) == [winner]


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_once_decides_once(reviewer: User, waiting: Play) -> None:
    """case:C065."""
    clients = [browser(reviewer) for _ in range(6)]
    answers = _at_once([partial(decide, client, waiting, "approve", key="k") for client in clients])
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert FirstAnswer.objects.count() == DecisionRecord.objects.count() == 1


def test_a_decision_is_not_told_again_to_who_may_not_read_it(
    client: Client, waiting: Play, reviewer: User
) -> None:
    """security:S16: the first answer holds the plan's decision."""
    assert decide(client, waiting, "approve", key="k").status_code == 200
    reviewer.memberships.all().delete()
    assert problem(decide(client, waiting, "approve", key="k")) == (404, "review_unknown")


def test_a_get_never_decides(client: Client, waiting: Play) -> None:
    """security:S22."""
    response = client.get(f"{API}/reviews/{waiting.review.pk}/decision")
    assert problem(response) == (405, "method_not_allowed")
    assert response["Allow"] == "POST"
