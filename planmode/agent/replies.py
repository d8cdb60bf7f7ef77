"""A reply that is a plan: read, kept and submitted."""

from planmode import turns
from planmode.agent.calls import Bench
from planmode.core import events as ev


def read(bench: Bench) -> None:
    """Look for a plan in the reply that ended the turn; submit it, or note that there is none."""
    turns.append(bench.claim, ev.PlanStepsListed(()))
