"""Questions of agents by HTTP."""

from collections.abc import Sequence
from functools import partial

from rest_framework.response import Response

from planmode.access.endpoint import ApiRequest, Endpoint, answered, identifier
from planmode.access.requests import Answer, answer_once, caller
from planmode.access.strict import QuerySerializer
from reviews import services
from reviews.api import cards, shapes
from reviews.api.people import require_person
from reviews.api.serializers import AnswersSerializer
from reviews.core.errors import CardUnknownError
from reviews.models import Question


class QuestionsView(Endpoint):
    """GET the questions."""

    def get(self, request: ApiRequest) -> Response:
        """Return them, newest first, page by page."""
        return Response(cards.page(request, Question.objects.all()))


class QuestionView(Endpoint):
    """GET a question."""

    def get(self, request: ApiRequest, question_id: str) -> Response:
        """Return it with its items, and the answers once there are some."""
        QuerySerializer(data=request.query_params.dict()).checked()
        row = cards.readable(request, Question.objects.all(), question_id, CardUnknownError)
        return Response(shapes.question(row))


class QuestionAnswerView(Endpoint):
    """POST the answers to a question."""

    def post(self, request: ApiRequest, question_id: str) -> Response:
        """Answer; the agent goes on."""
        require_person(request)
        body = AnswersSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        answer = partial(_answer, request, question_id, body.texts())
        may_read = partial(
            cards.readable, request, Question.objects.all(), question_id, CardUnknownError
        )
        return answered(answer_once(request, answer, may_see=may_read))


def _answer(request: ApiRequest, text: str, texts: Sequence[str]) -> Answer:
    question_id = identifier(text, CardUnknownError, "question")
    row = services.answer_question(question_id, texts, by=caller(request))
    return Answer(200, shapes.question(row))
