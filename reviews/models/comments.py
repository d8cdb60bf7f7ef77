"""Remarks on revisions: drafts, and what was published."""

from typing import Self

from django.conf import settings
from django.db import models
from uuid6 import uuid7

from reviews.models.cards import Review


class CommentKind(models.TextChoices):
    """What a remark is; whether it blocks an approval is said apart."""

    REMARK = "remark", "remark"
    QUESTION = "question", "question"
    SUGGESTION = "suggestion", "suggestion"
    PRAISE = "praise", "praise"


class Words(models.Model):
    """What drafts and comments have: where they stand, and what they say.

    ``anchor`` holds the fields of ``reviews.core.anchors.Anchor`` (empty: the whole plan).
    ``suggestion`` is text to stand in place of the anchor's lines, ``None`` for none.
    """

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="%(class)ss")
    kind = models.CharField(max_length=12, choices=CommentKind.choices, default=CommentKind.REMARK)
    blocking = models.BooleanField(default=False)
    anchor = models.JSONField(default=dict)
    text = models.TextField(blank=True)
    suggestion = models.TextField(null=True)  # noqa: DJ001 - an empty suggestion deletes lines

    class Meta:
        abstract = True


class CommentQuerySet(models.QuerySet["Comment"]):
    """Questions about comments."""

    def threads(self) -> Self:
        """Return those that begin a thread: all but the replies."""
        return self.filter(parent=None)

    def open(self) -> Self:
        """Return threads that nobody has resolved."""
        return self.threads().filter(resolved_at=None)


class Comment(Words):
    """A published remark, or a reply to one: its words never change.

    ``author`` is empty when the agent replied. ``batch`` is shared by what was published at once.
    ``sent_with`` is the decision that took it to the agent.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="replies")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    batch = models.UUIDField(default=uuid7)
    published_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    sent_with = models.ForeignKey(
        "reviews.DecisionRecord", on_delete=models.PROTECT, null=True, related_name="comments"
    )
    mentions = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")

    objects = CommentQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["review", "parent"], name="threads_of_review")]

    def __str__(self) -> str:
        return f"comment {self.pk} on {self.review_id}"


class Draft(Words):
    """A remark that is being written; ``version`` grows with each save of its author."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    parent = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["author", "review"], name="drafts_of_person")]

    def __str__(self) -> str:
        return f"draft {self.pk} of {self.author_id}"
