"""How people want to be told, and what they were told."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Q


class Mail(models.TextChoices):
    """When a person gets e-mail."""

    OFF = "off", "never"
    EACH = "each", "at once"
    DIGEST = "digest", "once a day"


class PreferencesQuerySet(models.QuerySet["Preferences"]):
    """Questions about what people chose."""

    def of(self, user: AbstractBaseUser | AnonymousUser) -> "Preferences":
        """Return what ``user`` chose; the defaults, not of anybody yet, where that is nothing."""
        return getattr(user, "preferences", None) or Preferences()


class Preferences(models.Model):
    """What a person chose; without a row, the defaults below.

    ``keys`` maps an action of the keyboard map to another key, or to nothing. Quiet hours are
    minutes after midnight in ``time_zone``; the same twice means none.
    """

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences"
    )
    mail = models.CharField(max_length=8, choices=Mail.choices, default=Mail.EACH)
    digest_minute = models.PositiveSmallIntegerField(default=8 * 60)
    quiet_from = models.PositiveSmallIntegerField(default=0)
    quiet_to = models.PositiveSmallIntegerField(default=0)
    time_zone = models.CharField(max_length=60, default="UTC")
    language = models.CharField(max_length=12, blank=True)
    browser = models.BooleanField(default=False)
    keys = models.JSONField(default=dict)

    objects = PreferencesQuerySet.as_manager()

    def __str__(self) -> str:
        return f"preferences of {self.person_id}"


class Absence(models.Model):
    """A person is away from ``first`` to ``last`` (days, both included); ``deputy`` stands in."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="absences"
    )
    first = models.DateField()
    last = models.DateField()
    deputy = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(last__gte=models.F("first")), name="absence_ends_after_it_begins"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person_id} is away from {self.first} to {self.last}"


class NoticeQuerySet(models.QuerySet["Notice"]):
    """Questions about what people are told."""

    def due(self, now: datetime) -> Self:
        """Return those whose e-mail should have gone by ``now`` (aware)."""
        return self.filter(sent_at=None, due_at__lte=now)


class Notice(models.Model):
    """One thing that one person is told once, and how far its e-mail is.

    ``event`` names what happened (a card and what became of it); with the person it is unique, so
    nobody is told twice, whatever asks. ``due_at`` is when its e-mail is to be sent, or tried
    again; empty where none is.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    event = models.CharField(max_length=120)
    kind = models.CharField(max_length=24)
    project = models.ForeignKey("access.Project", on_delete=models.PROTECT, related_name="+")
    card_id = models.UUIDField()
    created_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    last_error = models.CharField(max_length=300, blank=True)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "event"], name="told_once")]
        indexes = [models.Index(fields=["due_at"], condition=Q(sent_at=None), name="mail_to_send")]

    def __str__(self) -> str:
        return f"{self.event} for {self.person_id}"
