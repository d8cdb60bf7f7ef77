"""A plan is called by its first heading."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.titles import UNTITLED, opens_with_title, plan_title, reply_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("# ##", "##", id="a heading of signs"),
        pytest.param("# A #b", "A #b", id="a sign inside"),
        pytest.param("####### Seven\nx", "####### Seven", id="too deep for a heading"),
        pytest.param("x\n" * 40_000 + "# Late", "x", id="a heading too far down"),
        pytest.param("# Add a cache\n\nWhy: it is slow.", "Add a cache", id="a heading"),
        pytest.param("Some words first\n\n## Then it", "Then it", id="a heading further down"),
        pytest.param("### Closed ###\n", "Closed", id="a closed heading"),
        pytest.param("   # Indented", "Indented", id="a little indented"),
        pytest.param("# C#", "C#", id="a sign that belongs to the name"),
        pytest.param("#12 is a ticket\nmore", "#12 is a ticket", id="no heading"),
        pytest.param("    # code\nText", "# code", id="code is no heading"),
        pytest.param("\n \n  First   line \n", "First line", id="no heading at all"),
        pytest.param("#\n", "#", id="an empty heading"),
        pytest.param("# Windows\r\ntext", "Windows", id="line ends of Windows"),
        pytest.param("# A\tb   c", "A b c", id="blanks inside"),
        pytest.param("", UNTITLED, id="nothing"),
        pytest.param(" \n\t\n", UNTITLED, id="blanks"),
        pytest.param("# " + "x" * 200, "x" * 200, id="as long as may be"),
        pytest.param("# " + "x" * 201, "x" * 199 + "…", id="longer"),
    ],
)
def test_plan_title(text: str, title: str) -> None:
    assert plan_title(text) == title


@given(text=st.text())
def test_a_title_is_one_short_line(text: str) -> None:
    title = plan_title(text)
    assert 0 < len(title) <= 200
    assert title == " ".join(title.split())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# a" + " " * 1_000_000 + "b", id="blanks inside"),
        pytest.param("# a" + " #" * 500_000 + "b", id="signs inside"),
        pytest.param("#" * 1_000_000, id="signs alone"),
        pytest.param("\n# " * 250_000, id="empty headings"),
        pytest.param(" " * 1_000_000, id="blanks alone"),
    ],
)
def test_no_text_keeps_the_caller_waiting(text: str) -> None:
    """Found by review: 60 KB of blanks in a heading held the process for 33 s."""
    began = time.process_time()
    plan_title(text)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("text", "does"),
    [
        pytest.param("# Tidy\n\n1. Read", True, id="a title"),
        pytest.param("\n \n# Tidy", True, id="blanks before it"),
        pytest.param("## Tidy\n", False, id="second level"),
        pytest.param("#Tidy", False, id="no blank"),
        pytest.param("# \nText", False, id="a title without text"),
        pytest.param("# \u200b\nText", False, id="a title that nobody sees"),
        pytest.param("Text\n# Tidy", False, id="a heading further down"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_what_opens_with_a_title(text: str, does: bool) -> None:  # noqa: FBT001 - a column
    """dsh:D-23."""
    assert opens_with_title(text) is does


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("Plan:\n\n1. Split it\n2. Test it", "1. Split it", id="a header alone"),
        pytest.param("I looked.\n\n## Plan:\n1. Split", "I looked.", id="text before it"),
        pytest.param("# Tidy\n\n**Plan:**\n1. Split", "Tidy", id="a heading before it"),
        pytest.param("\u8ba1\u5212\uff1a\n1. Split", "1. Split", id="in Chinese"),
        pytest.param("# Plan: tidy\n1. Split", "Plan: tidy", id="a name behind it"),
        pytest.param("Plan:", "Plan:", id="nothing else"),
    ],
)
def test_a_line_that_only_says_that_a_plan_follows_is_no_title(text: str, title: str) -> None:
    assert plan_title(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("Let me think.\n\nPlan:\n1. Split", "The session", id="no heading"),
        pytest.param("Hm.\n\n# Tidy up\n\nPlan:\n1. Split", "Tidy up", id="a heading above"),
        pytest.param("Hm.\n\n## Plan:\n1. Split", "The session", id="the header is a heading"),
        pytest.param("## The whole plan:\n1. Split", "The session", id="a longer header"),
        pytest.param("Plan:\n1. Split\n\n# Risks\nNone", "The session", id="a heading below"),
        pytest.param("Plan:\n## Part one\n1. Split", "The session", id="a part of the list"),
        pytest.param("A plan:\n\n# Tidy\n\nPlan:\n1. Split", "Tidy", id="two headers"),
        pytest.param("```\n# make all\n```\nPlan:\n1. Split", "The session", id="code"),
        pytest.param("# \u200b\nPlan:\n1. Split", "The session", id="a heading nobody sees"),
        pytest.param("# Tidy\n\nNo list", "The session", id="no plan"),
        pytest.param("# " + "x" * 201 + "\nPlan:\n1. S", "x" * 199 + "…", id="too long"),
    ],
)
def test_a_reply_is_called_by_the_heading_of_its_plan_else_as_the_session(
    text: str, title: str
) -> None:
    """Its first line says what the agent thinks, not what it plans."""
    assert reply_title(text, "The session") == title
