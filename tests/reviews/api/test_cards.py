"""Lists of cards by HTTP, page by page."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Project, Role
from planmode.services import cancel_turn
from reviews.core.decisions import DecisionKind
from tests.conftest import member
from tests.desk import allow, answer, decide
from tests.factories import Play, call, play, submits
from tests.planmode.api.http import Answer, browser, get, problem, program

VAULT = "# Move the vault\n\nThe key is under the mat.\n"
ASKS = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Which?"}])]}
WRITES = {"tool_calls": [call("Write", path="a.py", content="a = 1\n")]}


@pytest.fixture
def client(reviewer: User) -> Client:
    return browser(reviewer)


def ids(response: Answer) -> list[str]:
    return [row["id"] for row in response.json()["results"]]


def test_an_empty_list(client: Client) -> None:
    for path in ("/reviews", "/questions", "/approvals"):
        response = get(client, path)
        assert response.json() == {"results": [], "next": None}
        assert response["Cache-Control"] == "no-store"


def test_reviews_by_status(client: Client, operator: User, reviewer: User) -> None:
    """kimi:V14."""
    decided, withdrawn, waiting = (play(operator, [submits()]).work() for _ in range(3))
    decide(decided, reviewer, DecisionKind.REJECT, reason="No")
    cancel_turn(withdrawn.id)
    for status, session in (("resolved", decided), ("withdrawn", withdrawn), ("open", waiting)):
        rows = get(client, f"/reviews?status={status}").json()["results"]
        assert [(row["session"], row["status"]) for row in rows] == [(str(session.id), status)]
    everything = ids(get(client, "/reviews"))
    assert everything == [str(s.review.pk) for s in (waiting, withdrawn, decided)]
    assert ids(get(client, "/reviews?status=expired")) == []


SECRET = "curl -u admin:hunter2 https://example.org/ && " + "true; " * 100 + "rm -rf build"


def test_a_managers_lists_quote_nothing(operator: User, manager: User, reviewer: User) -> None:
    """security:S36: commands and questions are for those who may read plans."""
    asks = {"tool_calls": [call("AskUserQuestion", questions=[{"text": "Is it hunter2?"}])]}
    runs = {"tool_calls": [call("Bash", command=SECRET)]}
    edits = {"tool_calls": [call("Edit", path="a.py", old_string="hunter2", new_string="x")]}
    for replies in ([asks], [runs], [edits]):
        play(operator, replies, plan=False).work()
    for path, titles in (("/questions", ["Question"]), ("/approvals", ["Edit a.py", "Bash"])):
        shown = get(browser(manager), path)
        assert [row["title"] for row in shown.json()["results"]] == titles
        assert "hunter2" not in shown.content.decode()
        assert all(
            "hunter2" in row["summary"] for row in get(browser(reviewer), path).json()["results"]
        )


def test_an_approval_shows_the_whole_call(client: Client, operator: User) -> None:
    """What a yes allows can be read to its end."""
    session = play(operator, [{"tool_calls": [call("Bash", command=SECRET)]}], plan=False).work()
    shown = get(client, f"/approvals/{session.approval.pk}").json()
    assert "rm -rf build" not in shown["summary"]
    assert json.loads(shown["arguments"])["command"] == SECRET


def test_reviews_come_page_by_page(client: Client, operator: User) -> None:
    sessions = [play(operator, [submits()]).work() for _ in range(5)]
    newest_first = [str(session.review.pk) for session in reversed(sessions)]
    first = get(client, "/reviews?status=open&limit=3")
    before = first.json()["next"]
    second = get(client, f"/reviews?status=open&limit=3&before={before}")
    assert ids(first) == newest_first[:3]
    assert ids(second) == newest_first[3:]
    assert second.json()["next"] is None


def test_a_full_last_page_has_no_next(client: Client, operator: User) -> None:
    for _ in range(2):
        play(operator, [submits()]).work()
    assert get(client, "/reviews?limit=2").json()["next"] is None
    assert get(client, "/reviews?limit=1").json()["next"] is not None


@pytest.mark.parametrize("path", ["/reviews", "/questions", "/approvals"])
@pytest.mark.parametrize(
    "query",
    [
        "status=closed",
        "limit=0",
        "limit=201",
        "limit=1000000000",
        "limit=ten",
        "before=7",
        "order_by=sha256",
        "session__owner=1",
        "status__in=open",
    ],
)
def test_odd_queries_are_refused(client: Client, path: str, query: str) -> None:
    """security:S43."""
    assert problem(get(client, f"{path}?{query}")) == (400, "query_invalid")


def test_questions_and_approvals_by_status(client: Client, operator: User, reviewer: User) -> None:
    asking, asked = (play(operator, [ASKS, {"text": "So."}]).work() for _ in range(2))
    acting, acted = (play(operator, [WRITES, {"text": "So."}], plan=False).work() for _ in "ab")
    answer(asked, reviewer, "This")
    allow(acted, reviewer)
    assert ids(get(client, "/questions?status=open")) == [str(asking.question.pk)]
    assert ids(get(client, "/questions?status=resolved")) == [str(asked.question.pk)]
    assert ids(get(client, "/approvals?status=open")) == [str(acting.approval.pk)]
    (row,) = get(client, "/approvals?status=resolved").json()["results"]
    assert (row["id"], row["tool"], row["allowed"]) == (str(acted.approval.pk), "Write", True)


def test_a_list_shows_titles_and_states_but_no_text(manager: User, operator: User) -> None:
    """The manager's rule: figures, titles and states."""
    session = play(operator, [submits(VAULT)]).work()
    client = browser(manager)
    response = get(client, "/reviews?status=open")
    (row,) = response.json()["results"]
    assert (row["title"], row["status"], row["version"]) == ("Move the vault", "open", 1)
    assert "mat" not in response.content.decode()
    for path in (
        f"/reviews/{session.review.pk}",
        f"/revisions/{session.review.revision_id}",
        f"/revisions/{session.review.revision_id}/raw",
        f"/sessions/{session.id}",
        f"/sessions/{session.id}/events",
        f"/sessions/{session.id}/revisions",
    ):
        refused = get(client, path)
        assert problem(refused) == (403, "not_allowed")
        assert "mat" not in refused.content.decode()


