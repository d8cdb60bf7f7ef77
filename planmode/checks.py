"""manage.py check: closed sets have their texts."""

from collections.abc import Iterable
from typing import Any

from django.core.checks import CheckMessage, Error, register

from planmode.agent.catalog import TOOLS
from planmode.agent.request import text_name
from planmode.core.events import ReminderKind
from planmode.core.guard import KIND_OF, Refusal
from planmode.core.outcomes import Outcome
from prompts.library import NAMES


@register("planmode")
def texts_are_complete(**_: Any) -> list[CheckMessage]:  # noqa: ANN401 - the signature is Django's
    """Return an error for each member of a closed set that lacks its text."""
    wanted = [f"reminders/{kind}" for kind in ReminderKind]
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


def _missing(wanted: Iterable[str]) -> list[str]:
    return sorted(set(wanted) - set(NAMES))
