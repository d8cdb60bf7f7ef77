"""Policies of projects: each change is a version of its own."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from planmode.access.models import Project
from reviews import audit
from reviews.core.policy import Rules
from reviews.models import Policy
from reviews.quorum import in_force


@transaction.atomic
def set_policy(project: Project, rules: Rules, *, by: User | None = None) -> int:
    """Let ``rules`` hold in a project from now on; return their version, counted from 1.

    Reviews that are open follow at their next vote: none closes by itself, and none gets another
    deadline. The rules that hold already make no version. Who may do this is asked by the page,
    as with all that is in ``reviews.members``; ``by`` is empty for the program.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    now_in_force = in_force(project.pk)
    if now_in_force.version and now_in_force.rules == rules:
        return now_in_force.version
    now, version = timezone.now(), now_in_force.version + 1
    Policy.objects.create(project=project, version=version, rules=rules.as_json(), by=by, at=now)
    data = {
        "by": by.pk if by else None,
        "project": project.name,
        "project_id": project.pk,
        "review_policy": rules.as_json(),
        "version": version,
    }
    audit.record([audit.Fact("policy_changed", data)], now=now)
    return version
