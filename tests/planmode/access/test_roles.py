"""Who gets what answer at each address of the API: one table, walked."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from planmode.access.models import Project, Role, Token
from planmode.api.urls import urlpatterns as planmode_urls
from reviews.api.urls import urlpatterns as reviews_urls
from tests.conftest import member
from tests.factories import Play, call, play, submits
from tests.planmode.api.http import API, browser, get, post, program

ASKS = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]}
WRITES = {"tool_calls": [call("Write", path="a.py", content="a = 1\n")]}


@dataclass(frozen=True, slots=True)
class Scene:
    """A session with an open review, one with a question, one with a tool approval."""

    planning: Play
    asking: Play
    acting: Play

    def request(self, name: str) -> tuple[str, dict[str, Any] | None]:
        """Return path and body (``None``: a GET) of the address ``name``."""
        review, question, approval = (
            self.planning.review,
            self.asking.question,
            self.acting.approval,
        )
        return {
            "api-sessions": ("/sessions", {"workspace": "work-0", "prompt": "Go", "model": "m:x"}),
            "api-session": (f"/sessions/{self.planning.id}", None),
            "api-events": (f"/sessions/{self.planning.id}/events", None),
            "api-messages": (f"/sessions/{self.planning.id}/messages", {"text": "Hello"}),
            "api-commands": (f"/sessions/{self.planning.id}/commands", {"text": "Hello"}),
            "api-plan": (f"/sessions/{self.planning.id}/plan", None),
            "api-retry": (f"/sessions/{self.planning.id}/retry", {}),
            "api-undo": (f"/sessions/{self.planning.id}/undo", {"to": 3}),
            "api-fork": (f"/sessions/{self.planning.id}/fork", {}),
            "api-revisions": (f"/sessions/{self.planning.id}/revisions", None),
            "api-revision": (f"/revisions/{review.revision_id}", None),
            "api-raw": (f"/revisions/{review.revision_id}/raw", None),
            "api-reviews": ("/reviews?status=open", None),
            "api-review": (f"/reviews/{review.pk}", None),
            "api-diff": (f"/reviews/{review.pk}/diff?from={review.pk}", None),
            "api-decision": (
                f"/reviews/{review.pk}/decision",
                {"decision": "reject", "sha256": review.sha256, "reason": "No"},
            ),
            "api-withdraw": (f"/reviews/{review.pk}/withdraw", {}),
            "api-extend": (f"/reviews/{review.pk}/extend", {}),
            "api-questions": ("/questions?status=open", None),
            "api-question": (f"/questions/{question.pk}", None),
            "api-question-answer": (f"/questions/{question.pk}/answer", {"answers": ["A"]}),
            "api-approvals": ("/approvals?status=open", None),
            "api-approval": (f"/approvals/{approval.pk}", None),
            "api-approval-answer": (f"/approvals/{approval.pk}/answer", {"allow": True}),
            "api-unknown": ("/nothing/here", None),
        }[name]


CALLERS = (
    "anonymous", "deactivated", "revoked token", "stranger", "other project", "reviewer", "lead",
    "owner", "operator", "manager", "admin", "owner's token", "reading token", "submitting token",
    "other token", "reviewer's token", "leaver's token",
)  # fmt: skip

READS_ONE = (401, 401, 401, 404, 404, 200, 200, 200, 200, 403, 200, 200, 200, 403, 404, 404, 404)
LISTS = (401, 401, 401, 403, 200, 200, 200, 200, 200, 200, 200, 200, 200, 403, 200, 200, 403)
STARTS = (401, 401, 401, 404, 404, 403, 403, 201, 201, 403, 403, 201, 403, 201, 201, 403, 404)
POSTS = (401, 401, 401, 404, 404, 403, 403, 202, 403, 403, 403, 202, 403, 202, 404, 404, 404)
SENDS = tuple(200 if status == 202 else status for status in POSTS)
# Of these the turn that waits is in the way: 409 is what somebody gets who may.
RETRIES = tuple(409 if status == 202 else status for status in POSTS)
STEERS = (401, 401, 401, 404, 404, 403, 403, 409, 403, 403, 403, 403, 403, 403, 404, 404, 404)
FORKS = tuple(201 if status == 409 else status for status in STEERS)
DECIDES = (401, 401, 401, 404, 404, 200, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403)
ANSWERS = (401, 401, 401, 404, 404, 200, 200, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403)
# 409 is what somebody gets who may: there is no vote, and no deadline.
WITHDRAWS = tuple(409 if status == 200 else status for status in DECIDES)
EXTENDS = (401, 401, 401, 404, 404, 409, 409, 403, 403, 403, 409, 403, 403, 403, 403, 403, 403)

ROWS: dict[str, tuple[int, ...]] = {
    "api-sessions": STARTS,
    "api-session": READS_ONE,
    "api-events": READS_ONE,
    "api-messages": POSTS,
    "api-commands": SENDS,
    "api-plan": READS_ONE,
    "api-retry": RETRIES,
    "api-undo": STEERS,
    "api-fork": FORKS,
    "api-revisions": READS_ONE,
    "api-revision": READS_ONE,
    "api-raw": READS_ONE,
    "api-reviews": LISTS,
    "api-review": READS_ONE,
    "api-diff": READS_ONE,
    "api-decision": DECIDES,
    "api-withdraw": WITHDRAWS,
    "api-extend": EXTENDS,
    "api-questions": LISTS,
    "api-question": READS_ONE,
    "api-question-answer": ANSWERS,
    "api-approvals": LISTS,
    "api-approval": READS_ONE,
    "api-approval-answer": ANSWERS,
    "api-unknown": (404,) * len(CALLERS),
}


def _addresses() -> Iterator[str]:
    for pattern in [*planmode_urls, *reviews_urls]:
        assert isinstance(pattern, URLPattern)
        yield str(pattern.name)


def test_every_address_has_a_row() -> None:
    assert sorted(_addresses()) == sorted(ROWS)


@pytest.fixture
def scene(operator: User) -> Scene:
    return Scene(
        play(operator, [submits()]).work(),
        play(operator, [ASKS]).work(),
        play(operator, [WRITES], plan=False).work(),
    )


@pytest.fixture
def clients(project: Project, operator: User, stranger: User) -> dict[str, Client]:
    """One client for each caller, in the order of the table."""

    def has(name: str, *roles: Role, where: Project = project) -> Client:
        return browser(member(where, name, *roles))

    def shows(owner: User, *scopes: str) -> Client:
        return program(owner, project, frozenset(scopes))

    elsewhere = Project.objects.create(name="other")
    made: dict[str, Callable[[], Client]] = {
        "anonymous": Client,
        "deactivated": lambda: _deactivated(project),
        "revoked token": lambda: _revoked(operator, project),
        "stranger": lambda: browser(stranger),
        "other project": lambda: has("elsa", Role.REVIEWER, Role.OPERATOR, where=elsewhere),
        "reviewer": lambda: has("ray", Role.REVIEWER),
        "lead": lambda: has("lea", Role.LEAD),
        "owner": lambda: browser(operator),
        "operator": lambda: has("oz", Role.OPERATOR),
        "manager": lambda: has("max", Role.MANAGER),
        "admin": lambda: has("ada", Role.ADMIN),
        "owner's token": lambda: shows(operator, "submit", "read"),
        "reading token": lambda: shows(operator, "read"),
        "submitting token": lambda: shows(operator, "submit"),
        "other token": lambda: shows(User.objects.get(username="oz"), "submit", "read"),
        "reviewer's token": lambda: shows(User.objects.get(username="ray"), "submit", "read"),
        "leaver's token": lambda: shows(_left(project), "submit", "read"),
    }
    assert tuple(made) == CALLERS
    return {name: make() for name, make in made.items()}


def _deactivated(project: Project) -> Client:
    user = member(project, "dan", Role.REVIEWER, Role.OPERATOR)
    client = browser(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    return client


def _left(project: Project) -> User:
    """Return somebody who has lost every role."""
    user = member(project, "lou", Role.OPERATOR)
    user.memberships.all().delete()
    return user


def _revoked(owner: User, project: Project) -> Client:
    client = program(owner, project)
    Token.objects.update(revoked_at=timezone.now())
    return client


@pytest.mark.parametrize("name", ROWS)
def test_who_gets_what_answer(name: str, scene: Scene, clients: dict[str, Client]) -> None:
    """security:S15 security:S16 security:S36, and the roles of the table in docs/api.md."""
    path, body = scene.request(name)
    answers = {}
    for caller, client in clients.items():
        with transaction.atomic():
            response = get(client, path) if body is None else post(client, path, body)
            transaction.set_rollback(True)  # so that everybody finds the same scene
        answers[caller] = response.status_code
    assert answers == dict(zip(CALLERS, ROWS[name], strict=True))


def test_who_may_edit_the_plan_or_leave_plan_mode(scene: Scene, clients: dict[str, Client]) -> None:
    """security:S19: no program does, since it would decide about its own plan."""
    path = f"{API}/sessions/{scene.planning.id}"
    edit = json.dumps({"content": "# Mine", "base_sha256": "0" * 64})
    edits, leaves = {}, {}
    for caller, client in clients.items():
        answer = client.put(f"{path}/plan", edit, content_type="application/json")
        edits[caller] = answer.status_code  # 409: this is not the hash of what is there
        with transaction.atomic():
            answer = post(client, f"/sessions/{scene.planning.id}/commands", {"text": "/plan off"})
            transaction.set_rollback(True)
        leaves[caller] = answer.status_code
    assert edits == dict(zip(CALLERS, STEERS, strict=True))
    assert leaves == {who: 200 if status == 409 else status for who, status in edits.items()}
