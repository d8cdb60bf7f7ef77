"""What an agent may use at all: the main one, and its children."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MAIN: Final = "agent"


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of agent; ``tools`` is ``None`` where every tool of the catalogue is offered.

    ``read_only``: whatever the session's permission mode, nothing may change, as in plan mode.
    ``reusable``: whether a child may be given another task after it has reported.
    """

    name: str
    tools: frozenset[str] | None = None
    read_only: bool = True
    reusable: bool = False

    def offers(self, tool: str) -> bool:
        """Return whether an agent of this profile may call ``tool``."""
        return self.tools is None or tool in self.tools


PROFILES: Final[Mapping[str, Profile]] = {
    MAIN: Profile(MAIN, read_only=False),
    "explore": Profile(
        "explore", frozenset({"Read", "Grep", "Glob", "Bash", "TodoList"}), reusable=True
    ),
    "plan": Profile("plan", frozenset({"Read", "Grep", "Glob", "TodoList"})),
}
CHILDREN: Final = tuple(name for name in PROFILES if name != MAIN)
"""The profiles that a main agent may start; no child starts another."""
