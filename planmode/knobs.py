"""The knobs of a session's preset, with what the installation chose."""

from django.conf import settings

from planmode.core.presets import PlanModeConfig, Wishes, resolve


def knobs(preset: str) -> PlanModeConfig:
    """Return how sessions of ``preset`` do plan mode here, with the installation's ``Wishes``."""
    wishes = Wishes(
        iterative=settings.PLAN_WORKFLOW == "iterative",
        explorers=settings.PLAN_EXPLORERS,
        designers=settings.PLAN_DESIGNERS,
    )
    return resolve(preset, wishes)


def section_of(own: str) -> str:
    """Return what agents are told whose instructions the deployment writes; empty: nothing.

    ``own`` is the project's text, which comes before that of ``PLAN_SECTION_FILE``. Read each
    time: a new text counts from the next model call.

    Raises:
        OSError: the file can't be read.
        UnicodeDecodeError: it holds no UTF-8.
    """
    file = settings.PLAN_SECTION_FILE
    text = own if own.strip() or file is None else file.read_text(encoding="utf-8")
    return text.strip()
