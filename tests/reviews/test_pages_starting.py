"""The form that starts a session."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from planmode.access.models import Project, Role
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.models import Session
from reviews.templatetags.desk import means
from tests.conftest import member
from tests.reviews.pages_client import Answer, browser, html, text


@pytest.fixture
def workspace(own_data: Path) -> Path:
    """A folder that agents may work on."""
    folder = own_data / "workspaces" / "shop"
    folder.mkdir()
    return folder


def sends(who: User, folder: Path, **fields: str) -> Answer:
    sent = {
        "project": "default",
        "workspace": str(folder),
        "prompt": "Plan a faster search",
        "model": "test:x",
        "preset": "kimi",
        "mode": "manual",
        "plan": "yes",
        **fields,
    }
    return browser(who).post("/sessions/new", sent)


def test_the_form_says_whom_each_preset_is_for(operator: User) -> None:
    page = browser(operator).get("/sessions/new")
    for preset in PRESETS:
        assert f'name="preset" value="{preset}"' in html(page)
    assert 'name="preset" value="" checked' in html(page)
    assert "As usual in the project" in text(page)
    assert "For whoever has no reason for another one." in text(page)
    assert '<a class="button main" href="/sessions/new">' in html(
        browser(operator).get("/sessions")
    )


@pytest.mark.parametrize("mode", PermissionMode)
def test_a_permission_mode_fits_a_narrow_page(mode: PermissionMode) -> None:
    """Found on a page 360 px wide: a select cuts off what is longer, and nothing shows the rest."""
    assert len(f"{mode}: {means(mode)}") <= 37


def test_what_was_filled_in_is_started(operator: User, workspace: Path) -> None:
    answer = sends(operator, workspace, preset="pi", mode="yolo", rules="deny Bash(git push *)\r\n")
    session = Session.objects.get()
    assert answer["Location"] == f"/sessions/{session.pk}"
    assert (session.owner, session.project.name, session.model) == (operator, "default", "test:x")
    state = session.fold
    assert (state.preset, state.permission_mode, state.plan.active) == ("pi", "yolo", True)
    assert state.rules == ("deny Bash(git push *)",)


@pytest.mark.parametrize(
    ("typed", "said", "plans"),
    [("/plan Faster", "Faster", True), ("//plan off", "/plan off", False)],
)
def test_a_prompt_is_read_as_the_field_of_a_session_reads_it(
    typed: str,
    said: str,
    plans: bool,  # noqa: FBT001 - a column
    operator: User,
    workspace: Path,
) -> None:
    """dsh:D-20."""
    sent = {"project": "default", "workspace": str(workspace), "prompt": typed, "model": "test:x"}
    browser(operator).post("/sessions/new", {**sent, "preset": "kimi", "mode": "manual"})
    session = Session.objects.get()
    assert (session.title, session.fold.plan.active) == (said, plans)


def test_without_the_tick_it_starts_outside_of_plan_mode(operator: User, workspace: Path) -> None:
    sent = {
        "project": "default",
        "workspace": str(workspace),
        "prompt": "Go",
        "model": "test:x",
        "preset": "kimi",
        "mode": "manual",
    }
    browser(operator).post("/sessions/new", sent)
    assert not Session.objects.get().fold.plan.active


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"workspace": "/etc"}, "workspace"),
        ({"prompt": " "}, "the message is blank"),
        ({"prompt": "/plan off"}, "/plan off is for a session that has begun"),
        ({"prompt": "/help"}, "there is no command /help"),
        ({"model": "scripted:../x"}, "scripted model"),
        ({"preset": "other"}, "no preset"),
        ({"mode": "root"}, "no permission mode"),
        ({"rules": "allow everything"}, "allow everything"),
        ({"project": "other"}, "Choose a project."),
    ],
)
def test_what_can_not_be_started_comes_back_as_it_was_typed(
    fields: dict[str, str], why: str, operator: User, workspace: Path
) -> None:
    answer = sends(operator, workspace, **{"prompt": "Plan a faster search", **fields})
    assert answer.status_code == 422
    assert why in text(answer)
    assert "data-focus" in html(answer)
    kept = {"prompt": "Plan a faster search", **fields}["prompt"]
    assert f"{kept}</textarea>" in html(answer)
    assert not Session.objects.exists()


def test_only_operators_start_sessions(reviewer: User, admin: User, workspace: Path) -> None:
    for who in (reviewer, admin):
        assert browser(who).get("/sessions/new").status_code == 403
        assert sends(who, workspace).status_code == 403
        assert "/sessions/new" not in html(browser(who).get("/sessions"))


def test_an_operator_of_one_project_starts_none_in_another(
    project: Project, workspace: Path
) -> None:
    other = Project.objects.create(name="other")
    mixed = member(project, "mixed", Role.OPERATOR)
    member(other, "elsewhere", Role.OPERATOR)
    assert sends(mixed, workspace, project="other").status_code == 422
    mixed.memberships.create(project=other, role=Role.REVIEWER)
    assert sends(mixed, workspace, project="other").status_code == 403
    page = html(browser(mixed).get("/sessions/new"))
    assert '<input type="hidden" name="project" value="default">' in page
    mixed.memberships.create(project=other, role=Role.OPERATOR)
    assert '<select id="project"' in html(browser(mixed).get("/sessions/new"))
