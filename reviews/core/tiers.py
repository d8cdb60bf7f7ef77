"""How much harm a plan could do, in three tiers."""

from enum import StrEnum
from typing import Final


class Tier(StrEnum):
    """How risky a plan looks by its own words."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


_RANK: Final = {tier: rank for rank, tier in enumerate(Tier)}


def tier_of(text: str) -> Tier:
    """Return the tier that a card keeps; one that nobody has read yet counts as the highest."""
    return Tier(text) if text else Tier.HIGH


def reaches(tier: Tier, least: Tier) -> bool:
    """Return whether ``tier`` is ``least``, or above it."""
    return _RANK[tier] >= _RANK[least]
