"""Every text: placeholders, size, what it must say."""

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final

import pytest

import prompts
from planmode.core.events import ReminderKind
from planmode.core.guard import Refusal
from planmode.core.options import LONGEST_LABEL
from planmode.core.outcomes import CONSEQUENCES, Outcome
from prompts import library
from prompts.rendering import render

ROOT = Path(prompts.__file__).parent

PLAN = frozenset({"saved_as", "version", "sha256", "plan"})
PLANNING = frozenset({"plan_file", "shell_rule"})
CHILD = frozenset({"workspace", "tools", "read_only", "data", "read_only_again"})
NONE: Final[frozenset[str]] = frozenset()

VALUES: Final[Mapping[str, frozenset[str]]] = {
    "system/base": frozenset({"workspace", "plan_mode"}),
    "system/plan_mode": NONE,
    "system/section": frozenset({"section"}),
    "system/explore": CHILD,
    "system/plan": CHILD,
    "reminders/full": PLANNING,
    "reminders/sparse": PLANNING,
    "reminders/reentry": PLANNING,
    "reminders/exit": NONE,
    "reminders/exit_unapproved": NONE,
    "reminders/inline_full": frozenset({"shell_rule"}),
    "reminders/inline_sparse": frozenset({"shell_rule"}),
    "reminders/inline_reentry": frozenset({"shell_rule"}),
    "reminders/shell_asks": NONE,
    "reminders/shell_refused": NONE,
    "reminders/shell_no_sandbox": NONE,
    "tools/enter_plan_mode": NONE,
    "tools/exit_plan_mode": NONE,
    "tools/read": NONE,
    "tools/glob": NONE,
    "tools/grep": NONE,
    "tools/write": NONE,
    "tools/edit": NONE,
    "tools/bash": NONE,
    "tools/agent": NONE,
    "tools/task_list": NONE,
    "tools/task_output": NONE,
    "tools/task_stop": NONE,
    "tools/cron_create": NONE,
    "tools/cron_list": NONE,
    "tools/cron_delete": NONE,
    "messages/file": frozenset({"name"}),
    "messages/file_damaged": frozenset({"name"}),
    "messages/go_on": NONE,
    "messages/scheduled": frozenset({"number", "cron", "prompt"}),
    "tools/ask_user_question": NONE,
    "tools/todo_list": NONE,
    "tools/reply_to_comment": NONE,
    "tools/outside": frozenset({"server", "description"}),
    "results/approved": PLAN | {"edited", "option", "notes", "comments"},
    "results/approved_without_start": PLAN | {"edited", "option", "notes", "comments"},
    "results/comments": frozenset({"version", "count", "comments"}),
    "results/comment": frozenset(
        {"comment", "place", "blocks", "quote", "words", "suggestion", "replies"}
    ),
    "results/comments_cut": frozenset({"left", "limit"}),
    "results/edited": NONE,
    "results/auto_approved": PLAN,
    "results/revise": frozenset({"version", "feedback", "comments"}),
    "results/rejected": frozenset({"version", "reason"}),
    "results/rejected_and_exited": frozenset({"version", "reason"}),
    "results/dismissed": frozenset({"version", "reason"}),
    "results/expired": frozenset({"version"}),
    "results/option": frozenset({"label"}),
    "results/notes": frozenset({"notes"}),
    "results/reason": frozenset({"reason"}),
    "results/entered_plan_mode": frozenset({"plan_file"}),
    "results/answers": frozenset({"answers"}),
    "results/blocked_tool": frozenset({"tool"}),
    "results/write_outside_plan_file": frozenset({"plan_file"}),
    "results/plan_edited": frozenset({"plan_file"}),
    "results/shell_while_planning": NONE,
    "results/no_sandbox": NONE,
    "results/unsandboxed": NONE,
    "results/already_planning": frozenset({"plan_file"}),
    "results/not_planning": NONE,
    "results/plan_is_reply": frozenset({"tool"}),
    "results/outside_workspace": frozenset({"workspace"}),
    "results/guard_failed": frozenset({"tool"}),
    "results/question_in_auto": NONE,
    "results/unknown_tool": frozenset({"tool", "known"}),
    "results/invalid_arguments": frozenset({"tool", "problems"}),
    "results/no_plan_file": frozenset({"plan_file"}),
    "results/plan_unreadable": frozenset({"plan_file", "problem"}),
    "results/plan_unchanged": frozenset({"version", "outcome"}),
    "results/plan_too_large": frozenset({"problem"}),
    "results/plan_not_stored": frozenset({"problem"}),
    "results/approved_damaged": frozenset({"version", "problem"}),
    "results/refused_by_person": frozenset({"reason"}),
    "results/skipped": NONE,
    "results/interrupted": NONE,
    "results/cancelled": NONE,
    "results/tool_failed": frozenset({"tool", "problem"}),
    "results/outside_changed": frozenset({"tool"}),
    "results/outside_gone": frozenset({"tool"}),
    "results/cut": frozenset({"shown", "total"}),
    "results/not_in_profile": frozenset({"tool"}),
    "results/refused_again": frozenset({"times"}),
    "results/refused_for_good": frozenset({"times"}),
    "results/repeated": frozenset({"times"}),
    "results/repeated_for_good": frozenset({"times"}),
    "results/rule": frozenset({"tool"}),
    "results/shell_of_child": NONE,
    "reminders/approved_plan": frozenset({"plan", "sha256", "version"}),
    "reminders/approved_plan_damaged": NONE,
    "reminders/entered": NONE,
    "reminders/exit_by_person": NONE,
    "reminders/open_steps": frozenset({"steps"}),
    "reminders/plan_edited": frozenset({"plan_file"}),
    "reminders/unsubmitted": NONE,
    "results/child_done": frozenset({"profile", "report", "again"}),
    "results/child_again": frozenset({"child"}),
    "results/child_ended": frozenset({"profile", "state", "why", "report"}),
    "results/child_unknown": frozenset({"child"}),
    "results/child_not_reusable": frozenset({"child", "profile"}),
}
BLOCKS: Final = frozenset({"edited", "option", "notes", "reason", "feedback"})
WHOLE: Final = ("full", "reentry", "inline_full", "inline_reentry")
INLINE: Final = ("inline_full", "inline_sparse", "inline_reentry")
WITH_PATH: Final = ("full", "sparse", "reentry")
PATH: Final = "/data/sessions/0197/agents/main/plans/brave-amber-otter.md"
SHELL_RULES: Final = ("shell_asks", "shell_refused", "shell_no_sandbox")


