"""Permission modes: who has to approve a tool call outside plan mode."""

from enum import StrEnum


class PermissionMode(StrEnum):
    """How much an agent may do without asking."""

    MANUAL = "manual"
    ACCEPT_EDITS = "accept_edits"
    AUTO = "auto"
    YOLO = "yolo"
