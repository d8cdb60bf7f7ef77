"""What a review is opened with beside its submission."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from planmode.access.models import Project
from reviews.core.anatomy import ReasonKind, restored
from reviews.core.policy import Rules
from reviews.core.tiers import Tier
from reviews.services import set_policy
from tests.factories import PLAN, play, submits


@pytest.mark.parametrize(
    ("plan", "tier", "kinds"),
    [
        pytest.param(PLAN, Tier.LOW, [], id="low"),
        pytest.param("# Plan\n\n1. sudo x\n", Tier.HIGH, [ReasonKind.COMMAND], id="high"),
    ],
)
def test_a_review_keeps_how_risky_its_plan_looks(
    operator: User, plan: str, tier: Tier, kinds: list[ReasonKind]
) -> None:
    review = play(operator, [submits(plan)]).work().review
    assert review.risk == tier
    found = restored(review.anatomy)
    assert found is not None
    assert [reason.kind for reason in found.reasons] == kinds


def test_several_approaches_are_a_warning_unless_the_plan_offers_them(operator: User) -> None:
    plan = "# Plan\n\n## Option A\n\nx\n\n## Option B\n\ny\n"
    without = play(operator, [submits(plan)]).work().review
    offered = play(operator, [submits(plan, "A", "B")]).work().review
    assert [row["line"] for row in without.anatomy["warnings"]] == [3, 7]
    assert offered.anatomy["warnings"] == []


def test_the_policy_gives_a_deadline_from_now_on(operator: User, project: Project) -> None:
    before = play(operator, [submits()]).work()
    set_policy(project, Rules(deadline_hours=8))
    after = play(operator, [submits()]).work().review
    assert before.review.deadline_at is None
    assert after.deadline_at == after.opened_at + timedelta(hours=8)
