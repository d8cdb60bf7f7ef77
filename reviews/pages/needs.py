"""What a review still needs, in words, and from whom."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planmode.core.options import SHOWN_FROM
from reviews.core.policy import Cast, Missing, MissingKind, tally
from reviews.models import Review
from reviews.quorum import NO_VERSION, Quorum, Seat


@dataclass(frozen=True, slots=True)
class Need:
    """A condition that is not met; ``people`` are the names of those who could meet it."""

    text: str
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class After:
    """What an approval of ``option`` by this person would do: close the review, or leave needs."""

    option: str
    needs: str

    @property
    def closes(self) -> bool:
        """Whether it decides."""
        return not self.needs


def line_of(quorum: Quorum) -> str:
    """Return where votes stand, in one line."""
    standing = quorum.standing
    said = ngettext(
        "%(have)d of %(need)d approval", "%(have)d of %(need)d approvals", standing.need
    )
    parts = [said % {"have": standing.have, "need": standing.need}]
    if standing.lead_needed:
        parts.append(_("a lead approved") if standing.lead_there else _("a lead still needed"))
    if quorum.policy.version == NO_VERSION:
        return " · ".join(parts)
    return _("%(parts)s (policy v%(version)d)") % {
        "parts": " · ".join(parts),
        "version": quorum.policy.version,
    }


def needs(review: Review, quorum: Quorum, people: Mapping[int, Seat]) -> tuple[Need, ...]:
    """Return what is missing, each with the names of those of ``people`` who could give it."""
    able = [seat for seat in people.values() if _may_approve(review, seat)]
    given = {ballot.person for ballot in quorum.ballots}
    return tuple(
        Need(text_of(missing), tuple(_name(seat) for seat in _who(missing, able, given)))
        for missing in quorum.standing.missing
    )


def _who(missing: Missing, able: Iterable[Seat], given: set[int]) -> list[Seat]:
    match missing.kind:
        case MissingKind.APPROVALS:
            return [seat for seat in able if seat.person not in given]
        case MissingKind.LEAD:
            return [seat for seat in able if seat.counts_as_lead]
        case MissingKind.SPLIT:
            return [seat for seat in able if seat.person in given]
        case _:
            assert_never(missing.kind)


def _may_approve(review: Review, seat: Seat) -> bool:
    own = seat.person in {review.session.owner_id, review.edited_by_id}
    return review.project.allow_self_review or not own


def _name(seat: Seat) -> str:
    if seat.away:
        return _("%(name)s (away)") % {"name": seat.name}
    if seat.stands_in_for is not None:
        return _("%(name)s (for %(lead)s, who is away)") % {
            "name": seat.name,
            "lead": seat.stands_in_name,
        }
    return seat.name


def text_of(missing: Missing) -> str:
    """Return a condition in words."""
    match missing.kind:
        case MissingKind.APPROVALS:
            words = ngettext("%(n)d more approval", "%(n)d more approvals", missing.count)
            return words % {"n": missing.count}
        case MissingKind.LEAD:
            return _("a lead's approval")
        case MissingKind.SPLIT:
            names = ", ".join(f"“{option}”" for option in missing.options)
            return _("votes for the same option; now they are split between %(options)s") % {
                "options": names
            }
        case _:
            assert_never(missing.kind)


def afterwards(review: Review, quorum: Quorum, person: int) -> tuple[After, ...]:
    """Return what an approval by ``person`` would do, for each option that it could name."""
    labels = [option["label"] for option in review.options]
    return tuple(
        After(option, _left(quorum, person, option))
        for option in (labels if len(labels) >= SHOWN_FROM else [""])
    )


def _left(quorum: Quorum, person: int, option: str) -> str:
    seat = quorum.seats.get(person)
    mine = Cast(person, option, lead=seat is not None and seat.counts_as_lead)
    others = [ballot.cast for ballot in quorum.ballots if ballot.person != person]
    same = [vote for vote in others if vote.option == option]
    standing = tally([*same, mine], quorum.policy.rules, quorum.tier)
    return " · ".join(text_of(missing) for missing in standing.missing)
