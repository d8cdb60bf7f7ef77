"""What a project asks of a decision, and what people gave so far."""

from django.conf import settings
from django.db import models

from reviews.models.cards import Review


class Policy(models.Model):
    """One version of a project's policy; the highest one holds, none is ever changed.

    ``rules`` hold the fields of ``reviews.core.policy.Rules``.
    """

    project = models.ForeignKey("access.Project", on_delete=models.PROTECT, related_name="+")
    version = models.PositiveIntegerField()
    rules = models.JSONField(default=dict)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="policy_version_once")
        ]

    def __str__(self) -> str:
        return f"policy {self.version} of project {self.project_id}"


class Vote(models.Model):
    """A person's approval while more are needed: one a review and person, replaceable.

    ``lead`` says that it counts on the second level. ``deputy_of`` is the absent person for whom
    it was given, if it was.
    """

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="votes")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    option = models.CharField(max_length=80, blank=True)
    feedback = models.TextField(blank=True)
    start = models.BooleanField(default=True)
    lead = models.BooleanField(default=False)
    own = models.BooleanField(default=False)
    deputy_of = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["review", "person"], name="one_vote_a_person")
        ]

    def __str__(self) -> str:
        return f"vote of {self.person_id} on {self.review_id}"
