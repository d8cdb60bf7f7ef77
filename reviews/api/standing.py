"""Where a review stands, as JSON values."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from reviews import dashboards
from reviews.models import Card, DecisionRecord, Review
from reviews.quorum import Ballot, Quorum, quorum


def standing(row: Review) -> dict[str, Any]:
    """Return what a review waits for, or by what it was approved."""
    return {
        "risk": {"tier": row.risk, **_read(row.anatomy)} if row.anatomy else None,
        "deadline_at": row.deadline_at.isoformat() if row.deadline_at else None,
        **_votes(row),
    }


def _read(anatomy: Mapping[str, Any]) -> dict[str, Any]:
    return {"reasons": anatomy["reasons"], "warnings": anatomy["warnings"]}


def _votes(row: Review) -> dict[str, Any]:
    if row.status == Card.Status.OPEN:
        return _open(quorum(row))
    decision = getattr(row, "decision", None)
    return {
        "policy_version": decision.policy_version if decision else None,
        "needs": None,
        "missing": [],
        "votes": _of(decision) if decision else [],
    }


def _open(found: Quorum) -> dict[str, Any]:
    stands = found.standing
    return {
        "policy_version": found.policy.version,
        "needs": {
            "approvals": stands.need,
            "have": stands.have,
            "lead": stands.lead_needed,
            "lead_approved": stands.lead_there,
        },
        "missing": [asdict(missing) for missing in stands.missing],
        "votes": [_ballot(ballot) for ballot in found.ballots],
    }


def _ballot(ballot: Ballot) -> dict[str, Any]:
    """Return a vote without its note, which reaches the agent with the decision alone."""
    return {
        "by": ballot.name,
        "option": ballot.option or None,
        "lead": ballot.lead,
        "deputy_of": ballot.deputy_of or None,
        "own": ballot.own,
        "start": ballot.start,
        "at": ballot.at.isoformat(),
    }


def _of(decision: DecisionRecord) -> list[dict[str, Any]]:
    """Return the votes that a decision kept, with the names that their people have now."""
    people = {vote["by"] for vote in decision.votes} | {v["deputy_of"] for v in decision.votes}
    names = dashboards.usernames(people - {None})
    return [
        {
            **vote,
            "by": names[vote["by"]],
            "deputy_of": names.get(vote["deputy_of"]),
            "option": decision.option or None,
        }
        for vote in decision.votes
    ]
