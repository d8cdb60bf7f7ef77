"""Refusals: each has a stable code and a title of its own."""

import re
from inspect import getmembers, isclass

import pytest

from planmode.core import errors as core
from planmode.core.errors import DomainError
from reviews.core import errors as reviews

CLASSES = sorted(
    {
        kind
        for module in (core, reviews)
        for _, kind in getmembers(module, isclass)
        if issubclass(kind, DomainError) and kind is not DomainError
    },
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_refusal_has_a_code_and_a_title(kind: type[DomainError]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", kind.code)
    assert kind.title[0].isupper()
    assert kind.__name__.endswith("Error")


def test_no_two_refusals_share_a_code() -> None:
    assert len({kind.code for kind in CLASSES}) == len(CLASSES)


def test_a_stale_decision_names_the_revision_under_review() -> None:
    assert reviews.RevisionStaleError("other", current="a" * 64).current == "a" * 64


def test_a_conflict_of_edits_names_what_the_plan_is_now() -> None:
    assert core.PlanEditConflictError("other", current="a" * 64).current == "a" * 64
