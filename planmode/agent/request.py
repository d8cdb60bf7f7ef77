"""The next model call, compiled from log and state."""

import logging
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from typing import Any, Final
from uuid import UUID

from planmode.agent.catalog import tools_of
from planmode.agent.contracts import Arguments, ModelRequest, Tool, ToolSpec
from planmode.agent.workspace import Reach
from planmode.core.errors import StoredDataError
from planmode.core.events import Variant
from planmode.core.guard import offered
from planmode.core.presets import PlanModeConfig
from planmode.core.profiles import MAIN
from planmode.core.state import EMPTY, SessionState
from planmode.core.view import Message, UserMessage, transcript
from planmode.store import blobs, eventlog
from prompts.library import variant
from prompts.rendering import render

logger = logging.getLogger(__name__)

_REPLACED: Final = (Variant.PLAN_MODE,)
"""Of these the newest holds, where each request has the whole text."""


def build_request(
    session_id: UUID,
    state: SessionState,
    reach: Reach,
    config: PlanModeConfig,
    section: str = "",
) -> ModelRequest:
    """Return what the model is sent now.

    System prompt and tools are the same in and outside plan mode, byte for byte: only reminders
    and the guard change, so that a provider's cache stays good. Two kinds of session differ. Where
    the deployment writes the instructions, its ``section`` closes the system prompt while plan mode
    is on; where a planning agent is told of read-only tools alone, the others are left out.
    """
    log = eventlog.read(session_id)
    tools = tool_specs(config, state)
    messages = transcript(
        (item.event for item in log),
        cut_text=render("results/cancelled"),
        only_newest=_REPLACED if config.cadence.how == "each_request" else (),
    )
    return ModelRequest(
        system=_system(state, reach, config, section)
        if state.profile == MAIN
        else _system_of_child(state.profile, reach, tools),
        messages=messages,
        tools=tools,
        marks=state.marks,
        failures=state.turn.failures,
        last_outcome=state.plan.last_outcome,
        plan_file=reach.plan_path or "",
        profile=state.profile,
        files=_files(messages),
    )


def _files(messages: Iterable[Message]) -> dict[str, bytes]:
    """Return the attachments' bytes; of damaged ones the model is told that they are."""
    found: dict[str, bytes] = {}
    for message in messages:
        attached = message.attachments if isinstance(message, UserMessage) else ()
        for item in attached:
            try:
                found[item.sha256] = blobs.store().get(item.sha256)
            except StoredDataError:
                logger.exception("the attachment %s can't be given to the model", item.sha256)
    return found


def _system(state: SessionState, reach: Reach, config: PlanModeConfig, section: str) -> str:
    text = render(
        "system/base",
        workspace=str(reach.workspace.root),
        plan_mode=render(variant("system/plan_mode", config.source)),
    )
    if config.workflow == "section" and state.plan.active:
        return f"{text}\n\n{render('system/section', section=section)}"
    return text


def _system_of_child(profile: str, reach: Reach, tools: tuple[ToolSpec, ...]) -> str:
    """Return a child's instructions, made from the tools that it has."""
    names = [tool.name for tool in tools]
    shell = render(f"system/child/{'shell' if 'Bash' in names else 'no_shell'}")
    return render(
        f"system/{profile}",
        workspace=str(reach.workspace.root),
        tools=", ".join(names),
        read_only=render("system/child/read_only", shell=shell),
        data=render("system/child/data"),
        read_only_again=render("system/child/read_only_again"),
    )


def tool_specs(config: PlanModeConfig, state: SessionState = EMPTY) -> tuple[ToolSpec, ...]:
    """Return the catalogue as the model is told of it, in a fixed order."""
    return tuple(
        ToolSpec(tool.name, _description(tool.name, config, state.profile), _schema(tool))
        for tool in tools_of(config).values()
        if offered(tool.name, state, config)
    )


def _description(tool: str, config: PlanModeConfig, profile: str) -> str:
    """Return a text that speaks of no tool which the agent lacks."""
    case = config.source if profile == MAIN else "child"
    return render(variant(f"tools/{text_name(tool)}", case))


def _schema(tool: Tool[Any]) -> dict[str, Any]:
    """Return the arguments' schema, a copy that the caller may change."""
    arguments: type[Arguments] = tool.arguments
    return deepcopy(_schema_of(arguments))


@cache
def _schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the schema without what pydantic takes from docstrings; made once, it takes long.

    What the model reads comes from prompts/ alone.
    """
    return _without_descriptions(arguments.model_json_schema())


def _without_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in schema.items() if name not in {"description", "title"}}
    for group in ("properties", "$defs"):
        if group in kept:
            kept[group] = {name: _without_descriptions(item) for name, item in kept[group].items()}
    return kept


def text_name(tool: str) -> str:
    """Return ``AskUserQuestion`` as ``ask_user_question``: the name of the tool's text."""
    return "".join(f"_{c.lower()}" if c.isupper() and n else c.lower() for n, c in enumerate(tool))
