"""Projects, members and policies in pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Membership, Project, Role
from reviews.core.policy import DEFAULT, Rules, Stricter
from reviews.core.tiers import Tier
from reviews.models import AuditFact, Policy
from reviews.pages.policies import in_words
from reviews.services import set_policy
from tests.conftest import member
from tests.reviews.pages_client import browser, html, text

POLICY = {"approvals": "2", "reason_required": "on", "high_approvals": "3", "high_lead": "on"}


@pytest.fixture
def boss(db: None) -> User:
    """Admin of all projects."""
    user = User.objects.create_user("boss", password="boss-pass-word")
    Membership.objects.create(user=user, role=Role.ADMIN)
    return user


def facts() -> list[str]:
    return list(AuditFact.objects.order_by("pk").values_list("kind", flat=True))


def newest_fact() -> dict[str, Any]:
    row = AuditFact.objects.latest("pk")
    data: dict[str, Any] = json.loads(bytes(row.canonical))["data"]
    return data


def test_who_is_admin_of_all_makes_a_project(boss: User, own_data: Path) -> None:
    folder = own_data / "workspaces" / "team"
    folder.mkdir()
    client = browser(boss)
    sent = {
        "name": "shop",
        "workspace_root": str(folder),
        "preset": "pi",
        "rules": "deny Bash(x)\r\n",
    }
    answer = client.post("/settings/projects/new", sent)
    assert answer["Location"] == "/settings/projects/shop/members"
    made = Project.objects.get(name="shop")
    assert (made.workspace_root, made.preset, made.rules) == (str(folder), "pi", "deny Bash(x)")
    assert facts() == ["project_added"]
    assert newest_fact()["by"] == boss.pk
    assert "The project is there" in text(client.get(answer["Location"]))


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(boss: User) -> None:
    sent = {"name": "no name", "workspace_root": "/nowhere", "model": "scripted:../x"}
    page = browser(boss).post("/settings/projects/new", {**sent, "plan_folder": "plans"})
    assert page.status_code == 422
    for field in ("name", "workspace_root", "model"):
        assert f'id="id_{field}_error"' in html(page)
    assert 'value="plans"' in html(page)
    assert 'value="scripted:../x"' in html(page)
    assert not Project.objects.exists()


def test_a_projects_admin_changes_it_and_makes_no_other(project: Project, admin: User) -> None:
    client = browser(admin)
    assert "New project" not in text(client.get("/settings/projects"))
    assert client.get("/settings/projects/new").status_code == 403
    assert client.post("/settings/projects/new", {"name": "mine"}).status_code == 403
    answer = client.post("/settings/projects/default/allows", {"allow_self_review": "on"})
    assert answer.status_code == 302
    project.refresh_from_db()
    assert project.allow_self_review
    assert (facts(), newest_fact()["by"]) == (["policy_changed"], admin.pk)


def test_what_did_not_change_is_no_fact(project: Project, admin: User) -> None:
    assert browser(admin).post("/settings/projects/default/allows", {}).status_code == 302
    assert facts() == []


@pytest.mark.parametrize("page", ["allows", "members", "policy"])
@pytest.mark.parametrize(("role", "status"), [(role, 403) for role in Role if role != Role.ADMIN])
def test_other_roles_see_that_there_is_such_a_page(
    project: Project, page: str, role: Role, status: int
) -> None:
    client = browser(member(project, "somebody", role))
    assert client.get(f"/settings/projects/default/{page}").status_code == status
    assert client.post(f"/settings/projects/default/{page}", POLICY).status_code == status
    assert client.get("/settings/projects").status_code == 403
    assert '"/settings/projects"' not in html(client.get("/settings/you"))


@pytest.mark.parametrize("page", ["allows", "members", "policy"])
def test_a_project_of_others_does_not_exist(admin: User, page: str) -> None:
    """security:S36."""
    other = Project.objects.create(name="secret")
    client = browser(admin)
    assert client.get(f"/settings/projects/{other.name}/{page}").status_code == 404
    assert client.get(f"/settings/projects/nothing/{page}").status_code == 404
    assert "secret" not in text(client.get("/settings/projects"))


def test_a_role_that_went_counts_no_more(project: Project, admin: User) -> None:
    """security:S44."""
    client = browser(admin)
    client.get("/settings/projects/default/allows")
    admin.memberships.all().delete()
    sent = {"allow_self_review": "on"}
    assert client.post("/settings/projects/default/allows", sent).status_code == 404
    project.refresh_from_db()
    assert not project.allow_self_review


# Members


def gives(client: Client, name: str, role: str) -> Any:  # noqa: ANN401 - a test response
    return client.post("/settings/projects/default/members", {"name": name, "role": role})


def test_a_role_is_given_by_user_name(project: Project, admin: User, stranger: User) -> None:
    client = browser(admin)
    assert gives(client, "stranger", "lead").status_code == 302
    assert Membership.objects.get(user=stranger).role == "lead"
    assert facts() == ["member_added"]
    page = client.get("/settings/projects/default/members")
    assert "stranger lead Take away" in text(page)


@pytest.mark.parametrize(
    ("name", "role", "said"),
    [
        ("nobody-of-us", "lead", "Nobody of this name"),
        ("gone", "lead", "Nobody of this name"),
        ("admin", "admin", "has the role already"),
        ("admin", "king", "king is not one of the available choices"),
        ("", "lead", "This field is required"),
    ],
)
def test_a_role_that_can_not_be_given(
    project: Project, admin: User, name: str, role: str, said: str
) -> None:
    User.objects.create_user("gone", is_active=False)
    answer = gives(browser(admin), name, role)
    assert answer.status_code == 422
    assert said in text(answer)
    assert facts() == []


def test_a_role_is_taken_away(project: Project, admin: User, reviewer: User) -> None:
    held = Membership.objects.get(user=reviewer)
    client = browser(admin)
    for _again in range(2):
        answer = client.post("/settings/projects/default/members/remove", {"member": held.pk})
        assert answer.status_code == 302
    assert not Membership.objects.filter(user=reviewer).exists()
    assert facts() == ["member_removed"]


def test_a_role_elsewhere_is_not_taken_away_from_here(admin: User, boss: User) -> None:
    held = Membership.objects.get(user=boss)
    client = browser(admin)
    for chosen in (held.pk, "x", ""):
        client.post("/settings/projects/default/members/remove", {"member": chosen})
    assert Membership.objects.filter(user=boss).exists()


def test_the_last_admin_stays(project: Project, admin: User) -> None:
    held = Membership.objects.get(user=admin)
    answer = browser(admin).post("/settings/projects/default/members/remove", {"member": held.pk})
    assert answer.status_code == 409
    assert "give another person the role first" in text(answer)
    assert Membership.objects.filter(pk=held.pk).exists()


@pytest.mark.parametrize("everywhere", [True, False])
def test_an_admin_goes_when_another_one_is_there(
    project: Project,
    admin: User,
    everywhere: bool,  # noqa: FBT001 - a test's parameter
) -> None:
    other = User.objects.create_user("other")
    Membership.objects.create(user=other, project=None if everywhere else project, role=Role.ADMIN)
    held = Membership.objects.get(user=admin)
    path = "/settings/projects/default/members/remove"
    assert browser(admin).post(path, {"member": held.pk}).status_code == 302
    assert not Membership.objects.filter(pk=held.pk).exists()


def test_an_admin_who_may_not_log_in_is_none(project: Project, admin: User) -> None:
    other = User.objects.create_user("other", is_active=False)
    Membership.objects.create(user=other, project=project, role=Role.ADMIN)
    held = Membership.objects.get(user=admin)
    path = "/settings/projects/default/members/remove"
    assert browser(admin).post(path, {"member": held.pk}).status_code == 409


def test_a_name_that_hides_something_is_shown_with_it(project: Project, admin: User) -> None:
    """security:S24."""
    member(project, "ad\u200bmin", Role.REVIEWER)
    assert "ad[U+200B]min" in text(browser(admin).get("/settings/projects/default/members"))


# Policies


def test_a_policy_is_a_version_with_its_author(project: Project, admin: User) -> None:
    client = browser(admin)
    assert client.post("/settings/projects/default/policy", POLICY).status_code == 302
    row = Policy.objects.get(project=project)
    assert (row.version, row.by) == (1, admin)
    assert facts() == ["policy_changed"]
    page = text(client.get("/settings/projects/default/policy"))
    assert "Policy 1 holds." in page
    assert "2 approvals of the same option." in page
    assert "High risk: 3 approvals of the same option, and one by a lead besides." in page


def test_a_policy_that_can_not_be_comes_back(project: Project, admin: User) -> None:
    sent = {**POLICY, "approvals": "0", "deadline_hours": "7"}
    page = browser(admin).post("/settings/projects/default/policy", sent)
    assert page.status_code == 422
    assert 'id="id_approvals_error"' in html(page)
    assert 'value="7"' in html(page)
    assert not Policy.objects.exists()


def test_the_form_shows_the_policy_that_holds(project: Project, admin: User) -> None:
    rules = Rules(4, all_seen_from=Tier.MEDIUM, deadline_hours=72)
    set_policy(project, rules)
    page = html(browser(admin).get("/settings/projects/default/policy"))
    assert 'name="approvals" value="4"' in page
    assert '<option value="medium" selected>' in page
    assert 'name="deadline_hours" value="72"' in page


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (DEFAULT, ["1 approval of the same option.", "A rejection needs a reason."]),
        (
            Rules(1, lead=True, deadline_hours=1, reason_required=False),
            [
                "1 approval of the same option, and one by a lead besides.",
                "A review expires after 1 hour, which approves nothing.",
            ],
        ),
        (
            Rules(
                2,
                reason_required=False,
                all_seen_from=Tier.HIGH,
                high=Stricter(3, lead=True),
                low_risk_from_queue=True,
            ),
            [
                "2 approvals of the same option.",
                "High risk: 3 approvals of the same option, and one by a lead besides.",
                "From high risk on, who approves must have seen every changed block.",
                "Plans of low risk may be approved from the queue.",
            ],
        ),
    ],
)
def test_a_policy_is_said_in_words(rules: Rules, said: list[str]) -> None:
    assert in_words(rules) == said
