"""Events and states as JSON, and the bytes that are hashed."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

import rfc8785
from pydantic import TypeAdapter, ValidationError

from planmode.core import events as ev
from planmode.core.errors import EventUnknownError

VERSION: Final = 1
NO_HASH: Final = "0" * 64
"""What the first link of a chain names as its predecessor."""

NAMES: Final[Mapping[type[ev.Event], str]] = {
    ev.SessionStarted: "session.started",
    ev.SessionForked: "session.forked",
    ev.MessagePosted: "message.posted",
    ev.ConversationUndone: "conversation.undone",
    ev.ContextCompacted: "context.compacted",
    ev.TurnQueued: "turn.queued",
    ev.StepStarted: "step.started",
    ev.ModelReplied: "model.replied",
    ev.ModelFailed: "model.failed",
    ev.ReminderInjected: "reminder.injected",
    ev.ToolStarted: "tool.started",
    ev.ToolFinished: "tool.finished",
    ev.ApprovalRequested: "approval.requested",
    ev.ApprovalResolved: "approval.resolved",
    ev.QuestionAsked: "question.asked",
    ev.QuestionAnswered: "question.answered",
    ev.ChildStarted: "child.started",
    ev.ChildReported: "child.reported",
    ev.PermissionModeRequested: "permission_mode.requested",
    ev.PermissionModeChanged: "permission_mode.changed",
    ev.AutoBreakerOpened: "auto_breaker.opened",
    ev.PlanModeRequested: "plan_mode.requested",
    ev.PlanModeEntered: "plan_mode.enter",
    ev.PlanModeExited: "plan_mode.exit",
    ev.PlanModeCancelled: "plan_mode.cancel",
    ev.PlanFileWritten: "plan_file.written",
    ev.PlanStepsListed: "plan.steps",
    ev.PlanRevisionRecorded: "plan.revision",
    ev.PlanSubmitted: "plan.submitted",
    ev.PlanResolved: "plan.resolved",
    ev.PlanReviewClosed: "plan.closed",
    ev.CommentReplied: "comment.replied",
    ev.TodoListWritten: "todo.written",
    ev.TurnEnded: "turn.ended",
}
_ADAPTERS: Final[Mapping[str, TypeAdapter[ev.Event]]] = {
    name: TypeAdapter(kind) for kind, name in NAMES.items()
}

_UNKEEPABLE: Final = re.compile("[\0\ud800-\udfff]")


def dumped(event: ev.Event) -> tuple[str, dict[str, Any]]:
    """Return the wire name of ``event`` and its payload (JSON values only)."""
    name = NAMES[type(event)]
    return name, cast("dict[str, Any]", _ADAPTERS[name].dump_python(event, mode="json"))


def name_of(kind: type[Any]) -> str:
    """Return the wire name of the event class ``kind``."""
    return NAMES[kind]


def loaded(name: str, version: int, payload: object) -> ev.Event:
    """Return the event that was stored under ``name``.

    Raises:
        EventUnknownError: this release knows no such event, or not in this version or form;
            guessing would make the fold a lie.
    """
    if version != VERSION or name not in _ADAPTERS:
        raise EventUnknownError(f"{name} version {version}: upgrade before you go on")
    try:
        return _ADAPTERS[name].validate_python(payload)
    except ValidationError as error:
        raise EventUnknownError(f"{name} version {version} has another form: {error}") from error


def canonical(value: object) -> bytes:
    """Return ``value`` as canonical JSON (RFC 8785)."""
    return rfc8785.dumps(cast("Any", value))


def link(domain: str, previous: str, content: bytes) -> str:
    """Return the hash that chains ``content`` behind ``previous``.

    ``domain`` names the chain's kind, so that a link of one chain is never one of another.
    """
    digest = hashlib.sha256(f"planmode:{domain}:{VERSION}\n{previous}\n".encode())
    digest.update(content)
    return digest.hexdigest()


def clean(text: str) -> str:
    """Return ``text`` without what no database and no UTF-8 file can hold.

    Each NUL and each lone surrogate becomes U+FFFD, so that a reader sees that something stood
    there.
    """
    return _UNKEEPABLE.sub("\ufffd", text)


def parsed(content: bytes) -> dict[str, Any]:
    """Return the JSON object whose canonical bytes are ``content``."""
    return cast("dict[str, Any]", json.loads(content))
