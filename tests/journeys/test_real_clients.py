"""Real provider clients, through a whole session."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from planmode.access.may import caller_of
from planmode.agent.models import loops
from planmode.core.events import TurnState
from planmode.store import planfiles
from reviews import services
from reviews.core.decisions import Decision, DecisionKind
from tests.factories import PLAN, Play, play
from tests.stubs.model_server import Call, ModelStub

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelStub]:
    """A model server on this machine: no test can call a paid API by accident."""
    with ModelStub() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic_url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        loops.close_all()
        yield server
        loops.close_all()


@pytest.mark.django_db
@pytest.mark.parametrize("model", ["openai-chat:stub", "openai:stub", "anthropic:claude-stub"])
def test_a_whole_session(model: str, stub: ModelStub, operator: User, reviewer: User) -> None:
    """It explores, plans, is sent back, plans again, is approved, edits a file and finishes."""
    session = play(operator, [], model=model, permission_mode="accept_edits")
    answer(stub, plan_path(session))

    session.work()
    decide(session, reviewer, DecisionKind.REVISE, feedback="Say how you test it.")
    session.work()
    decide(session, reviewer, DecisionKind.APPROVE, option="Small")
    session.work()

    assert session.turn.state == TurnState.DONE
    assert (session.workspace / "parser.py").read_text(encoding="utf-8") == "value = 2\n"
    assert session.review.revision_version == 2
    assert session.review.outcome == "approved"
    told = json.dumps([request.body for request in stub.requests])
    assert "Say how you test it." in told
    assert "Plan mode is on." in told
    assert KEY not in told


def plan_path(session: Play) -> str:
    plan_id = session.state.plan.plan_id
    assert plan_id is not None
    return str(planfiles.session_folder(session.id) / planfiles.relative(plan_id))


def answer(stub: ModelStub, path: str) -> None:
    options = {"options": [{"label": "Small"}, {"label": "Large"}]}
    stub.answer("I look around first.", Call("Glob", {"pattern": "**/*.py"}))
    stub.answer("", Call("Write", {"path": path, "content": PLAN}), Call("ExitPlanMode", options))
    stub.answer(
        "",
        Call("Edit", {"path": path, "old_string": "2. Split it", "new_string": "2. Test it"}),
        Call("ExitPlanMode", options),
    )
    edit = {"path": "parser.py", "old_string": "value = 1", "new_string": "value = 2"}
    stub.answer("Now the work.", Call("Edit", edit))
    stub.answer("Done.")


def decide(session: Play, reviewer: User, kind: DecisionKind, **fields: Any) -> None:  # noqa: ANN401 - fields of Decision
    decision = Decision(kind, session.review.sha256, **fields)
    by = caller_of(reviewer)
    assert by is not None
    services.decide(session.review.pk, decision, by=by)
