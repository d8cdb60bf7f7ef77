"""What a project asks of a decision, and what votes still lack."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from reviews.core.errors import PolicyInvalidError
from reviews.core.tiers import Tier, reaches

MOST_APPROVALS: Final = 10
MOST_HOURS: Final = 8760
"""A year."""


@dataclass(frozen=True, slots=True)
class Stricter:
    """What plans of the tier high need instead, where it is more than the usual."""

    approvals: int = 1
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """A policy: what has to be there before a review closes.

    ``approvals`` counts people who approve the same option. With ``lead`` there are two levels:
    besides them one lead approves, whatever the order. A review expires ``deadline_hours`` after it
    opened, if it does. ``reason_required`` is about both rejections. From ``all_seen_from`` on, who
    approves must have seen every changed block. Plans of the tier low may be approved from the
    queue where ``low_risk_from_queue`` says so.
    """

    approvals: int = 1
    lead: bool = False
    deadline_hours: int | None = None
    reason_required: bool = True
    all_seen_from: Tier | None = None
    high: Stricter = field(default_factory=Stricter)
    low_risk_from_queue: bool = False

    def asks(self, tier: Tier) -> Stricter:
        """Return how many approvals, and whether a lead's, a plan of ``tier`` needs."""
        if tier is not Tier.HIGH:
            return Stricter(self.approvals, self.lead)
        return Stricter(
            max(self.approvals, self.high.approvals),
            self.lead or self.high.lead,
        )

    def wants_all_seen(self, tier: Tier) -> bool:
        """Return whether who approves a plan of ``tier`` must have seen each changed block."""
        return self.all_seen_from is not None and reaches(tier, self.all_seen_from)

    def as_json(self) -> dict[str, Any]:
        """Return what ``parse`` reads."""
        return asdict(self)


DEFAULT: Final = Rules()
"""That of a project without a policy of its own."""


def parse(data: Mapping[str, Any]) -> Rules:
    """Return the rules that ``data`` (JSON values) says; what is left out is as usual.

    Raises:
        PolicyInvalidError: a field is unknown, or has a value that it can't have; it names the
            field.
    """
    _check_names(data, Rules, "")
    high = data.get("high", {})
    if not isinstance(high, Mapping):
        raise PolicyInvalidError("high holds approvals and lead", field="high")
    _check_names(high, Stricter, "high.")
    return Rules(
        approvals=_number(data, "approvals", "", MOST_APPROVALS) or 1,
        lead=_yes(data, "lead", default=False),
        deadline_hours=_number(data, "deadline_hours", "", MOST_HOURS),
        reason_required=_yes(data, "reason_required", default=True),
        all_seen_from=_tier(data.get("all_seen_from")),
        high=Stricter(
            _number(high, "approvals", "high.", MOST_APPROVALS) or 1,
            _yes(high, "lead", "high.", default=False),
        ),
        low_risk_from_queue=_yes(data, "low_risk_from_queue", default=False),
    )


def _check_names(data: Mapping[str, Any], kind: type[Rules | Stricter], prefix: str) -> None:
    unknown = sorted(set(data) - set(kind.__dataclass_fields__))
    if unknown:
        names = ", ".join(f"{prefix}{name}" for name in unknown)
        raise PolicyInvalidError(f"a policy has no field {names}", field=f"{prefix}{unknown[0]}")


def _number(data: Mapping[str, Any], name: str, prefix: str, most: int) -> int | None:
    value = data.get(name)
    if value is None:
        return None
    if type(value) is not int or not 1 <= value <= most:  # a bool is an int, and no number
        raise PolicyInvalidError(
            f"{prefix}{name} is a whole number from 1 to {most}", field=f"{prefix}{name}"
        )
    return value


def _yes(data: Mapping[str, Any], name: str, prefix: str = "", *, default: bool) -> bool:
    value = data.get(name, default)
    if not isinstance(value, bool):
        raise PolicyInvalidError(f"{prefix}{name} is true or false", field=f"{prefix}{name}")
    return value


def _tier(value: object) -> Tier | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in set(Tier):
        names = ", ".join(Tier)
        raise PolicyInvalidError(
            f"all_seen_from is one of {names}, or nothing", field="all_seen_from"
        )
    return Tier(value)


@dataclass(frozen=True, slots=True)
class Cast:
    """A person's approval; ``lead`` says that it counts on the second level."""

    person: int
    option: str = ""
    lead: bool = False


class MissingKind(StrEnum):
    """What a review can lack before an approval closes it."""

    APPROVALS = "approvals"
    LEAD = "lead"
    SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Missing:
    """A condition that is not met.

    ``count`` is how many approvals are missing; ``options`` are those between
    which votes are split (which asks for nobody by itself).
    """

    kind: MissingKind
    count: int = 0
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where votes stand against a policy.

    ``option`` is the one that met it, ``None`` while none did (an empty label is that of a plan
    without options). ``have`` of ``need`` approvals are there on the first level, for the option
    that lacks least; ``lead_needed`` and ``lead_there`` are about the second.
    """

    option: str | None
    have: int
    need: int
    lead_needed: bool
    lead_there: bool
    missing: tuple[Missing, ...] = ()

    @property
    def met(self) -> bool:
        """Whether the review closes."""
        return self.option is not None

    @property
    def lacking(self) -> int:
        """How many more people have to approve."""
        return sum(missing.count for missing in self.missing)


def tally(votes: Iterable[Cast], rules: Rules, tier: Tier) -> Standing:
    """Return where ``votes`` stand, oldest first; of one person the last one counts.

    Only votes for the same option add up. A lead's vote counts on one level only: with ``lead``,
    ``approvals`` other people have to approve besides. Of options that lack as little it is the one
    that was voted for last.
    """
    latest: dict[int, Cast] = {}
    for vote in votes:
        latest.pop(vote.person, None)
        latest[vote.person] = vote
    asked = rules.asks(tier)
    options = tuple(dict.fromkeys(vote.option for vote in reversed(latest.values())))
    found = [_standing(option, latest.values(), asked, options) for option in options or ("",)]
    return min(found, key=lambda standing: standing.lacking)


def _standing(
    option: str, votes: Iterable[Cast], asked: Stricter, options: tuple[str, ...]
) -> Standing:
    leads = [vote.lead for vote in votes if vote.option == option]
    on_second = asked.lead and any(leads)
    have = min(len(leads) - int(on_second), asked.approvals)
    missing: list[Missing] = []
    if have < asked.approvals:
        missing.append(Missing(MissingKind.APPROVALS, count=asked.approvals - have))
    if asked.lead and not on_second:
        missing.append(Missing(MissingKind.LEAD, count=1))
    if missing and len(options) > 1:
        missing.append(Missing(MissingKind.SPLIT, options=options))
    return Standing(
        option=None if missing else option,
        have=have,
        need=asked.approvals,
        lead_needed=asked.lead,
        lead_there=on_second,
        missing=tuple(missing),
    )
