"""Permission modes: who has to approve a tool call outside plan mode."""

from enum import StrEnum
from typing import Final

AUTO_IS_OFF: Final = "permission mode auto is off in this project"


class PermissionMode(StrEnum):
    """How much an agent may do without asking."""

    MANUAL = "manual"
    ACCEPT_EDITS = "accept_edits"
    AUTO = "auto"
    YOLO = "yolo"


def restored(previous: PermissionMode | None, *, allow_auto: bool) -> tuple[PermissionMode, str]:
    """Return the mode that is on after plan mode, and why when it is not ``previous``.

    What the installation allowed when plan mode was entered may be forbidden by now.
    """
    if previous is PermissionMode.AUTO and not allow_auto:
        return PermissionMode.MANUAL, AUTO_IS_OFF
    return previous or PermissionMode.MANUAL, ""
