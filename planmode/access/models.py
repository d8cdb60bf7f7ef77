"""Projects, members, tokens and first answers."""

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now

from planmode.core.errors import RulesInvalidError
from planmode.core.modelnames import problem_with
from planmode.core.permission import PermissionMode
from planmode.core.presets import PRESETS
from planmode.core.rules import Level, parse_rules


class Role(models.TextChoices):
    """What a member is; one person may be several."""

    REVIEWER = "reviewer", "reviewer"
    LEAD = "lead", "lead"
    OPERATOR = "operator", "operator"
    MANAGER = "manager", "manager"
    ADMIN = "admin", "admin"


class Scope(models.TextChoices):
    """What a token may be for."""

    SUBMIT = "submit", "submit"
    READ = "read", "read"


class Project(models.Model):
    """Sessions that one group of people looks after.

    ``allow_auto``: ExitPlanMode may approve by itself in permission mode ``auto``, and that mode
    comes back after plan mode.
    ``allow_self_review``: people may decide on plans of sessions that they own. ``rules`` are
    permission rules, one a line, which only tighten those of the installation; ``plan_section`` is
    what agents of the preset ``dsh`` are told while they plan, ``plan_folder`` where those of the
    preset ``claude`` keep plan files, below the workspace; empty is what the installation says.
    ``workspace_root`` is the folder (absolute) that all workspaces of the project lie in, or are;
    ``preset``, ``model`` and ``permission_mode`` are what a session has that names none. Empty is
    what the installation says.
    """

    name = models.SlugField(max_length=60, unique=True)
    allow_auto = models.BooleanField(default=False)
    allow_self_review = models.BooleanField(default=False)
    rules = models.TextField(blank=True)
    plan_section = models.TextField(blank=True)
    plan_folder = models.CharField(max_length=200, blank=True)
    workspace_root = models.CharField(max_length=1024, blank=True)
    preset = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=200, blank=True)
    permission_mode = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse rules that nobody could rely on, and defaults that no session could have.

        Raises:
            ValidationError: it names the fields, and says of each what is wrong.
        """
        found = {
            "rules": _rules_problem(self.rules),
            "workspace_root": _root_problem(self.workspace_root),
            "preset": _choice_problem(self.preset, PRESETS),
            "permission_mode": _choice_problem(self.permission_mode, set(PermissionMode)),
            "model": problem_with(self.model) if self.model else "",
        }
        wrong = {name: problem for name, problem in found.items() if problem}
        if wrong:
            raise ValidationError(wrong)


def _rules_problem(rules: str) -> str:
    try:
        parse_rules(rules.splitlines(), Level.PROJECT)
    except RulesInvalidError as error:
        return str(error)
    return ""


def _choice_problem(name: str, known: Collection[str]) -> str:
    if not name or name in known:
        return ""
    return f"there is no {name}, only: {', '.join(sorted(known))}"


def _root_problem(root: str) -> str:
    """Return why no workspace can lie in ``root``: a session's own check is stricter still."""
    if not root:
        return ""
    path = Path(root)
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        real = None
    if real is None or not path.is_absolute() or not real.is_dir():
        return "this is no folder that can be read here, named from /"
    roots = [Path(place).resolve() for place in settings.WORKSPACE_ROOTS]
    if real not in roots and any(real.is_relative_to(place) for place in roots):
        return ""
    names = ", ".join(str(place) for place in roots)
    return f"name a folder below one of the installation's workspace roots: {names}"


class Membership(models.Model):
    """A person's role in a project; without a project it holds for all of them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"
    )
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    role = models.CharField(max_length=20, choices=Role.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project", "role"], name="membership_once"),
            models.UniqueConstraint(
                fields=["user", "role"],
                condition=models.Q(project=None),
                name="installation_membership_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.project_id or 'all projects'}"


class TokenQuerySet(models.QuerySet["Token"]):
    """Questions about tokens."""

    def alive(self) -> Self:
        """Return tokens that are neither revoked nor expired (by the database's clock)."""
        fresh = models.Q(expires_at=None) | models.Q(expires_at__gt=Now())
        return self.filter(fresh, revoked_at=None, owner__is_active=True)


class Token(models.Model):
    """What a program shows instead of a log-in: bound to an owner and a project.

    Only ``sha256`` of the secret is kept; ``prefix`` finds the row.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tokens"
    )
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12, unique=True)
    sha256 = models.CharField(max_length=64)
    may_submit = models.BooleanField(default=True)
    may_read = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def scopes(self) -> frozenset[Scope]:
        """What the token is for; what it may do is less when its owner may do less."""
        given = {Scope.SUBMIT: self.may_submit, Scope.READ: self.may_read}
        return frozenset(scope for scope, yes in given.items() if yes)

    def used(self, now: datetime) -> None:
        """Note that the token was shown at ``now`` (aware; kept to the minute)."""
        if self.last_used_at is None or (now - self.last_used_at).total_seconds() > 60:  # noqa: PLR2004 - a minute
            Token.objects.filter(pk=self.pk).update(last_used_at=now)


class FirstAnswer(models.Model):
    """The answer that a request with an ``Idempotency-Key`` got the first time.

    Written in the transaction of the effect, so "started, then died" can't exist. ``access`` is how
    the person asked: ``browser``, or by which token. ``body`` is JSON as text: PostgreSQL's own
    JSON would give the keys back in another order.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    access = models.CharField(max_length=40)
    key = models.CharField(max_length=255)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("user", "access", "key", name="first_answer_once"),
        ]

    def __str__(self) -> str:
        return f"answer {self.status} to {self.key}"
