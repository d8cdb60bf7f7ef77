"""Projects, members, tokens and first answers."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now

from planmode.core.errors import RulesInvalidError
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
    """

    name = models.SlugField(max_length=60, unique=True)
    allow_auto = models.BooleanField(default=False)
    allow_self_review = models.BooleanField(default=False)
    rules = models.TextField(blank=True)
    plan_section = models.TextField(blank=True)
    plan_folder = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Refuse rules that nobody could rely on.

        Raises:
            ValidationError: a line of ``rules`` is none, or would loosen something.
        """
        try:
            parse_rules(self.rules.splitlines(), Level.PROJECT)
        except RulesInvalidError as error:
            raise ValidationError({"rules": str(error)}) from error


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