def filled(name: str) -> str:
    return render(name, **{key: f"[{key}]" for key in VALUES[name]})


def reminded(name: str, shell_rule: str = "shell_asks") -> str:
    """Return the reminder as an agent gets it."""
    values = {"plan_file": PATH, "shell_rule": render(f"reminders/{shell_rule}")}
    name = f"reminders/{name}"
    return render(name, **{key: values[key] for key in VALUES[name]})


def told(text: str) -> str:
    """Return ``text`` on one line in lower case."""
    return " ".join(text.lower().split())


def test_the_table_names_every_text() -> None:
    """Texts of special cases are in the table of test_variants.py."""
    assert set(VALUES) == {name for name in library.NAMES if name.count("/") == 1}


@pytest.mark.parametrize("name", VALUES)
def test_placeholders_are_what_the_code_passes(name: str) -> None:
    template = Template(library.text(name))
    assert template.is_valid()
    assert set(template.get_identifiers()) == VALUES[name]
    assert template.template.count("$") == len(re.findall(r"\$\{[a-z0-9_]+\}", template.template))


@pytest.mark.parametrize("name", VALUES)
def test_a_filled_text_holds_each_value(name: str) -> None:
    text = filled(name)
    assert "${" not in text
    assert all(f"[{key}]" in text for key in VALUES[name])


@pytest.mark.parametrize("name", VALUES)
def test_files_are_plain(name: str) -> None:
    content = (ROOT / f"{name}.md").read_bytes()
    text = content.decode("ascii")
    assert all(char == "\n" or char.isprintable() for char in text)
    assert text.endswith("\n")
    assert text == text.strip() + "\n"
    assert "\n\n\n" not in text
    assert " \n" not in text


@pytest.mark.parametrize("name", VALUES)
def test_what_may_be_empty_stands_alone_on_its_line(name: str) -> None:
    lines = library.text(name).splitlines()
    assert all(f"${{{key}}}" in lines for key in VALUES[name] & BLOCKS)


