"""A slash is a command only where it can't be anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planmode.core.commands import (
    COMMANDS,
    Command,
    Mode,
    Plan,
    PlanClear,
    PlanOff,
    Say,
    opening,
    parse,
)
from planmode.core.errors import CommandInvalidError
from planmode.core.permission import PermissionMode


@pytest.mark.parametrize(
    ("text", "command"),
    [
        pytest.param("/plan", Plan(), id="bare"),
        pytest.param("/plan  \n", Plan(), id="bare, with blanks"),
        pytest.param("/plan on", Plan(), id="on"),
        pytest.param("/plan  add a cache ", Plan("add a cache"), id="a message, trimmed"),
        pytest.param("/plan\nadd a cache\n- test it", Plan("add a cache\n- test it"), id="lines"),
        pytest.param("/plan\u3000加缓存", Plan("加缓存"), id="a wide blank"),
        pytest.param("/plan off", PlanOff(), id="off"),
        pytest.param("/plan   off \n", PlanOff(), id="off, with blanks"),
        pytest.param("/plan off now", Plan("off now"), id="off and more is a message"),
        pytest.param("/plan OFF now", Plan("OFF now"), id="off in capitals and more"),
        pytest.param("/plan clear", PlanClear(), id="clear"),
        pytest.param("/plan clear the cache", Plan("clear the cache"), id="clear and more"),
        pytest.param("/plan one", Plan("one"), id="a word that begins like a switch"),
        pytest.param("/plan /plan off", Plan("/plan off"), id="a command inside is text"),
    ],
)  # fmt: skip
def test_plan(text: str, command: Command) -> None:
    """dsh:D-19 dsh:D-20 kimi:1.4: only `off` alone switches off, everything else is said."""
    assert parse(text) == command


@pytest.mark.parametrize("word", ["OFF", "Off", "ON", "Clear"])
@pytest.mark.parametrize("written", ["/plan {}", "/plan  {} \n"])
def test_a_switch_in_capitals_is_a_slip(word: str, written: str) -> None:
    """dsh:D-19: it is neither obeyed nor said to the agent."""
    with pytest.raises(CommandInvalidError) as refused:
        parse(written.format(word))
    assert str(refused.value) == f"/plan {word} is no command: write /plan {word.lower()}"


@pytest.mark.parametrize("mode", PermissionMode)
@pytest.mark.parametrize("written", ["{}", "{} ", " {}\n"])
def test_each_mode_has_its_name(mode: PermissionMode, written: str) -> None:
    """dsh:D-22: ours has `/mode`."""
    for name in (mode.value, mode.value.upper(), mode.value.replace("_", "-").title()):
        assert parse(f"/mode {written.format(name)}") == Mode(mode)


@pytest.mark.parametrize("name", ["plan", "auto now", "acceptedits", "accept edits", "AU\u0422O"])
def test_an_unknown_mode_is_told_the_four(name: str) -> None:
    with pytest.raises(CommandInvalidError) as refused:
        parse(f"/mode {name}")
    assert str(refused.value) == (
        f"{name!r} is no permission mode: /mode takes manual, accept_edits, auto, yolo"
    )


def test_a_mode_without_a_name_is_asked_for_one() -> None:
    with pytest.raises(CommandInvalidError, match="name a mode: /mode takes manual, "):
        parse("/mode")


@pytest.mark.parametrize(
    "text",
    [
        "Add a cache", " /plan off", "\n/mode auto", "/etc/hosts is wrong", "/", "/2 of it",
        "/plan.md is wrong", "/plan: do it", "// a comment", "//srv/share", "a /plan off", "  x ",
        "/plan/off", "/计划",
    ],
)  # fmt: skip
def test_other_text_is_sent_as_it_is(text: str) -> None:
    assert parse(text) == Say(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("//plan off", "/plan off"),
        ("//help", "/help"),
        ("///plan", "//plan"),
        ("", ""),
        (" \n\t", ""),
    ],
)
def test_a_second_slash_makes_text_of_a_command(text: str, said: str) -> None:
    assert parse(text) == Say(said)


@pytest.mark.parametrize("text", ["/help", "/Plan", "/PLAN off", "/plans x", "/plan-off", "/mode_"])
def test_an_unknown_command_is_told_what_there_is(text: str) -> None:
    with pytest.raises(CommandInvalidError) as refused:
        parse(text)
    word = text.split(maxsplit=1)[0]
    assert str(refused.value).startswith(f"there is no command {word}; there are ")
    assert all(form in str(refused.value) for form in COMMANDS)
    assert "To send it as text, put a blank or a second slash before it" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/plan", Plan()),
        ("/plan on", Plan()),
        ("/plan like this", Plan("like this")),
        ("look", Say("look")),
        (" ", Say("")),
    ],
)
def test_attachments_go_with_a_message_and_with_plan(text: str, command: Command) -> None:
    """dsh:D-21: `/plan` alone sends the attachments alone."""
    assert parse(text, attachments=2) == command


@pytest.mark.parametrize("text", ["/plan off", "/plan clear", "/mode auto"])
def test_attachments_are_not_lost_with_what_sends_nothing(text: str) -> None:
    """dsh:D-21: an error before any change, so the draft survives."""
    with pytest.raises(CommandInvalidError, match=f"{text} sends nothing to the agent"):
        parse(text, attachments=1)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Add a cache", Say("Add a cache")),
        ("/plan add a cache", Plan("add a cache")),
        ("//plan off", Say("/plan off")),
        (" /plan off", Say(" /plan off")),
    ],
)
def test_a_session_begins_with_a_message_or_with_plan(text: str, command: Command) -> None:
    """dsh:D-20."""
    assert opening(text) == command


@pytest.mark.parametrize("text", ["/plan off", "/plan clear", "/mode auto "])
def test_a_session_begins_with_no_other_command(text: str) -> None:
    with pytest.raises(CommandInvalidError) as refused:
        opening(text)
    assert str(refused.value).startswith(f"{text.strip()} is for a session that has begun")
    assert "manage.py say" in str(refused.value)


@pytest.mark.parametrize("text", ["/" + "x" * 1000, "/mode " + "x" * 1000])
def test_a_refusal_stays_short(text: str) -> None:
    with pytest.raises(CommandInvalidError) as refused:
        parse(text)
    assert len(str(refused.value)) < 250
    assert "…" in str(refused.value)


@given(text=st.text(), attachments=st.integers(0, 2))
def test_whatever_is_typed_is_taken_or_refused(text: str, attachments: int) -> None:
    try:
        command = parse(text, attachments=attachments)
    except CommandInvalidError:
        assert text.startswith("/")
        return
    assert isinstance(command, Say | Plan) or not attachments


@given(text=st.text())
def test_a_blank_before_it_sends_any_text(text: str) -> None:
    said = parse(f" {text}")
    assert isinstance(said, Say)
    assert said.text.strip() == text.strip()
