"""Cards, decisions, the feed, audit facts and telemetry."""

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

    objects = CardQuerySet["Review"].as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["status", "opened_at"], name="review_queue"),
            models.Index(fields=["session", "plan_id", "revision_version"], name="review_of_plan"),
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


class DecisionRecord(models.Model):
    """The one decision of a review, written when it closes; ``by`` is empty when automatic.

    ``own`` says that the person decided on a plan of their own session.
    """

    review = models.OneToOneField(Review, on_delete=models.PROTECT, related_name="decision")
    outcome = models.CharField(max_length=24)
    sha256 = models.CharField(max_length=64)
    option = models.CharField(max_length=80, blank=True)
    feedback = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    start = models.BooleanField(default=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    own = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="auto_approved", by=None)
                | (~Q(outcome="auto_approved") & Q(by__isnull=False)),
                name="people_decide",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} of {self.review_id}"


class FeedEntry(models.Model):
    """One change of a card; the key is the feed's cursor, visible in order.

    Taken last in its transaction under a lock, so that no reader can see a higher number first.
    """

    kind = models.CharField(max_length=24)
    project = models.ForeignKey("access.Project", on_delete=models.PROTECT, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    card_id = models.UUIDField()
    version = models.PositiveIntegerField()
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.pk} {self.kind} {self.card_id}"


class AuditFact(models.Model):
    """One fact of the installation's chain; ``canonical`` is the truth, the rest its index."""

    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    canonical = models.BinaryField()
    previous = models.CharField(max_length=64, unique=True)
    hash = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}"


class TelemetryEvent(models.Model):
    """One telemetry record, derived from one event of a log (``session``, ``seq``)."""

    name = models.CharField(max_length=40)
    session = models.ForeignKey("planmode.Session", on_delete=models.PROTECT, related_name="+")
    project = models.ForeignKey("access.Project", on_delete=models.PROTECT, related_name="+")
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    day = models.DateField()
    outcome = models.CharField(max_length=24, blank=True)
    review_id = models.UUIDField(null=True)
    properties = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq", "name"], name="telemetry_once"),
            models.UniqueConstraint(
                fields=["review_id"], condition=Q(name="plan_resolved"), name="one_plan_resolved"
            ),
        ]
        indexes = [models.Index(fields=["name", "day", "outcome"], name="outcomes_per_day")]

    def __str__(self) -> str:
        return f"{self.name} {self.outcome}"