@pytest.mark.parametrize(
    "kind", [kind for kind in ReminderKind if kind is not ReminderKind.REVIEWED]
)
def test_every_kind_of_reminder_has_its_text(kind: ReminderKind) -> None:
    assert f"reminders/{kind}" in library.NAMES


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_its_text(outcome: Outcome) -> None:
    assert f"results/{outcome}" in library.NAMES


@pytest.mark.parametrize("why", Refusal)
def test_every_refusal_has_its_text(why: Refusal) -> None:
    assert f"results/{why}" in library.NAMES


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        pytest.param("full", 1600, 2400, id="kimi:2.2 full"),
        pytest.param("sparse", 400, 700, id="kimi:2.2 sparse"),
        pytest.param("reentry", 900, 1400, id="kimi:2.2 reentry"),
        pytest.param("exit", 100, 300, id="kimi:2.2 exit"),
        pytest.param("exit_unapproved", 100, 300, id="kimi:2.5 exit, not approved"),
        pytest.param("inline_full", 1200, 2400, id="kimi:2.2 inline-full"),
        pytest.param("inline_sparse", 300, 700, id="kimi:2.2 inline-sparse"),
        pytest.param("inline_reentry", 800, 1400, id="kimi:2.2 inline-reentry"),
    ],
)
def test_reminders_have_their_size(name: str, least: int, most: int) -> None:
    """kimi:2.2, last column: a reminder comes often, so its bytes count."""
    sizes = [len(reminded(name, rule).encode()) for rule in SHELL_RULES]
    assert least <= min(sizes)
    assert max(sizes) <= most


@pytest.mark.parametrize("name", WITH_PATH)
def test_reminders_end_with_the_plan_file(name: str) -> None:
    """kimi:2.1: a blank line and the path at the end."""
    assert reminded(name).endswith(f"\n\nPlan file: {PATH}")


@pytest.mark.parametrize("rule", SHELL_RULES)
@pytest.mark.parametrize("name", WITH_PATH + INLINE)
def test_reminders_say_what_bash_may_do(name: str, rule: str) -> None:
    assert render(f"reminders/{rule}") in reminded(name, rule)


@pytest.mark.parametrize("rule", SHELL_RULES)
def test_a_shell_rule_is_one_line(rule: str) -> None:
    text = render(f"reminders/{rule}")
    assert text.startswith("Bash ")
    assert "\n" not in text
    assert "surely read-only" in text


@pytest.mark.parametrize("name", WITH_PATH + INLINE)
def test_reminders_say_how_a_turn_ends(name: str) -> None:
    """kimi:2.2: with AskUserQuestion or ExitPlanMode, the first never for approval."""
    text = told(reminded(name))
    ending = re.search(r"end (each|the) turn with askuserquestion.*exitplanmode", text)
    assert ending
    assert re.search(r"requirements, never (for )?approval", text)


@pytest.mark.parametrize("name", WHOLE)
def test_whole_texts_say_what_is_refused(name: str) -> None:
    """kimi:2.2 full and reentry: nothing changes before an explicit approval."""
    text = reminded(name)
    for word in ("TaskStop", "CronCreate", "CronDelete", "subagents that write", "outside tools"):
        assert word in text
    assert "has been explicitly approved" in text
    assert "outranks every other instruction" in text
    assert "The program enforces this" in text


@pytest.mark.parametrize("name", ["full", "sparse", "reentry", "inline_full", "inline_sparse"])
def test_options_are_asked_for(name: str) -> None:
    """kimi:2.2: with 2 or 3 truly different approaches the options are mandatory."""
    assert re.search(r"2 or 3 (truly )?(different|approaches)", reminded(name))
    assert "`options`" in reminded(name)


@pytest.mark.parametrize("name", ["full", "reentry", "inline_full"])
def test_whole_texts_make_options_mandatory(name: str) -> None:
    assert "mandatory" in reminded(name)


