"""Roles and policies: each change is an audit fact with its author."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planmode.access.models import Membership, Project
from reviews.models import AuditFact


@pytest.fixture
def boss(db: None) -> User:
    return User.objects.create_superuser("boss", password="boss-pass-word")


@pytest.fixture
def client(boss: User) -> Client:
    client = Client()
    client.force_login(boss)
    return client


def facts() -> list[tuple[str, dict[str, Any]]]:
    """Return kind and data of all audit facts."""
    rows = AuditFact.objects.order_by("pk")
    return [(row.kind, json.loads(bytes(row.canonical))["data"]) for row in rows]


def test_a_role_that_the_admin_gives_and_takes_is_recorded(
    client: Client, boss: User, project: Project, stranger: User
) -> None:
    fields = {"user": stranger.pk, "project": project.pk, "role": "lead"}
    client.post("/admin/access/membership/add/", fields)
    member = Membership.objects.get(user=stranger)
    client.post(f"/admin/access/membership/{member.pk}/delete/", {"post": "yes"})
    assert not Membership.objects.exists()
    data = {
        "user": stranger.pk,
        "project": "default",
        "project_id": project.pk,
        "role": "lead",
        "by": boss.pk,
    }
    assert facts() == [("member_added", data), ("member_removed", data)]


def test_roles_that_are_taken_together_are_recorded_one_by_one(
    client: Client, reviewer: User, operator: User
) -> None:
    chosen = list(Membership.objects.values_list("pk", flat=True))
    action = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    client.post("/admin/access/membership/", action)
    assert not Membership.objects.exists()
    assert [kind for kind, _ in facts()] == ["member_removed", "member_removed"]


def test_a_role_is_not_turned_into_another(client: Client, reviewer: User) -> None:
    member = Membership.objects.get(user=reviewer)
    changed = {"user": reviewer.pk, "project": member.project_id, "role": "admin"}
    answer = client.post(f"/admin/access/membership/{member.pk}/change/", changed)
    assert answer.status_code == 403
    assert Membership.objects.get(user=reviewer).role == "reviewer"


def test_what_a_project_allows_is_recorded(client: Client, boss: User, project: Project) -> None:
    client.post("/admin/access/project/add/", {"name": "other"})
    other = Project.objects.get(name="other")
    changed = {"name": "renamed", "allow_auto": "on", "rules": "deny Bash(git push *)"}
    client.post(f"/admin/access/project/{project.pk}/change/", changed)
    empty = ("plan_folder", "plan_section", "workspace_root", "preset", "model", "permission_mode")
    rest = {"allow_self_review": False, "by": boss.pk, **dict.fromkeys(empty, "")}
    added = {"project": "other", "project_id": other.pk, "allow_auto": False, "rules": "", **rest}
    policy = {
        "project": "default",
        "project_id": project.pk,
        "allow_auto": True,
        "rules": "deny Bash(git push *)",
        **rest,
    }
    assert facts() == [("project_added", added), ("policy_changed", policy)]
    assert client.post(f"/admin/access/project/{project.pk}/delete/").status_code == 403


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("allow Bash(make test)", "a lower level can only tighten"),
        ("deny Everything", "there is no tool"),
    ],
)
def test_rules_that_nobody_could_rely_on_are_not_kept(
    client: Client, project: Project, rules: str, problem: str
) -> None:
    answer = client.post(
        f"/admin/access/project/{project.pk}/change/", {"name": "default", "rules": rules}
    )
    assert answer.status_code == 200
    assert problem in answer.content.decode()
    assert Project.objects.get(pk=project.pk).rules == ""
