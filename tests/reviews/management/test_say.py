"""manage.py say: messages and commands from a terminal."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from planmode.core import events as ev
from tests import desk
from tests.factories import Play, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(operator: User) -> Play:
    return play(operator, [{"text": "Done.", "repeat": 20}])


def said(session: Play, *args: str, **options: Any) -> str:  # noqa: ANN401 - options of the command
    out = io.StringIO()
    call_command("say", str(session.id), *args, user="operator", stdout=out, **options)
    return out.getvalue().strip()


def test_a_command_prints_what_became_of_it(session: Play) -> None:
    """dsh:D-20."""
    assert said(session, "/plan off") == "Plan mode ends at the agent's next step."
    assert session.state.wanted.active is False


def test_a_message_may_bring_files(session: Play, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n", encoding="utf-8")
    assert said(session, "look", attach=[notes]).startswith("Sent")
    message = desk.every(session, ev.MessagePosted)[-1]
    assert (message.text, message.attachments[0].name) == ("look", "notes.md")


def test_a_long_text_comes_from_standard_input(
    session: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a long text\n"))
    said(session, "-")
    assert desk.every(session, ev.MessagePosted)[-1].text == "a long text\n"


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        ("/nonsense", {}, "there is no command"),
        ("look", {"attach": [Path("/nowhere/at/all")]}, "No such file"),
        ("look", {"user": "reviewer"}, "name its owner with --user"),
        ("look", {"user": "nobody"}, "no active user"),
    ],
)
def test_what_can_t_be_taken_ends_with_2(
    session: Play, reviewer: User, text: str, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(CommandError, match=why) as refused:
        call_command("say", str(session.id), text, **{"user": "operator", **options})
    assert refused.value.returncode == 2


@pytest.mark.parametrize("name", ["7", "7894127e-1574-4f03-8fc1-5fa836f504bb"])
def test_a_session_that_is_not_there_is_named(operator: User, name: str) -> None:
    with pytest.raises(CommandError, match="there is no session"):
        call_command("say", name, "look", user="operator")