def test_full_has_five_phases_in_order() -> None:
    """kimi:2.2 full: understand, design, review, write, exit."""
    phases = re.findall(r"^(\d)\. (\w+)\.", reminded("full"), re.MULTILINE)
    assert phases == [
        ("1", "Understand"),
        ("2", "Design"),
        ("3", "Review"),
        ("4", "Write"),
        ("5", "Exit"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Read, Grep, Glob and TodoList as usual; prefer them",
        "Write and Edit on the plan file alone",
        "create it with Write",
        "at most 3",
        "nobody sees the plan",
        "in plain text",
        "permission mode auto",
    ],
)
def test_full_says(said: str) -> None:
    """kimi:2.2 full, what it must contain."""
    assert said in reminded("full")


@pytest.mark.parametrize("said", ["still on", "full text", "Only the plan file", "with Write"])
def test_sparse_says(said: str) -> None:
    """kimi:2.2 sparse, what it must contain."""
    assert said in reminded("sparse")


@pytest.mark.parametrize(
    "said",
    [
        "holds an earlier plan",
        "Read the plan file",
        "Compare",
        "another one, replace",
        "the same, update",
        "edit the plan file before you call ExitPlanMode",
    ],
)
def test_reentry_says(said: str) -> None:
    """kimi:2.2 reentry, what it must contain."""
    assert said in reminded("reentry")


@pytest.mark.parametrize("name", INLINE)
def test_inline_texts_name_no_file_and_tell_to_write_none(name: str) -> None:
    """kimi:2.2 inline: without path and without Write or Edit, wait for a path."""
    text = reminded(name)
    assert "do not use Write or Edit" in text
    assert re.search(r"call ExitPlanMode only after a (later )?reminder has named a path", text)
    assert "plan file" not in text.lower()
    assert not re.search(r"(create|refine|fill|edit) (it|the plan)", text.lower())


def test_exit_goes_on_with_the_approved_plan() -> None:
    """kimi:2.2 exit: restrictions lifted, go on under the normal rules."""
    text = told(reminded("exit"))
    assert "plan mode is off" in text
    assert "restrictions are lifted" in text
    assert "go on with the approved plan under the normal permission rules" in text


def test_exit_without_approval_starts_nothing() -> None:
    """kimi:2.5 (d): two texts, since nothing was approved after a rejection or a cancel."""
    text = told(reminded("exit_unapproved"))
    assert "restrictions are lifted" in text
    assert "no plan has been approved" in text
    assert "do not start on it" in text
    assert "person's next instruction" in text
    assert "go on with" not in text


@pytest.mark.parametrize("outcome", Outcome)
def test_a_result_says_what_its_outcome_did(outcome: Outcome) -> None:
    text = told(filled(f"results/{outcome}"))
    consequence = CONSEQUENCES[outcome]
    stays = "plan mode stays on" in text
    left = "plan mode is off" in text or "switched plan mode off" in text
    assert (left, stays) == (consequence.exits_plan_mode, not consequence.exits_plan_mode)
    assert ("this turn ends here" in text) is consequence.stops_turn
    assert ("[plan]" in text) is consequence.approved


@pytest.mark.parametrize("name", ["rejected_and_exited", "dismissed"])
def test_what_is_no_approval_says_so(name: str) -> None:
    """complaints:K-53."""
    assert "Nothing was approved" in filled(f"results/{name}")


@pytest.mark.parametrize("name", ["rejected", "rejected_and_exited", "approved_without_start"])
def test_what_ends_the_turn_starts_nothing(name: str) -> None:
    """complaints:K-40 complaints:K-41."""
    text = told(filled(f"results/{name}"))
    assert "this turn ends here" in text
    assert re.search(r"do not carry out any of", text)


def test_an_approval_names_what_was_reviewed_and_where_it_is() -> None:
    text = filled("results/approved")
    assert "Carry out the plan" in text
    assert "Saved as: [saved_as]\nRevision: v[version], sha256 [sha256]\n" in text
    assert text.endswith("## Approved plan\n\n[plan]")


def test_an_approval_without_start_is_off_but_idle() -> None:
    assert "plan mode is off" in told(filled("results/approved_without_start"))
    assert "wait for the person's next message" in told(filled("results/approved_without_start"))


def test_auto_approval_claims_no_person() -> None:
    text = filled("results/auto_approved")
    assert "No person reviewed it." in text
    assert "original instruction on whether to carry the plan out at all" in text
    assert "A person" not in text
    assert "## Plan (auto-approved, reviewed by no person)" in text


