"""Failures: each has words, and nothing else is called one."""

import re
from pathlib import Path

import pytest

import planmode
from planmode.core.failures import (
    WORDS,
    Failure,
    Halt,
    halted,
    in_words,
    may_be_retried,
    needs_somebody,
)


def test_each_has_words_of_its_own() -> None:
    assert set(WORDS) == {*Failure, *Halt}
    assert len(set(WORDS.values())) == len(WORDS)
    assert in_words("key_missing") == "the workers have no key for this model"
    assert in_words("unsubmitted").startswith("it stopped without a submission")


def test_what_is_no_failure_stays_as_it_is() -> None:
    assert in_words("rejected") == "rejected"
    assert in_words("") == ""


def test_a_turn_fails_for_no_other_reason() -> None:
    """What ends turns names a ``Failure``, so that none goes without its words."""
    source = "".join(path.read_text() for path in Path(planmode.__path__[0]).rglob("*.py"))
    assert "TurnState.FAILED, Failure." in source
    assert not re.findall(r'TurnState\.FAILED, (?:reason=)?"\w+"', source)


@pytest.mark.parametrize(
    ("state", "reason", "told"),
    [
        ("done", "", (False, False, False)),
        ("stopped", "rejected", (False, False, False)),
        ("stopped", "unsubmitted", (True, True, True)),
        ("failed", "timeout", (False, True, True)),
        ("cancelled", "", (False, False, True)),
    ],
)
def test_what_an_end_calls_for(state: str, reason: str, told: tuple[bool, ...]) -> None:
    checks = (halted, needs_somebody, may_be_retried)
    assert tuple(check(state, reason) for check in checks) == told
