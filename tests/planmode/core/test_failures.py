"""Failures: each has words, and nothing else is called one."""

import re
from pathlib import Path

import planmode
from planmode.core.failures import WORDS, Failure, Halt, in_words


def test_each_has_words_of_its_own() -> None:
    assert set(WORDS) == {*Failure, *Halt}
    assert len(set(WORDS.values())) == len(WORDS)
    assert in_words("key_missing") == "the workers have no key for this model"
    assert in_words("unsubmitted").startswith("it stopped without a submission")


def test_what_is_no_failure_stays_as_it_is() -> None:
    assert in_words("rejected") == "rejected"
    assert in_words("") == ""


def test_a_turn_fails_for_no_other_reason() -> None:
    """What ends turns gives its reason as a text beside ``TurnState.FAILED``."""
    source = "".join(path.read_text() for path in Path(planmode.__path__[0]).rglob("*.py"))
    given = set(re.findall(r'TurnState\.FAILED, (?:reason=)?"(\w+)"', source))
    assert {"step_limit"} <= given <= set(Failure)
