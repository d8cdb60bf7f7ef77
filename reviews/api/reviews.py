"""Reviews by HTTP: the queue, a plan to read, and the decision."""

from functools import partial
from typing import Protocol
from uuid import UUID

from rest_framework.response import Response

from planmode import queries
from planmode.access.endpoint import ApiRequest, Endpoint, answered, identifier
from planmode.access.may import Caller
from planmode.access.requests import Answer, answer_once, caller
from planmode.access.strict import QuerySerializer
from reviews import services
from reviews.api import cards, shapes
from reviews.api.people import require_person
from reviews.api.serializers import DecisionSerializer, NothingSerializer
from reviews.core.decisions import Decision
from reviews.core.errors import ReviewUnknownError
from reviews.models import Review


class ReviewsView(Endpoint):
    """GET the reviews."""

    def get(self, request: ApiRequest) -> Response:
        """Return them, newest first, page by page, without the plans' text."""
        return Response(cards.page(request, Review.objects.all()))


class ReviewView(Endpoint):
    """GET a review."""

    def get(self, request: ApiRequest, review_id: str) -> Response:
        """Return it with the plan's text, as it was submitted."""
        QuerySerializer(data=request.query_params.dict()).checked()
        row = cards.readable(request, Review.objects.all(), review_id, ReviewUnknownError)
        text = queries.revision_bytes(row.revision_id).decode()
        return Response({**shapes.review(row), "text": text})


class DecisionView(Endpoint):
    """POST a decision on a review."""

    def post(self, request: ApiRequest, review_id: str) -> Response:
        """Decide; the answer says how the review now stands."""
        require_person(request)
        body = DecisionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        decide = partial(_decide, request, review_id, body.decision_made())
        may_read = partial(
            cards.readable, request, Review.objects.all(), review_id, ReviewUnknownError
        )
        return answered(answer_once(request, decide, may_see=may_read))


class WithdrawView(Endpoint):
    """POST a wish to take one's own vote back."""

    def post(self, request: ApiRequest, review_id: str) -> Response:
        """Take it back; the answer says how the review now stands."""
        return _changed(request, review_id, services.withdraw_vote)


class ExtendView(Endpoint):
    """POST a wish for more time."""

    def post(self, request: ApiRequest, review_id: str) -> Response:
        """Give the policy's hours more; the answer says how the review now stands."""
        return _changed(request, review_id, services.extend)


class _Verb(Protocol):
    """What changes an open review."""

    def __call__(self, review_id: UUID, /, *, by: Caller) -> Review:
        """Change it."""


def _changed(request: ApiRequest, text: str, verb: _Verb) -> Response:
    require_person(request)
    NothingSerializer(data=request.data).is_valid(raise_exception=True)
    review_id = identifier(text, ReviewUnknownError, "review")

    def change() -> Answer:
        return Answer(200, shapes.review(verb(review_id, by=caller(request))))

    may_read = partial(cards.readable, request, Review.objects.all(), text, ReviewUnknownError)
    return answered(answer_once(request, change, may_see=may_read))


def _decide(request: ApiRequest, text: str, decision: Decision) -> Answer:
    review_id = identifier(text, ReviewUnknownError, "review")
    return Answer(200, shapes.review(services.decide(review_id, decision, by=caller(request))))
