"""What people choose for themselves, and when they are away."""

from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from planmode.access.may import Action, Caller, Owned, caller_of, may
from planmode.access.models import Project
from reviews.models import Absence, Preferences


@transaction.atomic
def set_preferences(person: User, **chosen: Any) -> Preferences:  # noqa: ANN401 - columns' values
    """Keep what ``person`` chose: columns of ``Preferences``; the others stay."""
    row, _ = Preferences.objects.update_or_create(person=person, defaults=chosen)
    return row


@transaction.atomic
def add_absence(person: User, first: date, last: date, *, deputy: User | None) -> Absence:
    """Keep that ``person`` is away from ``first`` to ``last``, both included."""
    return Absence.objects.create(person=person, first=first, last=last, deputy=deputy)


@transaction.atomic
def drop_absence(person: User, absence_id: int) -> None:
    """Forget an absence of ``person``; one that is not theirs, or gone, is left alone."""
    Absence.objects.filter(person=person, pk=absence_id).delete()


def absences_of(person: User, *, since: date) -> list[Absence]:
    """Return the absences of ``person`` that end on ``since`` or later, the next one first."""
    rows = Absence.objects.filter(person=person, last__gte=since)
    return list(rows.select_related("deputy").order_by("first", "pk"))


def not_covered(person: User, deputy: User) -> list[str]:
    """Return the projects in which ``person`` decides, and ``deputy`` may not."""
    mine, theirs = caller_of(person), caller_of(deputy)
    projects = Project.objects.order_by("name")
    return [one.name for one in projects if _decides(mine, one) and not _decides(theirs, one)]


def _decides(caller: Caller | None, project: Project) -> bool:
    return may(caller, Action.DECIDE, Owned(project.pk))
