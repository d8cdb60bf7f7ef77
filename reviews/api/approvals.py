"""Tool calls that wait for a person's yes, by HTTP."""

from functools import partial

from rest_framework.response import Response

from planmode.access.endpoint import ApiRequest, Endpoint, answered, identifier
from planmode.access.requests import Answer, answer_once, caller
from planmode.access.strict import QuerySerializer
from reviews import services
from reviews.api import cards, shapes
from reviews.api.people import require_person
from reviews.api.serializers import ApprovalSerializer
from reviews.core.errors import CardUnknownError
from reviews.models import Approval


class ApprovalsView(Endpoint):
    """GET the tool approvals."""

    def get(self, request: ApiRequest) -> Response:
        """Return them, newest first, page by page."""
        return Response(cards.page(request, Approval.objects.all()))


class ApprovalView(Endpoint):
    """GET a tool approval."""

    def get(self, request: ApiRequest, approval_id: str) -> Response:
        """Return what the tool would do, and the answer once there is one."""
        QuerySerializer(data=request.query_params.dict()).checked()
        row = cards.readable(request, Approval.objects.all(), approval_id, CardUnknownError)
        return Response(shapes.approval(row))


class ApprovalAnswerView(Endpoint):
    """POST a yes or a no."""

    def post(self, request: ApiRequest, approval_id: str) -> Response:
        """Allow or refuse the call; the agent goes on."""
        require_person(request)
        body = ApprovalSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        answer = partial(_answer, request, approval_id, **body.validated_data)
        may_read = partial(
            cards.readable, request, Approval.objects.all(), approval_id, CardUnknownError
        )
        return answered(answer_once(request, answer, may_see=may_read))


def _answer(request: ApiRequest, text: str, *, allow: bool, note: str) -> Answer:
    approval_id = identifier(text, CardUnknownError, "approval")
    row = services.answer_approval(approval_id, allow=allow, note=note, by=caller(request))
    return Answer(200, shapes.approval(row))