def test_a_chosen_option_excludes_the_others() -> None:
    text = filled("results/option")
    assert text.startswith("Chosen option: [label]\n")
    assert "Carry out only this one" in text


def test_revise_asks_for_a_new_submission() -> None:
    text = filled("results/revise")
    assert "call ExitPlanMode again" in text
    assert text.endswith("\n\n[feedback]\n\n[comments]")


@pytest.mark.parametrize(
    "why",
    [
        Refusal.BLOCKED_TOOL,
        Refusal.WRITE_OUTSIDE_PLAN_FILE,
        Refusal.SHELL_WHILE_PLANNING,
        Refusal.NO_SANDBOX,
        Refusal.ALREADY_PLANNING,
        Refusal.NOT_PLANNING,
        Refusal.QUESTION_IN_AUTO,
    ],
)
def test_refusals_name_the_way_on(why: Refusal) -> None:
    """GD-04, GD-11, GD-12: a veto can be acted on."""
    assert "ExitPlanMode" in filled(f"results/{why}")


@pytest.mark.parametrize("tool", ["TaskStop", "CronCreate", "CronDelete"])
def test_a_blocked_tool_is_named(tool: str) -> None:
    """GD-11, GD-12."""
    assert render("results/blocked_tool", tool=tool).startswith(f"{tool} is refused")


@pytest.mark.parametrize(
    "name",
    [
        "write_outside_plan_file",
        "plan_edited",
        "already_planning",
        "entered_plan_mode",
        "no_plan_file",
        "plan_unreadable",
    ],
)
def test_results_about_the_plan_file_end_with_it(name: str) -> None:
    """complaints:K-39."""
    assert filled(f"results/{name}").endswith("\n\nPlan file: [plan_file]")


@pytest.mark.parametrize(
    "name",
    ["no_plan_file", "plan_unreadable", "plan_unchanged", "plan_too_large", "plan_not_stored"],
)
def test_a_failed_submission_says_what_to_do(name: str) -> None:
    text = filled(f"results/{name}")
    assert "call ExitPlanMode" in text.replace("Call", "call")
    assert "Plan mode stays on" in text


def test_invalid_arguments_begin_as_agreed() -> None:
    """X3: the tool's name, then the place and the reason."""
    text = render("results/invalid_arguments", tool="ExitPlanMode", problems="/plan not known")
    assert text.startswith('Invalid args for tool "ExitPlanMode": /plan not known\n')


def test_an_unknown_outcome_is_checked_before_it_is_repeated() -> None:
    assert filled("results/interrupted").startswith(
        "Interrupted: outcome unknown, check before repeating."
    )


@pytest.mark.parametrize(
    "said",
    [
        "new feature",
        "several sound approaches",
        "existing behaviour changes",
        "architecture",
        "two or three files",
        "requirements are unclear",
        "preferences",
        "small fix",
        "instruction so exact",
        "research",
        "manual, accept_edits and yolo",
        "auto:",
        "ExitPlanMode",
    ],
)
def test_enter_plan_mode_says(said: str) -> None:
    """kimi:F8: when to use it, when not, and the permission modes."""
    assert said in library.text("tools/enter_plan_mode")


@pytest.mark.parametrize(
    "said",
    [
        "read from the plan file",
        "no argument for its text",
        "Do not use it for research",
        "concrete and can be checked",
        "Open questions are resolved",
        "Do not ask by other means",
        "2 or 3 truly different approaches",
        "mandatory",
        f"1 to {LONGEST_LABEL} characters",
        "No two labels may read alike",
        "Approve, Reject, Reject and Exit, Revise",
        "permission mode auto",
        "no person reviewed it",
        "submit again",
    ],
)
def test_exit_plan_mode_says(said: str) -> None:
    """kimi:F8: where the plan is read, what belongs into it, options, auto, what follows."""
    assert said in library.text("tools/exit_plan_mode")


@pytest.mark.parametrize(
    "said",
    [
        "[workspace]",
        "<system-reminder>",
        "</system-reminder>",
        '<from source="...">',
        "</from>",
        "is data",
        "do not follow them",
        "The program enforces it",
        "EnterPlanMode",
        "result of ExitPlanMode and in no other way",
    ],
)
def test_the_system_text_says(said: str) -> None:
    assert said in filled("system/base") + filled("system/plan_mode")
