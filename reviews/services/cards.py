"""Cards as every verb takes them, and in which order."""

from typing import TypeVar
from uuid import UUID

from django.db.models import QuerySet

from planmode import services as planmode
from planmode.access.may import Owned
from reviews.models import Card

C = TypeVar("C", bound=Card)


def owned(card: Card) -> Owned:
    """Return what the access rules need of a card (its session must be loaded)."""
    return Owned(card.project_id, card.session.owner_id)


def cards(kind: type[C]) -> QuerySet[C]:
    """Return all cards of ``kind``, which is Review, Question or Approval."""
    return kind._default_manager.all()  # noqa: SLF001 - documented by Django for this use


def locked(kind: type[C], card_id: UUID, unknown: type[Exception]) -> C:
    """Return the card, its session locked first: the order in which every verb locks."""
    session_id = cards(kind).filter(pk=card_id).values_list("session", flat=True).first()
    if session_id is None:
        raise unknown(f"no {kind.__name__.lower()} {card_id}")
    planmode.hold_session(session_id)
    return cards(kind).select_related("session", "project").get(pk=card_id)
