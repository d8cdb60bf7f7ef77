"""Words for what a plan's risk was read from."""

from collections.abc import Mapping
from typing import Final

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reviews.core.anatomy import Reason, ReasonKind
from reviews.core.tiers import Tier

register = template.Library()

TIERS: Final[Mapping[Tier, Promise]] = {
    Tier.LOW: gettext_lazy("Low risk"),
    Tier.MEDIUM: gettext_lazy("Medium risk"),
    Tier.HIGH: gettext_lazy("High risk"),
}
REASONS: Final[Mapping[ReasonKind, Promise]] = {
    ReasonKind.COMMAND: gettext_lazy("Dangerous command"),
    ReasonKind.KEY: gettext_lazy("Looks like a key itself"),
    ReasonKind.MIGRATION: gettext_lazy("Migration"),
    ReasonKind.DELETION: gettext_lazy("Deletion"),
    ReasonKind.SECRET: gettext_lazy("Secrets"),
    ReasonKind.PATHS: gettext_lazy("Many files"),
    ReasonKind.SIZE: gettext_lazy("Long plan"),
    ReasonKind.LENGTH: gettext_lazy("Too long to be read for risks"),
}


@register.filter
def risk_word(tier: str) -> str:
    """Return a tier's word."""
    return str(TIERS[Tier(tier)])


@register.filter
def reason_word(kind: str) -> str:
    """Return what a reason is called."""
    return str(REASONS[ReasonKind(kind)])


@register.filter
def extent(reason: Reason) -> str:
    """Return how much it is, for a reason that is about the whole plan."""
    count = int(reason.text)
    match reason.kind:
        case ReasonKind.PATHS:
            return ngettext("%d file or folder", "%d files or folders", count) % count
        case ReasonKind.SIZE:
            return ngettext("%d line", "%d lines", count) % count
        case _:
            return _("%d characters") % count
