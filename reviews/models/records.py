"""What was decided, and what is told of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.cards import Review


class DecisionRecord(models.Model):
    """The one decision of a review, written when it closes; ``by`` is empty when automatic.

    ``own`` says that the person decided on a plan of their own session. ``policy_version`` is that
    of the project's policy (0: it had none), ``votes`` are the approvals that met it, as JSON.
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
    policy_version = models.PositiveIntegerField(default=0)
    votes = models.JSONField(default=list)
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
