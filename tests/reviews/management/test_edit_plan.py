"""manage.py edit_plan: the working plan in a person's own editor."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from planmode import queries, services
from reviews.core.decisions import DecisionKind
from tests import desk
from tests.factories import PLAN, Play, play, submits

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(operator: User, reviewer: User) -> Play:
    """A session whose plan was sent back."""
    session = play(operator, [submits()]).work()
    desk.decide(session, reviewer, DecisionKind.REVISE, feedback="shorter")
    return session


@pytest.fixture(autouse=True)
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where drafts lie while they are edited."""
    folder = tmp_path / "drafts"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def editor(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let the person's editor be a program that does ``code`` to the ``path``."""
    program = f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{code}"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, "-c", program]))


def edit(session: Play) -> str:
    out = io.StringIO()
    call_command("edit_plan", str(session.id), user="operator", stdout=out)
    return out.getvalue()


def test_what_the_editor_saves_is_the_plan(
    session: Play, monkeypatch: pytest.MonkeyPatch, drafts: Path
) -> None:
    editor(monkeypatch, "path.write_text(path.read_text() + '3. Test it\\n')")
    assert edit(session).startswith("Saved")
    row = queries.plan(session.id)
    assert row.content == PLAN.encode() + b"3. Test it\n"
    assert row.edited_by is not None
    assert list(drafts.iterdir()) == []


def test_a_plan_that_was_only_read_stays_the_agent_s(
    session: Play, monkeypatch: pytest.MonkeyPatch, drafts: Path
) -> None:
    editor(monkeypatch, "")
    assert edit(session).startswith("The plan is unchanged")
    assert queries.plan(session.id).edited_by is None
    assert list(drafts.iterdir()) == []


def test_after_a_conflict_the_text_is_kept_and_found(
    session: Play, monkeypatch: pytest.MonkeyPatch, operator: User
) -> None:
    """Nothing that a person wrote is lost."""
    editor(monkeypatch, "path.write_text('# Mine\\n')")
    read = queries.plan(session.id)

    def edited_meanwhile(session_id: object) -> queries.PlanRow:
        services.edit_plan(session.id, b"# Theirs\n", base_sha256=read.sha256, by=operator)
        return read

    monkeypatch.setattr(queries, "plan", edited_meanwhile)
    with pytest.raises(CommandError, match="has changed since you read it") as refused:
        edit(session)
    kept = re.search(r"kept: (\S+)", str(refused.value))
    assert kept is not None
    assert Path(kept[1]).read_text() == "# Mine\n"
    assert refused.value.returncode == 1


def test_an_editor_that_fails_saves_nothing(
    session: Play, monkeypatch: pytest.MonkeyPatch, drafts: Path
) -> None:
    editor(monkeypatch, "path.write_text('# Half'); sys.exit(3)")
    with pytest.raises(CommandError, match="nothing was saved") as refused:
        edit(session)
    kept = re.search(r"Your text is kept: (\S+)", str(refused.value))
    assert kept is not None
    assert Path(kept[1]).read_text() == "# Half"
    assert queries.plan(session.id).content == PLAN.encode()
    monkeypatch.setenv("EDITOR", "no-such-editor-anywhere")
    with pytest.raises(CommandError, match="set EDITOR"):
        edit(session)


def test_without_a_plan_there_is_nothing_to_edit(operator: User) -> None:
    session = play(operator, [{"text": "Done."}], plan=False)
    with pytest.raises(CommandError, match="Plan mode is off") as refused:
        edit(session)
    assert refused.value.returncode == 2


def test_a_plan_under_review_opens_no_editor(operator: User, drafts: Path) -> None:
    """Found here: what was edited then, nobody read."""
    waits = play(operator, [submits()]).work()
    with pytest.raises(CommandError, match="revision 1 is under review") as refused:
        edit(waits)
    assert refused.value.returncode == 2
    assert list(drafts.iterdir()) == []
