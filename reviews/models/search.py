"""The text that the queue's search looks through."""

from django.db import models


class SearchText(models.Model):
    """What is known of one card: title, plan text, comments.

    Indexed by the database in its own way (see the migrations): PostgreSQL by words and trigrams,
    SQLite by FTS5 trigrams.
    """

    card_id = models.UUIDField(unique=True)
    title = models.TextField()
    body = models.TextField()
    remarks = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"text of {self.card_id}"
