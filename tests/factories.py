"""Complete valid rows, made through the real services."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml
from django.conf import settings
from django.contrib.auth.models import User

from planmode import services, tasks
from planmode.core.state import SessionState
from planmode.models import Claim, Session, Turn
from planmode.services import NewSession
from reviews.models import Approval, Question, Review

DONE = {"text": "Done."}
STOPS_EARLY = {"text": "Done.", "repeat": 2}
"""An agent that stops while it should plan is told so once, and is asked again."""
PLAN = "# Tidy the parser\n\n1. Read parser.py\n2. Split it\n"
LEASE = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Play:
    """A session that plays a script in this process; ``work()`` runs what is due."""

    id: UUID

    @property
    def state(self) -> SessionState:
        return Session.objects.get(pk=self.id).fold

    @property
    def child(self) -> "Play":
        """The agent that this one started last."""
        return Play(Session.objects.filter(parent_id=self.id).latest("created_at").pk)

    @property
    def turn(self) -> Turn:
        return Turn.objects.filter(session_id=self.id).latest("number")

    @property
    def workspace(self) -> Path:
        return Path(Session.objects.get(pk=self.id).workspace)

    @property
    def review(self) -> Review:
        """The newest review."""
        return Review.objects.filter(session_id=self.id).latest("opened_at")

    @property
    def question(self) -> Question:
        """The newest question."""
        return Question.objects.filter(session_id=self.id).latest("opened_at")

    @property
    def approval(self) -> Approval:
        """The newest tool approval."""
        return Approval.objects.filter(session_id=self.id).latest("opened_at")

    def work(self) -> "Play":
        """Run the session's due turn as a worker would, in this thread."""
        for turn_id in Turn.objects.filter(session_id=self.id).due().values_list("pk", flat=True):
            tasks.run_slice(turn_id)
        return self


def play(
    owner: User,
    replies: list[dict[str, Any]],
    agents: dict[str, list[dict[str, Any]]] | None = None,
    **fields: Any,  # noqa: ANN401 - fields of NewSession
) -> Play:
    """Start a session of ``owner`` with a scripted model that gives ``replies``.

    ``agents`` are those of the agents that it starts, by their profile.
    """
    number = Session.objects.count()
    written = {"replies": replies, "agents": agents or {}}
    script = settings.SCRIPTS_DIR / f"script-{number}.yaml"
    script.write_text(yaml.safe_dump(written), encoding="utf-8")
    workspace = settings.WORKSPACE_ROOTS[0] / f"work-{number}"
    workspace.mkdir()
    (workspace / "parser.py").write_text("value = 1\n", encoding="utf-8")
    new = {
        "project": "default",
        "workspace": str(workspace),
        "prompt": "Tidy the parser",
        "model": f"scripted:{script.name}",
        **fields,
    }
    return Play(services.start_session(NewSession(**new), owner=owner))


def one(owner: User, *calls: dict[str, Any], **fields: Any) -> Play:  # noqa: ANN401 - of the session
    """Return a session whose model makes ``calls`` in one reply, after the slice that runs them."""
    return play(owner, [{"tool_calls": list(calls)}, STOPS_EARLY], **fields).work()


def claim(session: Play) -> Claim:
    """Take the session's due turn as a worker."""
    from_queue = Turn.objects.claim(session.turn.pk, worker="w", lease=LEASE)
    assert from_queue is not None
    return from_queue


def call(name: str, **args: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    """Return a tool call as scripts write it."""
    return {"name": name, "args": args}


def submits(plan: str = PLAN, *options: str) -> dict[str, Any]:
    """Return a reply that writes the plan file and submits it in one go."""
    offered = {"options": [{"label": label} for label in options]} if options else {}
    return {
        "tool_calls": [
            call("Write", path="${plan_file}", content=plan),
            call("ExitPlanMode", **offered),
        ]
    }
