"""Which variables a line may set and still only read."""

import re
from typing import Final

from planmode.shell.policy import Permission

_LOCAL: Final = re.compile(r"(?!npm_)[a-z][a-z0-9_]*(?<!_proxy)", re.ASCII)
_HARMLESS: Final = re.compile(
    r"LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|CLICOLOR|FORCE_COLOR|COLUMNS|LINES", re.ASCII
)
_SHELL: Final = frozenset({"IFS", "PROMPT_COMMAND", "PS1", "PS2"})


def settable(name: str) -> bool:
    """Return whether setting the shell's variable ``name`` changes nothing but what is printed."""
    return bool(_LOCAL.fullmatch(name) or _HARMLESS.fullmatch(name))


def permission(name: str, *, exported: bool) -> Permission | None:
    """Return what has to be permitted to set ``name``; ``None`` where nothing suffices.

    ``exported``: programs see it, not the shell alone.
    """
    if name in _SHELL:
        return Permission.SHELL_VARIABLES
    harmless = _HARMLESS.fullmatch(name) if exported else settable(name)
    return Permission.ASSIGNMENTS if harmless else None
