"""The next model call: same log, same bytes."""

import json

import pytest
from django.contrib.auth.models import User

from planmode.agent.catalog import TOOLS
from planmode.agent.contracts import ModelRequest
from planmode.agent.request import build_request, text_name, tool_specs
from planmode.agent.workspace import Reach
from planmode.core.outcomes import Outcome
from planmode.core.presets import PRESETS
from planmode.core.view import AssistantMessage, ToolMessage, UserMessage
from planmode.store import planfiles
from planmode.store.confined import ConfinedFolder
from reviews.core.decisions import DecisionKind
from tests import desk
from tests.factories import Play, call, play, submits

DONE = {"text": "Done."}


def request(session: Play) -> ModelRequest:
    """Return what the session's model would be sent now."""
    plan_id = session.state.plan.plan_id
    reach = Reach(
        ConfinedFolder(session.workspace),
        planfiles.folder(session.id),
        planfiles.relative(plan_id) if plan_id else None,
    )
    return build_request(session.id, session.state, reach, PRESETS["kimi"])


@pytest.mark.django_db
def test_system_text_and_tools_are_the_same_in_and_outside_plan_mode(operator: User) -> None:
    """kimi:F7."""
    planning = request(play(operator, [DONE]))
    working = request(play(operator, [DONE], plan=False))
    assert planning.tools == working.tools
    assert planning.system.replace("work-0", "work-1") == working.system


@pytest.mark.django_db
def test_the_same_log_gives_the_same_request(operator: User) -> None:
    session = play(operator, [{"tool_calls": [call("Read", path="parser.py")]}, submits()]).work()
    assert request(session) == request(session)
    kinds = [type(message) for message in request(session).messages]
    assert kinds == [
        *[UserMessage, UserMessage, AssistantMessage, ToolMessage],
        *[AssistantMessage, ToolMessage],
    ]


@pytest.mark.django_db
def test_a_request_says_what_scripts_go_by(operator: User, reviewer: User) -> None:
    session = play(operator, [submits(), DONE]).work()
    desk.decide(session, reviewer, DecisionKind.DISMISS)
    sent = request(session)
    assert sent.last_outcome is Outcome.DISMISSED
    assert sent.marks == {"0": 1}
    assert sent.plan_file == str(desk.plan_path(session))
    assert str(session.workspace) in sent.system


@pytest.mark.django_db
def test_outside_plan_mode_there_is_no_plan_file(operator: User) -> None:
    assert request(play(operator, [DONE], plan=False)).plan_file == ""


def test_tools_are_told_in_the_catalogue_s_order() -> None:
    specs = tool_specs(PRESETS["kimi"])
    assert [spec.name for spec in specs] == list(TOOLS)
    assert specs == tool_specs(PRESETS["kimi"])
    assert all(spec.description for spec in specs)


@pytest.mark.parametrize("preset", PRESETS)
def test_schemas_hold_no_words_of_the_program(preset: str) -> None:
    """What a model reads comes from prompts/ alone."""
    for spec in tool_specs(PRESETS[preset]):
        assert "description" not in spec.schema
        assert '"title"' not in json.dumps(spec.schema)


def test_the_name_of_a_tool_s_text() -> None:
    assert text_name("AskUserQuestion") == "ask_user_question"
    assert text_name("Read") == "read"
