"""Texts of special cases: each tells what its case needs, and no more."""

import re
from collections.abc import Mapping
from string import Template
from typing import Final

import pytest

from prompts import library
from prompts.errors import PromptError
from prompts.library import variant
from prompts.rendering import render, render_from

NONE: Final[frozenset[str]] = frozenset()
PLANNING: Final = frozenset({"plan_file", "shell_rule"})
APPROVAL: Final = frozenset({"version", "sha256", "plan", "notes", "comments"})

VALUES: Final[Mapping[str, frozenset[str]]] = {
    "reminders/delegating/full": PLANNING | {"exploring", "designing"},
    "reminders/delegating/sparse": PLANNING,
    "reminders/delegating/explorers": frozenset({"most"}),
    "reminders/delegating/explorers_none": NONE,
    "reminders/delegating/designers": frozenset({"most"}),
    "reminders/delegating/designers_none": NONE,
    "reminders/iterative/full": PLANNING,
    "reminders/iterative/sparse": PLANNING,
    "reminders/section/exit_by_person": NONE,
    "reminders/section/unsubmitted": NONE,
    "results/argument/already_planning": NONE,
    "results/argument/approved": APPROVAL,
    "results/argument/approved_damaged": frozenset({"version", "problem"}),
    "results/argument/approved_without_start": APPROVAL,
    "results/argument/dismissed": frozenset({"version", "reason"}),
    "results/argument/entered_plan_mode": NONE,
    "results/argument/not_planning": NONE,
    "results/argument/plan_not_stored": frozenset({"problem"}),
    "results/argument/plan_too_large": frozenset({"problem"}),
    "results/argument/plan_unchanged": frozenset({"version", "outcome"}),
    "results/argument/plan_unreadable": frozenset({"problem"}),
    "results/argument/question_in_auto": NONE,
    "results/argument/revise": frozenset({"version", "feedback", "comments"}),
    "system/argument/plan_mode": NONE,
    "tools/argument/enter_plan_mode": NONE,
    "tools/argument/exit_plan_mode": NONE,
}
OF: Final = ("delegating", "iterative", "section", "argument")
WHOLE: Final = ("reminders/delegating/full", "reminders/iterative/full")
SHORT: Final = ("reminders/delegating/sparse", "reminders/iterative/sparse")


def filled(name: str) -> str:
    return render(name, **{key: f"[{key}]" for key in VALUES[name]})


def told(text: str) -> str:
    """Return ``text`` on one line in lower case."""
    return " ".join(text.lower().split())


def test_the_table_names_every_text_of_its_cases() -> None:
    assert set(VALUES) == {
        name for name in library.NAMES if name.count("/") == 2 and name.split("/")[1] in OF
    }


@pytest.mark.parametrize("name", VALUES)
def test_placeholders_are_what_the_code_passes(name: str) -> None:
    template = Template(library.text(name))
    assert template.is_valid()
    assert set(template.get_identifiers()) == VALUES[name]
    assert all(f"[{key}]" in filled(name) for key in VALUES[name])


@pytest.mark.parametrize("name", VALUES)
def test_files_are_plain(name: str) -> None:
    text = library.text(name)
    assert all(char == "\n" or char.isprintable() for char in text)
    assert text.isascii()
    assert "\n\n\n" not in text
    assert " \n" not in text


def test_a_case_without_a_text_of_its_own_shares_the_common_one() -> None:
    assert variant("results/revise", "argument") == "results/argument/revise"
    assert variant("results/rejected", "argument") == "results/rejected"
    assert variant("results/revise", "plan_file") == "results/revise"


def test_a_text_takes_what_it_has_a_place_for_and_lacks_nothing() -> None:
    known = {"version": "2", "reason": "why", "plan_file": "/p.md"}
    assert render_from("results/argument/dismissed", known).endswith("why")
    with pytest.raises(PromptError, match="feedback"):
        render_from("results/argument/revise", known)


@pytest.mark.parametrize("name", [name for name in VALUES if "/argument/" in name])
def test_what_speaks_of_an_argument_names_no_plan_file(name: str) -> None:
    """A plan that the call carries lies in no file that the model could wait for."""
    assert "plan file" not in told(filled(name))


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize(
    "said",
    [
        "has been explicitly approved",
        "outranks every other instruction",
        "the program enforces this",
        "write and edit on the plan file alone, and on no other file beside it",
        "subagents that write",
        "one",
        "nobody sees the plan",
        "its questions do not speak of the plan",
        "end each turn with askuserquestion or exitplanmode, and in no other way",
    ],
)
def test_whole_texts_say(name: str, said: str) -> None:
    """claude:C-13 C-24 C-25."""
    assert said in told(filled(name))


@pytest.mark.parametrize("name", WHOLE + SHORT)
def test_planning_texts_end_with_the_plan_file(name: str) -> None:
    assert filled(name).endswith("\n\nPlan file: [plan_file]")


@pytest.mark.parametrize("name", SHORT)
def test_short_texts_are_one_line_and_the_file(name: str) -> None:
    """claude:C-17."""
    assert len(filled(name).split("\n\n")) == 2
    assert len(filled(name)) < 500


def test_five_phases_in_order() -> None:
    """claude:C-21."""
    text = filled("reminders/delegating/full")
    assert re.findall(r"^\d\. (\w+)\.", text, re.MULTILINE) == [
        "Understand", "Design", "Review", "Write", "Exit",
    ]  # fmt: skip
    for said in ("the one approach that you recommend", "critical files", "reused", "verified"):
        assert said in text
    assert "yourself, whoever found them" in text


def test_agents_are_of_two_profiles_and_counted() -> None:
    """claude:C-21 C-22."""
    explorers = render("reminders/delegating/explorers", most="3")
    designers = render("reminders/delegating/designers", most="2")
    assert "profile `explore`" in explorers
    assert "at most 3 of them, usually one" in explorers
    assert "at least one agent of the profile `plan`" in designers
    assert "at most 2 in all" in designers


def test_the_loop_explores_updates_and_asks() -> None:
    """claude:C-23."""
    text = filled("reminders/iterative/full")
    assert re.findall(r"^\d\. (\w+)\.", text, re.MULTILINE) == ["Explore", "Update", "Ask"]
    for said in (
        "at once",
        "skeleton",
        "first turn",
        "Never ask what the code can answer",
        "several questions in one call",
        "no question is open",
    ):
        assert said in text


def test_a_notice_is_one_sentence() -> None:
    """dsh:D-15."""
    for name in ("reminders/entered", "reminders/section/exit_by_person"):
        assert library.text(name).count(".") == 1


def test_keep_planning_gives_the_feedback_and_no_approval() -> None:
    """dsh:D-26."""
    text = filled("results/argument/revise")
    assert text.startswith("Keep planning: the reviewer did not approve")
    assert text.endswith("\n\n[feedback]\n\n[comments]")


def test_a_dismissal_says_whose_turn_it_is() -> None:
    """dsh:D-27."""
    text = told(filled("results/argument/dismissed"))
    assert "has taken the turn" in text
    assert "plan mode stays on" in text
    assert "wait for what the person says" in text


def test_guidance_does_not_claim_to_be_enforced() -> None:
    """dsh:D-17, complaints:K-45."""
    text = told(filled("system/argument/plan_mode"))
    assert "no tool is switched off by plan mode" in text
    assert "enforces" not in text
