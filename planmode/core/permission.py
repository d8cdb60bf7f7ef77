"""Permission modes: who has to approve a tool call outside plan mode."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

AUTO_IS_OFF: Final = "permission mode auto is off here"
"""In the installation, or in the project."""
AUTO_PAUSES: Final = "permission mode auto pauses while the agent plans"
BREAKER_IS_OPEN: Final = "permission mode auto was switched off after too many refused calls"


class PermissionMode(StrEnum):
    """How much an agent may do without asking."""

    MANUAL = "manual"
    ACCEPT_EDITS = "accept_edits"
    AUTO = "auto"
    YOLO = "yolo"


@dataclass(frozen=True, slots=True)
class Breaker:
    """What was refused in permission mode ``auto`` since a person chose it.

    ``in_row`` counts refused calls with none that ran between them, ``total`` all of them.
    """

    in_row: int = 0
    total: int = 0
    open: bool = False

    def refused(self) -> "Breaker":
        """Return the counts after one more refused call."""
        return Breaker(self.in_row + 1, self.total + 1, self.open)

    def ran(self) -> "Breaker":
        """Return the counts after a call that ran."""
        return Breaker(0, self.total, self.open)


NO_REFUSALS: Final = Breaker()


@dataclass(frozen=True, slots=True)
class BreakerLimits:
    """How many refused calls open the breaker of ``auto``: in a row, or in all."""

    in_row: int = 3
    total: int = 20

    def reached(self, breaker: Breaker) -> bool:
        """Return whether ``breaker`` has to open."""
        return breaker.in_row >= self.in_row or breaker.total >= self.total


def restored(
    previous: PermissionMode | None, *, allow_auto: bool, breaker: Breaker = NO_REFUSALS
) -> tuple[PermissionMode, str]:
    """Return the mode that is on after plan mode, and why when it is not ``previous``.

    What the installation allowed when plan mode was entered may be forbidden by now.
    """
    if previous is PermissionMode.AUTO and not allow_auto:
        return PermissionMode.MANUAL, AUTO_IS_OFF
    if previous is PermissionMode.AUTO and breaker.open:
        return PermissionMode.MANUAL, BREAKER_IS_OPEN
    return previous or PermissionMode.MANUAL, ""
