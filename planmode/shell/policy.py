"""What a deployment may decide about shell lines."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self


class Permission(StrEnum):
    """One thing that a shell line may do or be made of, and still counts as read-only."""

    ASSIGNMENTS = "assignments"
    AWK_COMPARISONS = "awk_comparisons"
    AWK_FILES = "awk_files"
    BROWSERS = "browsers"
    BUILDS = "builds"
    CONTAINERS = "containers"
    CONTROL_FLOW = "control_flow"
    DATABASES = "databases"
    DD = "dd"
    DECOMPRESSORS = "decompressors"
    ENVIRONMENT = "environment"
    FIND_EXEC = "find_exec"
    GIT_CONFIG = "git_config"
    GIT_ELSEWHERE = "git_elsewhere"
    HERE_DOCUMENTS = "here_documents"
    NESTED_SHELLS = "nested_shells"
    NETWORK_READS = "network_reads"
    NOTIFICATIONS = "notifications"
    NULL_TEE = "null_tee"
    PACKAGES = "packages"
    PAGERS = "pagers"
    SECRET_PATHS = "secret_paths"  # noqa: S105 - the name of a permission
    SHELL_HISTORY = "shell_history"
    SHELL_VARIABLES = "shell_variables"
    SUBSTITUTIONS = "substitutions"
    SYNTAX_ERRORS = "syntax_errors"
    SYSTEM_STATE = "system_state"
    TEMPORARY_FILES = "temporary_files"
    TERMINAL_ESCAPES = "terminal_escapes"
    UNBOUNDED = "unbounded"
    UNUSUAL_CHARACTERS = "unusual_characters"
    WATCHING = "watching"
    WRAPPERS = "wrappers"
    XARGS = "xargs"


BY_DEFAULT: Final = frozenset(
    {
        Permission.ASSIGNMENTS,
        Permission.AWK_COMPARISONS,
        Permission.CONTAINERS,
        Permission.CONTROL_FLOW,
        Permission.ENVIRONMENT,
        Permission.GIT_CONFIG,
        Permission.HERE_DOCUMENTS,
        Permission.PACKAGES,
        Permission.SECRET_PATHS,
        Permission.SUBSTITUTIONS,
        Permission.SYNTAX_ERRORS,
        Permission.SYSTEM_STATE,
        Permission.UNBOUNDED,
        Permission.UNUSUAL_CHARACTERS,
        Permission.WRAPPERS,
        Permission.XARGS,
    }
)
"""Harmless to files, processes and remote ends; each may still be more than a team wants."""


class UnknownPermissionError(ValueError):
    """A name is none of the permissions'."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The permissions that hold where a line is read."""

    permissions: frozenset[Permission] = BY_DEFAULT

    def allows(self, permission: Permission) -> bool:
        """Return whether ``permission`` is given."""
        return permission in self.permissions

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """Return the default with ``name`` added and ``-name`` taken away, in their order.

        Raises:
            UnknownPermissionError: a name is no permission's.
        """
        held = set(BY_DEFAULT)
        for name in names:
            try:
                permission = Permission(name.removeprefix("-"))
            except ValueError as error:
                raise UnknownPermissionError(name) from error
            (held.discard if name.startswith("-") else held.add)(permission)
        return cls(frozenset(held))


STRICT: Final = Policy()
