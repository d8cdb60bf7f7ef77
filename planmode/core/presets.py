"""Plan mode's knobs, and the presets that set them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class PlanModeConfig:
    """How one kind of agent does plan mode; code asks for a knob, never for a preset's name.

    ``auto_exit`` says whether ExitPlanMode approves by itself in permission mode ``auto`` (the
    project must allow it, too). ``sparse_after`` and ``full_after`` count assistant messages.
    """

    enforcement: Literal["hard", "guidance"] = "hard"
    auto_exit: bool = True
    sparse_after: int = 2
    full_after: int = 5


PRESETS: Final[Mapping[str, PlanModeConfig]] = {"kimi": PlanModeConfig()}
DEFAULT_PRESET: Final = "kimi"
