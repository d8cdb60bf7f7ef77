"""manage.py check: closed sets have their texts, commands a sandbox."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import (
    CheckMessage,
    Error,
    Tags,
    Warning,  # noqa: A004 - its name
    register,
)
from django.db import DatabaseError

from planmode.agent.catalog import TOOLS
from planmode.agent.ground import installation_lines
from planmode.agent.outside.servers import Address, Server, ServersInvalidError, configured
from planmode.agent.outside.toolbox import sdk_is_there
from planmode.agent.request import text_name
from planmode.agent.sandbox import Sandbox
from planmode.core.errors import RulesInvalidError
from planmode.core.events import ReminderKind
from planmode.core.guard import KIND_OF, Refusal
from planmode.core.outcomes import Outcome
from planmode.core.rules import Level, parse_rules
from planmode.knobs import section_of
from planmode.queries import projects_without_section
from prompts.library import NAMES


@register("planmode")
def texts_are_complete(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - the signature is Django's
    """Return an error for each member of a closed set that lacks its text."""
    # How a review ended is told in the words of prompts/results.
    wanted = [f"reminders/{kind}" for kind in ReminderKind if kind is not ReminderKind.REVIEWED]
    wanted += [f"results/{why}" for why in Refusal]
    wanted += [f"results/{outcome}" for outcome in Outcome]
    wanted += [f"tools/{text_name(tool)}" for tool in TOOLS]
    return [
        Error(f"prompts/{name}.md is missing", hint="write it", id="planmode.E001")
        for name in _missing(wanted)
    ]


@register("planmode")
def tools_are_known_to_the_guard(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - as above
    """Return an error for each tool that the guard has no row for."""
    return [
        Error(f"the guard does not know {tool}", hint="add it to KIND_OF", id="planmode.E002")
        for tool in TOOLS
        if tool not in KIND_OF
    ]


@register("planmode")
def commands_have_a_sandbox(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - as above
    """Return a warning where this process could not run a command in a sandbox."""
    if Sandbox.probe().available:
        return []
    return [
        Warning(
            "this host offers no sandbox: a command that runs sees all that the server sees",
            hint="install bubblewrap and allow user namespaces (docs/operations.md)",
            id="planmode.W001",
        )
    ]


@register("planmode")
def commands_are_held_to_limits(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - as above
    """Return a warning for each limit that a command here would not be held to."""
    return [
        Warning(
            f"commands are not held to all of their limits: {why}",
            hint="SHELL_CPU_S and its neighbours name them (docs/operations.md)",
            id="planmode.W002",
        )
        for why in Sandbox.probe().unheld()
    ]


@register("planmode")
def the_plan_section_says_something(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - as above
    """Return an error where the file that tells agents how to plan can't be used."""
    try:
        if settings.PLAN_SECTION_FILE is None or section_of(""):
            return []
        problem = "is blank"
    except (OSError, UnicodeDecodeError) as error:
        problem = f"can't be read: {error}"
    hint = "without it, sessions of the preset dsh are refused"
    return [Error(f"PLAN_SECTION_FILE {problem}", hint=hint, id="planmode.E003")]


@register(Tags.database)
def projects_say_how_to_plan(
    databases: Sequence[str] | None = None,
    **_: Any,  # noqa: ANN401 - as above
) -> list[CheckMessage]:
    """Return an error for each project with agents at work that nothing tells how to plan.

    Only with ``check --database default``, since it asks the database.
    """
    try:
        names = projects_without_section() if databases else []
    except (DatabaseError, OSError, UnicodeDecodeError):
        return []  # migrate asks before there is any table; the file has its own check
    return [
        Error(
            f"agents of project {name} have to be told how to plan, and nothing tells them",
            hint="set its plan section, or PLAN_SECTION_FILE",
            id="planmode.E004",
        )
        for name in names
    ]


@register("planmode")
def permission_rules_can_be_used(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - as above
    """Return an error where the installation's rules can't be read: no agent works then."""
    try:
        parse_rules(installation_lines(), Level.INSTALLATION)
    except (OSError, UnicodeDecodeError, RulesInvalidError) as error:
        hint = "docs/permission-rules.md says how rules are written"
        return [Error(f"PERMISSION_RULES_FILE: {error}", hint=hint, id="planmode.E005")]
    return []


@register("planmode")
def outside_servers_can_be_used(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - as above
    """Return a warning for each fault of the file of servers; asks no server.

    Warnings, since the installation works without outside tools.
    """
    try:
        servers = configured()
    except ServersInvalidError as error:
        hint = "until then there are no outside tools (docs/operations.md)"
        return [Warning(line, hint=hint, id="planmode.W010") for line in str(error).splitlines()]
    found = [fault for server in servers for fault in _faults(server)]
    if servers and not sdk_is_there():
        hint = "pip install 'planmode[mcp]'"
        found.append(Warning("outside tools need the extra mcp", hint=hint, id="planmode.W011"))
    return found


def _faults(server: Server) -> Iterator[CheckMessage]:
    for name in server.missing():
        text = f"outside server {server.name} needs {name}, which is not set"
        yield Warning(text, hint="set it for every worker", id="planmode.W012")
    if isinstance(server.way, Address) and server.way.exposed:
        text = f"outside server {server.name} is spoken to without encryption"
        yield Warning(text, hint="use an https address", id="planmode.W013")


def _missing(wanted: Iterable[str]) -> list[str]:
    return sorted(set(wanted) - set(NAMES))
