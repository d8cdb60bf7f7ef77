"""The words of the pages are complete."""

import pytest

from planmode.core.events import ReminderKind
from planmode.core.outcomes import CONSEQUENCES, Outcome
from reviews.templatetags.desk import REMINDERS, STOPS, indent, indented_text
from reviews.templatetags.desk import why_stopped as why


def test_every_reminder_has_words() -> None:
    assert set(REMINDERS) == set(ReminderKind)


def test_every_outcome_that_can_stop_a_turn_has_words() -> None:
    stopping = {outcome for outcome in Outcome if CONSEQUENCES[outcome].stops_turn}
    assert stopping | {Outcome.APPROVED} <= set(STOPS)
    assert why("rejected") == "the plan was rejected"
    assert why("another_reason") == "another_reason"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("  - x \n", ("  ", "- x ")),
        ("\tx", ("\t", "x")),
        ("x\n", ("", "x")),
        ("  \n", ("  ", "")),
        ("\u200b x\n", ("", "[U+200B] x")),
    ],
)
def test_an_indent_is_parted_from_the_text(line: str, parts: tuple[str, str]) -> None:
    assert (indent(line), indented_text(line)) == parts
