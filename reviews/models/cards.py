"""Whatever waits for a person: reviews, questions, tool approvals."""

from typing import Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import Q

C = TypeVar("C", bound="Card")


class CardQuerySet(models.QuerySet[C]):
    """Questions about whatever waits for a person."""

    def open(self) -> Self:
        """Return cards that nobody has answered."""
        return self.filter(status=Card.Status.OPEN)


class Card(models.Model):
    """What every card has: the session that waits, since when, and whether it is over.

    ``version`` grows with each change. ``title`` is shown to managers, too, and so quotes nothing;
    ``summary`` says what the card asks, to those who may read plans (empty: the title does).
    """

    class Status(models.TextChoices):
        """Open, answered, or ended without an answer."""

        OPEN = "open", "open"
        RESOLVED = "resolved", "resolved"
        SUPERSEDED = "superseded", "superseded"
        EXPIRED = "expired", "expired"
        WITHDRAWN = "withdrawn", "withdrawn"

    id = models.UUIDField(primary_key=True, editable=False)
    session = models.ForeignKey("planmode.Session", on_delete=models.PROTECT, related_name="+")
    project = models.ForeignKey("access.Project", on_delete=models.PROTECT, related_name="+")
    call_id = models.CharField(max_length=200)
    title = models.CharField(max_length=500)
    summary = models.CharField(max_length=500, blank=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.OPEN)
    version = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.pk}: {self.status}"


class Review(Card):
    """A plan's card: one submission, one revision, at most one decision.

    ``outcome`` is empty while the review is open, and for ever when it ended without a decision.
    ``edited_by`` is the person who wrote last into what was submitted, if it was not the agent.
    ``risk`` is a tier of ``reviews.core.anatomy``, ``anatomy`` what it was read from. The review
    expires at ``deadline_at``, if it does.
    """

    revision_id = models.UUIDField(unique=True)
    plan_id = models.CharField(max_length=120)
    revision_version = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    options = models.JSONField(default=list)
    outcome = models.CharField(max_length=24, blank=True)
    edited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    risk = models.CharField(max_length=8, blank=True)
    anatomy = models.JSONField(default=dict)
    deadline_at = models.DateTimeField(null=True, blank=True)

    objects = CardQuerySet["Review"].as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["status", "opened_at"], name="review_queue"),
            models.Index(fields=["session", "plan_id", "revision_version"], name="review_of_plan"),
            models.Index(
                fields=["deadline_at"], condition=Q(status="open"), name="review_deadline"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["session"], condition=Q(status="open"), name="one_open_review"
            ),
            models.CheckConstraint(
                condition=~Q(status="open") | Q(outcome="", closed_at=None),
                name="open_review_has_no_outcome",
            ),
            models.CheckConstraint(
                condition=~Q(status="resolved") | ~Q(outcome=""), name="resolved_has_outcome"
            ),
        ]


class Question(Card):
    """The agent asks; ``items`` are text, choices, several; ``answers`` one text for each."""

    items = models.JSONField(default=list)
    answers = models.JSONField(default=list)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = CardQuerySet["Question"].as_manager()

    class Meta:
        indexes = [models.Index(fields=["status", "opened_at"], name="question_queue")]


class Approval(Card):
    """A tool call waits for a yes; ``allowed`` is empty while it does.

    ``arguments`` is the call's JSON text, whole: nobody shall allow what they could not read.
    """

    tool = models.CharField(max_length=80)
    arguments = models.TextField()
    allowed = models.BooleanField(null=True)
    note = models.TextField(blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = CardQuerySet["Approval"].as_manager()

    class Meta:
        indexes = [models.Index(fields=["status", "opened_at"], name="approval_queue")]
