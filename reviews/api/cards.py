"""Cards for the API: one that the caller may read, or a page of them."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import QuerySet

from planmode.access.endpoint import ApiRequest, identifier, require_seen
from planmode.access.may import Action, may, may_anywhere, visible
from planmode.access.requests import caller
from planmode.access.strict import next_before
from planmode.core.errors import DomainError, NotAllowedError
from reviews.api import shapes
from reviews.api.serializers import CardsSerializer
from reviews.models import Card
from reviews.services import owned

C = TypeVar("C", bound=Card)


def page(request: ApiRequest, cards: QuerySet[C]) -> Mapping[str, Any]:
    """Return the newest cards that the caller may see: title and state, no text.

    Raises:
        QueryInvalidError: a parameter is wrong.
        NotAllowedError: no role of theirs sees any card, or their token may not read.
    """
    query = CardsSerializer(data=request.query_params.dict()).checked()
    person = caller(request)
    action = Action.READ_PLAN if person.by_token else Action.READ_TITLE
    if not may_anywhere(person, action):
        raise NotAllowedError("your roles do not let you see cards")
    rows = cards.filter(visible(person, action, project="project", owner="session__owner"))
    if query["status"]:
        rows = rows.filter(status=query["status"])
    if query["before"]:
        rows = rows.filter(pk__lt=query["before"])
    limit: int = query["limit"]
    found = list(rows.select_related("project", "session__owner").order_by("-pk")[: limit + 1])
    return {
        "results": [
            shapes.listed(row, readable=may(person, Action.READ_PLAN, owned(row)))
            for row in found[:limit]
        ],
        "next": next_before([row.pk for row in found], limit),
    }


def readable(request: ApiRequest, cards: QuerySet[C], text: str, unknown: type[DomainError]) -> C:
    """Return the card that ``text`` names, when the caller may read it whole.

    Raises:
        DomainError: ``unknown``, when there is none for them.
        NotAllowedError: they see it, and may not read it.
    """
    name = cards.model.__name__.lower()
    card_id = identifier(text, unknown, name)
    row = cards.select_related("project", "session__owner").filter(pk=card_id).first()
    if row is None:
        raise unknown(f"no {name} {card_id}")
    require_seen(request, Action.READ_PLAN, owned(row), unknown(f"no {name} {card_id}"))
    return row
