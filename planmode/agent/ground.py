"""What the installation and a project allow, as the guard is told."""

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from planmode.access.models import Project
from planmode.core.errors import RulesInvalidError
from planmode.core.guard import Ground
from planmode.core.rules import Level, Rules, parse_rules
from planmode.core.state import SessionState


class GroundError(Exception):
    """The permission rules can't be read: nothing may run until they can."""


def ground_of(project: Project, state: SessionState, *, sandbox: bool) -> Ground:
    """Return the ground rules of one session, as they are now.

    Raises:
        GroundError: a list of permission rules can't be used.
    """
    try:
        rules = _rules(installation_lines(), tuple(project.rules.splitlines()), state.rules)
    except (OSError, UnicodeDecodeError, RulesInvalidError) as error:
        raise GroundError(f"permission rules: {error}") from error
    return Ground(
        auto_exit=project.allow_auto,
        sandbox=sandbox,
        unsandboxed=settings.ALLOW_UNSANDBOXED_SHELL,
        auto=settings.AUTO_MODE,
        auto_pauses=settings.AUTO_WHILE_PLANNING == "pause",
        rules=rules,
    )


def installation_lines() -> tuple[str, ...]:
    """Return the lines of ``PERMISSION_RULES_FILE``; none where there is no such setting.

    Read each time: an operator who forbids something shall not have to restart anything.

    Raises:
        OSError: the file can't be read.
    """
    path: Path | None = settings.PERMISSION_RULES_FILE
    return tuple(path.read_text(encoding="utf-8").splitlines()) if path else ()


@lru_cache(maxsize=64)
def _rules(
    installation: tuple[str, ...], project: tuple[str, ...], session: tuple[str, ...]
) -> Rules:
    return Rules(
        (
            *parse_rules(installation, Level.INSTALLATION),
            *parse_rules(project, Level.PROJECT),
            *parse_rules(session, Level.SESSION),
        )
    )
