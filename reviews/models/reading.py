"""What each person has seen, taken on and put aside."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.cards import Review


class Visit(models.Model):
    """When a person last had a review's page open."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="visits")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "review"], name="visit_once")]

    def __str__(self) -> str:
        return f"{self.person_id} saw {self.review_id}"


class SeenBlock(models.Model):
    """A block of a plan that was on a person's screen; ``digest`` is the sha256 of its text."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey("planmode.Session", on_delete=models.PROTECT, related_name="+")
    plan_id = models.CharField(max_length=120)
    digest = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "session", "plan_id", "digest"], name="block_seen_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person_id} saw block {self.digest[:12]}"


class Assignment(models.Model):
    """A card that somebody was asked to look at; ``card_id`` is of any kind of card."""

    card_id = models.UUIDField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["card_id", "person"], name="assigned_once")]
        indexes = [models.Index(fields=["person", "card_id"], name="assigned_to_person")]

    def __str__(self) -> str:
        return f"card {self.card_id} for {self.person_id}"


class Claim(models.Model):
    """Somebody is at a card until ``until``; it informs and locks nothing."""

    card_id = models.UUIDField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["card_id", "person"], name="claimed_once")]

    def __str__(self) -> str:
        return f"{self.person_id} is at {self.card_id}"


class Snooze(models.Model):
    """A card out of a person's sight until ``until``, or (empty) until a new revision comes."""

    card_id = models.UUIDField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["card_id", "person"], name="snoozed_once")]

    def __str__(self) -> str:
        return f"{self.card_id} sleeps for {self.person_id}"


class SavedView(models.Model):
    """A named query of the queue; with a project it is shown to all its members."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(
        "access.Project", on_delete=models.CASCADE, null=True, related_name="+"
    )
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"], condition=Q(project=None), name="own_view_once"
            ),
            models.UniqueConstraint(fields=["project", "name"], name="team_view_once"),
        ]

    def __str__(self) -> str:
        return self.name
