"""Sessions of agents that an agent started, by HTTP."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.factories import STOPS_EARLY, Play, call, play
from tests.planmode.api.http import browser, get, post, problem


@pytest.fixture
def parent(operator: User) -> Play:
    """A session whose agent waits for another one."""
    task = call("Agent", profile="explore", task="Where is value set?")
    agents = {"explore": [{"text": "In parser.py."}]}
    return play(operator, [{"tool_calls": [task]}, STOPS_EARLY], agents).work()


def shown(user: User, session: Play) -> dict[str, Any]:
    body: dict[str, Any] = get(browser(user), f"/sessions/{session.id}").json()
    return body


def test_a_parent_names_its_children_and_the_one_that_it_waits_for(
    parent: Play, operator: User
) -> None:
    body = shown(operator, parent)
    child = str(parent.child.id)
    assert (body["parent"], body["profile"]) == (None, "agent")
    assert body["children"] == {child: "explore"}
    assert body["waiting_for"] == {"kind": "agent", "id": child}


def test_a_child_names_its_parent_and_its_profile(parent: Play, operator: User) -> None:
    body = shown(operator, parent.child)
    assert (body["parent"], body["profile"]) == (str(parent.id), "explore")
    assert (body["planning"], body["children"]) == (False, {})


def test_nobody_says_anything_to_a_child(parent: Play, operator: User) -> None:
    path = f"/sessions/{parent.child.id}/messages"
    refused = post(browser(operator), path, {"text": "Write"})
    assert problem(refused) == (409, "child_session")
