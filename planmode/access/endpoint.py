"""What every API view has in common: who asks, what they see."""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planmode.access.may import Action, Owned, may
from planmode.access.requests import Answer, caller, require
from planmode.core.errors import DomainError


class ApiRequest(Request):
    """A request behind ``IsAuthenticated``: somebody asks."""

    user: User


class Endpoint(APIView):
    """A view of the API: its answers are kept by nobody, and it does not describe itself."""

    http_method_names = ("get", "head", "post")

    def finalize_response(
        self,
        request: Request,
        response: Response,
        *args: Any,  # noqa: ANN401 - the signature is DRF's
        **kwargs: Any,  # noqa: ANN401
    ) -> Response:
        """Forbid every cache: plans are for those who may read them now."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Cache-Control"] = "no-store"
        return answer


def identifier(text: str, unknown: type[DomainError], kind: str) -> UUID:
    """Return the id that ``text`` is, in the one form in which ids are given out.

    Raises:
        DomainError: of class ``unknown``, since nothing can have such an id.
    """
    try:
        found = UUID(text)
    except ValueError:
        found = None
    if found is None or str(found) != text:
        raise unknown(f"no {kind} {text}")
    return found


def require_seen(request: Request, action: Action, thing: Owned, unknown: DomainError) -> None:
    """Return quietly when the caller may do ``action`` to ``thing``.

    Raises:
        DomainError: ``unknown``, when the thing does not exist for the caller.
        NotAllowedError: they see it, and may not.
    """
    if not may(caller(request), Action.READ_TITLE, thing):
        raise unknown
    require(request, action, thing)


def answered(answer: Answer, **headers: str) -> Response:
    """Return ``answer`` as a response."""
    return Response(answer.body, status=answer.status, headers=headers)
