"""Figures of outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from django.db.models import Count

from planmode.access.may import Action, Caller, visible
from planmode.core.outcomes import Outcome
from reviews.models import TelemetryEvent

DAYS: Final = 30
FEWEST: Final = 5
"""Below so many decisions a rate says nothing, and none is shown."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a day's bar, in percent of the longest bar."""

    outcome: str
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Day:
    """How many reviews ended with each outcome on one day (UTC), in the order of ``OUTCOMES``."""

    day: date
    counts: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def total(self) -> int:
        """All of the day's outcomes."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Outcomes per day, the newest day first.

    ``base`` counts what the approval rate rests on; the rate is in percent, ``None`` below
    ``FEWEST``. ``stops`` are the turns that stopped although nobody decided so, by reason.
    """

    outcomes: tuple[str, ...]
    days: tuple[Day, ...]
    totals: tuple[int, ...]
    base: int
    approved: int
    rate: int | None
    stops: tuple[tuple[str, int], ...] = ()

    @property
    def stopped(self) -> int:
        """All turns that stopped unfinished."""
        return sum(count for _, count in self.stops)

    @property
    def total(self) -> int:
        """All outcomes of the period."""
        return sum(self.totals)


OUTCOMES: Final = tuple(Outcome)
_IN_RATE: Final = (
    Outcome.APPROVED,
    Outcome.REVISE,
    Outcome.REJECTED,
    Outcome.REJECTED_AND_EXITED,
)
"""Dismissed and automatic ones are nobody's judgement of the plan: shown apart, not in the rate."""


def telemetry(caller: Caller, *, today: date) -> Telemetry:
    """Return the outcomes of the last 30 days up to ``today`` (UTC)."""
    first = today - timedelta(days=DAYS - 1)
    seen = visible(caller, Action.READ_TELEMETRY, project="project", owner="session__owner")
    rows = TelemetryEvent.objects.filter(seen, day__range=(first, today))
    resolved = rows.filter(name="plan_resolved").values_list("day", "outcome")
    counts = {(day, outcome): n for day, outcome, n in resolved.annotate(n=Count("pk"))}
    days = [today - timedelta(days=back) for back in range(DAYS)]
    stopped = rows.filter(name="turn_stopped").values_list("properties__reason")
    stops = stopped.annotate(n=Count("pk")).order_by("-n", "properties__reason")
    return replace(_telemetry(counts, days), stops=tuple(stops))


def _telemetry(counts: Mapping[tuple[date, str], int], days: Sequence[date]) -> Telemetry:
    table = [tuple(counts.get((day, outcome), 0) for outcome in OUTCOMES) for day in days]
    longest = max(map(sum, table), default=0)
    totals = tuple(map(sum, zip(*table, strict=True)))
    by_outcome = dict(zip(OUTCOMES, totals, strict=True))
    base = sum(by_outcome[outcome] for outcome in _IN_RATE)
    approved = by_outcome[Outcome.APPROVED]
    return Telemetry(
        outcomes=tuple(OUTCOMES),
        days=tuple(
            Day(day, row, _parts(row, longest)) for day, row in zip(days, table, strict=True)
        ),
        totals=totals,
        base=base,
        approved=approved,
        rate=round(100 * approved / base) if base >= FEWEST else None,
    )


def _parts(row: tuple[int, ...], longest: int) -> tuple[Part, ...]:
    parts, start = [], 0.0
    for outcome, count in zip(OUTCOMES, row, strict=True):
        if count:
            width = 100 * count / longest
            parts.append(Part(outcome.value, round(start, 2), round(width, 2)))
            start += width
    return tuple(parts)