def test_everybody_sees_their_projects_cards(
    project: Project, operator: User, reviewer: User
) -> None:
    """security:S36: lists leak nothing of other projects."""
    other = Project.objects.create(name="other")
    stranger = member(other, "ola", Role.OPERATOR, Role.REVIEWER)
    here = play(operator, [submits()]).work()
    there = play(stranger, [submits()], project="other").work()
    everywhere = User.objects.create_user("eve")
    everywhere.memberships.create(role=Role.REVIEWER)
    assert ids(get(browser(reviewer), "/reviews")) == [str(here.review.pk)]
    assert ids(get(browser(stranger), "/reviews")) == [str(there.review.pk)]
    assert ids(get(browser(everywhere), "/reviews")) == [
        str(there.review.pk),
        str(here.review.pk),
    ]
    assert problem(get(browser(stranger), f"/reviews/{here.review.pk}")) == (404, "review_unknown")


def test_a_token_sees_its_owners_cards(project: Project, operator: User) -> None:
    """security:S15."""
    colleague = member(project, "oz", Role.OPERATOR)
    mine, theirs = (play(owner, [submits()]).work() for owner in (operator, colleague))
    client = program(operator, project)
    assert ids(get(client, "/reviews")) == [str(mine.review.pk)]
    assert get(client, f"/reviews/{mine.review.pk}").status_code == 200
    assert problem(get(client, f"/reviews/{theirs.review.pk}")) == (404, "review_unknown")


def test_a_token_that_may_only_submit_reads_nothing(project: Project, operator: User) -> None:
    session: Play = play(operator, [submits()]).work()
    client = program(operator, project, frozenset({"submit"}))
    assert problem(get(client, "/reviews")) == (403, "not_allowed")
    assert problem(get(client, f"/reviews/{session.review.pk}")) == (403, "not_allowed")
