"""What a project asks of a decision, and what votes still lack."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.core.errors import PolicyInvalidError
from reviews.core.policy import (
    DEFAULT,
    MOST_APPROVALS,
    MOST_HOURS,
    Cast,
    Missing,
    MissingKind,
    Rules,
    Stricter,
    parse,
    tally,
)
from reviews.core.tiers import Tier, reaches, tier_of

APPROVALS, LEAD, SPLIT = MissingKind.APPROVALS, MissingKind.LEAD, MissingKind.SPLIT
ANN, BO, LEA, MO = Cast(1), Cast(2), Cast(3, lead=True), Cast(4, lead=True)


def more(count: int) -> Missing:
    return Missing(APPROVALS, count=count)


LEAD_MISSING = Missing(LEAD, count=1)

stricter = st.builds(
    Stricter, approvals=st.integers(min_value=1, max_value=MOST_APPROVALS), lead=st.booleans()
)
policies = st.builds(
    Rules,
    approvals=st.integers(min_value=1, max_value=MOST_APPROVALS),
    lead=st.booleans(),
    deadline_hours=st.none() | st.integers(min_value=1, max_value=MOST_HOURS),
    reason_required=st.booleans(),
    all_seen_from=st.none() | st.sampled_from(Tier),
    high=stricter,
    low_risk_from_queue=st.booleans(),
)
ballots = st.lists(
    st.builds(
        Cast,
        person=st.integers(min_value=1, max_value=6),
        option=st.sampled_from(["", "Small", "Large"]),
        lead=st.booleans(),
    ),
    max_size=12,
)
tiers = st.sampled_from(Tier)


# What a policy may say


def test_without_a_policy_one_approval_decides_and_a_rejection_has_a_reason() -> None:
    assert parse({}) == DEFAULT == Rules()
    assert (DEFAULT.approvals, DEFAULT.lead, DEFAULT.deadline_hours) == (1, False, None)
    assert DEFAULT.reason_required


@given(rules=policies)
def test_rules_come_back_from_their_json(rules: Rules) -> None:
    assert parse(rules.as_json()) == rules


@pytest.mark.parametrize(
    ("data", "field"),
    [
        pytest.param({"approvals": 0}, "approvals", id="nobody"),
        pytest.param({"approvals": 11}, "approvals", id="a crowd"),
        pytest.param({"approvals": "2"}, "approvals", id="a text for a number"),
        pytest.param({"approvals": True}, "approvals", id="a yes for a number"),
        pytest.param({"approvals": 1.5}, "approvals", id="half a person"),
        pytest.param({"lead": 1}, "lead", id="a number for a yes"),
        pytest.param({"deadline_hours": 0}, "deadline_hours", id="at once"),
        pytest.param({"deadline_hours": 8761}, "deadline_hours", id="over a year"),
        pytest.param({"reason_required": None}, "reason_required", id="nothing for a yes"),
        pytest.param({"all_seen_from": "huge"}, "all_seen_from", id="another tier"),
        pytest.param({"all_seen_from": ["low"]}, "all_seen_from", id="a list of tiers"),
        pytest.param({"high": 3}, "high", id="a number for two rules"),
        pytest.param({"high": {"approvals": 99}}, "high.approvals", id="a crowd for high"),
        pytest.param({"high": {"lead": "yes"}}, "high.lead", id="a word for a yes"),
        pytest.param({"high": {"hours": 2}}, "high.hours", id="another rule for high"),
        pytest.param({"votes": 2}, "votes", id="another rule"),
    ],
)
def test_a_rule_that_can_not_be_is_named(data: dict[str, Any], field: str) -> None:
    with pytest.raises(PolicyInvalidError) as caught:
        parse(data)
    assert caught.value.field == field
    assert field in str(caught.value)


@given(rules=policies, tier=tiers)
def test_high_is_never_less_strict(rules: Rules, tier: Tier) -> None:
    usual, high = rules.asks(Tier.LOW), rules.asks(Tier.HIGH)
    assert rules.asks(Tier.MEDIUM) == usual == Stricter(rules.approvals, rules.lead)
    assert high.approvals >= usual.approvals
    assert high.lead >= usual.lead
    assert rules.wants_all_seen(Tier.HIGH) >= rules.wants_all_seen(tier)


@pytest.mark.parametrize(
    ("least", "seen"),
    [
        (None, (False, False, False)),
        (Tier.HIGH, (False, False, True)),
        (Tier.MEDIUM, (False, True, True)),
        (Tier.LOW, (True, True, True)),
    ],
)
def test_all_seen_from_a_tier_on(least: Tier | None, seen: tuple[bool, ...]) -> None:
    rules = Rules(all_seen_from=least)
    assert tuple(rules.wants_all_seen(tier) for tier in Tier) == seen


def test_what_nobody_has_read_counts_as_high() -> None:
    assert [tier_of(tier) for tier in ("", *Tier)] == [Tier.HIGH, *Tier]
    assert reaches(Tier.MEDIUM, Tier.MEDIUM)
    assert not reaches(Tier.LOW, Tier.MEDIUM)


# What votes lack


@pytest.mark.parametrize(
    ("rules", "votes", "missing"),
    [
        pytest.param(DEFAULT, [], [more(1)], id="nobody yet"),
        pytest.param(DEFAULT, [ANN], [], id="one of one"),
        pytest.param(Rules(2), [ANN], [more(1)], id="one of two"),
        pytest.param(Rules(2), [ANN, ANN], [more(1)], id="case:C067 one person twice"),
        pytest.param(Rules(2), [ANN, BO], [], id="two of two"),
        pytest.param(
            Rules(2),
            [replace(ANN, option="A"), replace(BO, option="B")],
            [more(1), Missing(SPLIT, options=("B", "A"))],
            id="split between options",
        ),
        pytest.param(
            Rules(2),
            [replace(ANN, option="A"), replace(BO, option="B"), replace(LEA, option="B")],
            [],
            id="two of three agree",
        ),
        pytest.param(
            Rules(2),
            [replace(ANN, option="A"), replace(ANN, option="B"), replace(BO, option="B")],
            [],
            id="somebody changed their mind",
        ),
        pytest.param(Rules(1, lead=True), [ANN], [LEAD_MISSING], id="the lead is missing"),
        pytest.param(Rules(1, lead=True), [ANN, BO], [LEAD_MISSING], id="two are no lead"),
        pytest.param(Rules(1, lead=True), [LEA], [more(1)], id="a lead alone is one level"),
        pytest.param(Rules(1, lead=True), [LEA, ANN], [], id="lead first, then the other"),
        pytest.param(Rules(1, lead=True), [LEA, MO], [], id="two leads, one on each level"),
        pytest.param(Rules(2, lead=True), [], [more(2), LEAD_MISSING], id="all is missing"),
        pytest.param(Rules(2, lead=True), [LEA, MO], [more(1)], id="two leads of three"),
        pytest.param(
            Rules(1, lead=True),
            [
                replace(ANN, option="A"),
                replace(BO, option="A"),
                replace(MO, option="B"),
                Cast(5, "B"),
            ],
            [],
            id="the option with fewer levels open wins over the one with as many votes",
        ),
        pytest.param(
            Rules(2, lead=True),
            [replace(ANN, option="A"), replace(LEA, option="A"), replace(LEA, option="B")],
            [more(2), Missing(SPLIT, options=("B", "A"))],
            id="a lead who turned to another option took the second level along",
        ),
    ],
)
def test_what_is_missing(rules: Rules, votes: list[Cast], missing: list[Missing]) -> None:
    standing = tally(votes, rules, Tier.LOW)
    assert list(standing.missing) == missing
    assert standing.met is (not missing)


def test_of_two_options_that_met_it_the_one_voted_for_last_counts() -> None:
    """Only a policy that asks for less than before leaves two."""
    votes = [replace(ANN, option="A"), replace(BO, option="B"), replace(ANN, option="A")]
    assert tally(votes, DEFAULT, Tier.LOW).option == "A"


def test_what_stands_where() -> None:
    standing = tally([LEA, ANN], Rules(2, lead=True), Tier.MEDIUM)
    assert (standing.have, standing.need) == (1, 2)
    assert (standing.lead_needed, standing.lead_there) == (True, True)
    assert (standing.option, standing.lacking) == (None, 1)


def test_a_plan_of_the_tier_high_needs_more() -> None:
    rules = Rules(high=Stricter(2, lead=True))
    assert tally([ANN], rules, Tier.MEDIUM).met
    assert tally([ANN], rules, Tier.HIGH).missing == (more(1), LEAD_MISSING)
    assert tally([ANN, BO, LEA], rules, Tier.HIGH).met


@given(votes=ballots, rules=policies, tier=tiers)
def test_what_closes_has_the_people_that_it_needs(
    votes: list[Cast], rules: Rules, tier: Tier
) -> None:
    standing = tally(votes, rules, tier)
    asked = rules.asks(tier)
    latest = {vote.person: vote for vote in votes}.values()
    on = [vote for vote in latest if vote.option == standing.option]
    if standing.met:
        assert len(on) >= asked.approvals + int(asked.lead)
        assert any(vote.lead for vote in on) or not asked.lead
        assert standing.lacking == 0
    else:
        assert standing.lacking > 0
        for option in {vote.option for vote in latest}:
            people = [vote for vote in latest if vote.option == option]
            enough = len(people) >= asked.approvals + int(asked.lead)
            assert not enough or (asked.lead and not any(vote.lead for vote in people))


@given(votes=ballots, rules=policies, tier=tiers, person=st.integers(7, 9), lead=st.booleans())
def test_one_more_vote_never_takes_one_away(
    votes: list[Cast], rules: Rules, tier: Tier, person: int, *, lead: bool
) -> None:
    before = tally(votes, rules, tier)
    after = tally([*votes, Cast(person, "Small", lead)], rules, tier)
    assert after.lacking <= before.lacking
    assert before.met <= after.met


@given(
    votes=st.lists(
        st.builds(Cast, person=st.integers(1, 4), lead=st.booleans()),
        unique_by=lambda v: v.person,
        max_size=4,
    ),
    rules=policies,
)
def test_the_order_of_votes_counts_for_nothing(votes: list[Cast], rules: Rules) -> None:
    assert len({tally(order, rules, Tier.LOW) for order in permutations(votes)}) == 1
