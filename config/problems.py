"""Errors as problem details (RFC 9457): the one table of statuses."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from django.core import exceptions as django
from django.core.signals import got_request_exception
from django.db import OperationalError
from django.http import Http404
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

from config.parsing import BodyTooLargeError
from planmode.access.strict import QueryInvalidError
from planmode.core import errors as planmode
from reviews.core import errors as reviews

logger = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER_S: Final = 1

STATUS_OF: Final[Mapping[type[planmode.DomainError], HTTPStatus]] = {
    planmode.SessionUnknownError: HTTPStatus.NOT_FOUND,
    planmode.RevisionUnknownError: HTTPStatus.NOT_FOUND,
    planmode.ProjectUnknownError: HTTPStatus.NOT_FOUND,
    planmode.NotAllowedError: HTTPStatus.FORBIDDEN,
    planmode.WorkspaceRefusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.SessionInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.MessageInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.CommandInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.RulesInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.PlanTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    planmode.PlanInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.PlanUnchangedError: HTTPStatus.CONFLICT,
    planmode.OptionsInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.NotPlanningError: HTTPStatus.CONFLICT,
    planmode.AlreadyPlanningError: HTTPStatus.CONFLICT,
    planmode.NotWaitingError: HTTPStatus.CONFLICT,
    planmode.NoTurnError: HTTPStatus.CONFLICT,
    planmode.ClaimLostError: HTTPStatus.CONFLICT,
    planmode.StoredDataError: HTTPStatus.INTERNAL_SERVER_ERROR,
    planmode.EventUnknownError: HTTPStatus.INTERNAL_SERVER_ERROR,
    planmode.KeyReusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.TaskUnknownError: HTTPStatus.NOT_FOUND,
    planmode.ScheduleUnknownError: HTTPStatus.NOT_FOUND,
    planmode.ScheduleInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.TooManyJobsError: HTTPStatus.CONFLICT,
    planmode.ChildSessionError: HTTPStatus.CONFLICT,
    planmode.PermissionModeUnavailableError: HTTPStatus.CONFLICT,
    planmode.TurnOpenError: HTTPStatus.CONFLICT,
    planmode.RetryRefusedError: HTTPStatus.CONFLICT,
    planmode.UndoRefusedError: HTTPStatus.CONFLICT,
    planmode.NoPlanFileError: HTTPStatus.CONFLICT,
    planmode.PlanEditConflictError: HTTPStatus.CONFLICT,
    planmode.PlanUnderReviewError: HTTPStatus.CONFLICT,
    planmode.AttachmentRefusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    planmode.ForkRefusedError: HTTPStatus.UNPROCESSABLE_ENTITY,
    reviews.ReviewUnknownError: HTTPStatus.NOT_FOUND,
    reviews.CardUnknownError: HTTPStatus.NOT_FOUND,
    reviews.ReviewClosedError: HTTPStatus.CONFLICT,
    reviews.RevisionStaleError: HTTPStatus.CONFLICT,
    reviews.DecisionIncompleteError: HTTPStatus.UNPROCESSABLE_ENTITY,
    reviews.TokenNeverDecidesError: HTTPStatus.FORBIDDEN,
    reviews.OwnPlanError: HTTPStatus.FORBIDDEN,
    reviews.LastAdminError: HTTPStatus.CONFLICT,
    reviews.AnswerInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    reviews.AnchorInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    reviews.CommentInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    reviews.CommentUnknownError: HTTPStatus.NOT_FOUND,
    reviews.DraftStaleError: HTTPStatus.CONFLICT,
    reviews.PolicyInvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    reviews.NoVoteError: HTTPStatus.CONFLICT,
    reviews.NoDeadlineError: HTTPStatus.CONFLICT,
    reviews.BlocksUnseenError: HTTPStatus.CONFLICT,
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem that is not the domain's."""

    status: HTTPStatus
    code: str
    title: str


CSRF_FAILED: Final = Kind(HTTPStatus.FORBIDDEN, "csrf_failed", "The CSRF token is missing or wrong")
BUSY: Final = Kind(HTTPStatus.SERVICE_UNAVAILABLE, "busy", "The database is busy; try again")
INTERNAL: Final = Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", "Something broke here")
_NOT_ALLOWED: Final = Kind(
    HTTPStatus.FORBIDDEN, planmode.NotAllowedError.code, planmode.NotAllowedError.title
)
_NOT_FOUND: Final = Kind(HTTPStatus.NOT_FOUND, "not_found", "There is nothing at this address")

FRAMEWORK: Final[Mapping[type[Exception], Kind]] = {
    drf.NotAuthenticated: Kind(
        HTTPStatus.UNAUTHORIZED, "not_authenticated", "Log in, or show a token"
    ),
    drf.AuthenticationFailed: Kind(
        HTTPStatus.UNAUTHORIZED, "token_invalid", "This token is not good"
    ),
    drf.PermissionDenied: _NOT_ALLOWED,
    django.PermissionDenied: _NOT_ALLOWED,
    drf.NotFound: _NOT_FOUND,
    Http404: _NOT_FOUND,
    drf.MethodNotAllowed: Kind(
        HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", "This address takes other methods"
    ),
    drf.NotAcceptable: Kind(
        HTTPStatus.NOT_ACCEPTABLE, "not_acceptable", "Answers are application/json"
    ),
    BodyTooLargeError: Kind(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", "The body is too large"
    ),
    drf.UnsupportedMediaType: Kind(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "media_type_unsupported",
        "Bodies are application/json in UTF-8, not encoded otherwise",
    ),
    drf.ParseError: Kind(HTTPStatus.BAD_REQUEST, "body_not_json", "The body is no JSON object"),
    django.SuspiciousOperation: Kind(
        HTTPStatus.BAD_REQUEST, "request_refused", "The request can't be taken like this"
    ),
    drf.Throttled: Kind(HTTPStatus.TOO_MANY_REQUESTS, "throttled", "Too many requests"),
    QueryInvalidError: Kind(
        HTTPStatus.BAD_REQUEST, "query_invalid", "A parameter can't be understood"
    ),
    drf.ValidationError: Kind(
        HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "A field can't be taken like this"
    ),
}
_BUSY_WORDS: Final = ("is busy", "is locked", "lock timeout", "deadlock detected")


@dataclass(frozen=True, slots=True)
class Problem:
    """What an answer says went wrong; ``more`` holds the extension members of its code."""

    kind: Kind
    detail: str
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def problem_response(exc: Exception, context: Mapping[str, Any]) -> Response:
    """Return ``exc`` as ``application/problem+json``; what nobody foresaw is a logged 500."""
    problem = problem_of(exc)
    kind = problem.kind
    if kind.status is HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("%s: %s", kind.code, type(exc).__name__, exc_info=exc)
    if kind is INTERNAL:
        got_request_exception.send(sender=None, request=context.get("request"))
    set_rollback()
    return Response(
        document(problem),
        status=kind.status,
        headers=dict(problem.headers),
        content_type=MEDIA_TYPE,
    )


def document(problem: Problem) -> dict[str, Any]:
    """Return the answer's body."""
    kind = problem.kind
    return {
        "type": f"/problems/{kind.code}",
        "title": kind.title,
        "status": kind.status.value,
        "detail": problem.detail,
        "code": kind.code,
        **problem.more,
    }


def problem_of(exc: Exception) -> Problem:
    """Return what ``exc`` tells the caller: never more than a code when it is ours to mend."""
    if isinstance(exc, planmode.DomainError):
        kind = Kind(STATUS_OF[type(exc)], exc.code, exc.title)
        return Problem(kind, str(exc), more=_members(exc))
    if isinstance(exc, OperationalError) and any(word in str(exc) for word in _BUSY_WORDS):
        return Problem(BUSY, BUSY.title, headers={"Retry-After": str(RETRY_AFTER_S)})
    known = next((FRAMEWORK[base] for base in type(exc).__mro__ if base in FRAMEWORK), None)
    if known is None:
        return Problem(INTERNAL, "It is in the server's log.")
    if isinstance(exc, drf.ValidationError):
        errors = list(_errors(exc.detail, ""))
        return Problem(known, errors[0]["detail"] if errors else "", more={"errors": errors})
    if isinstance(exc, drf.PermissionDenied) and str(exc.detail).startswith("CSRF Failed"):
        known = CSRF_FAILED  # DRF has no class of its own for it
    detail = str(exc.detail) if isinstance(exc, drf.APIException) else known.title
    return Problem(known, detail, headers=_headers(exc))


def _members(error: planmode.DomainError) -> dict[str, Any]:
    match error:
        case (
            reviews.RevisionStaleError(current=current)
            | planmode.PlanEditConflictError(current=current)
        ):
            return {"current": current}
        case reviews.PolicyInvalidError(field=name):
            return {"field": name}
        case reviews.BlocksUnseenError(count=count):
            return {"count": count}
        case reviews.ReviewClosedError(ending=ending):
            return {
                "by": ending.by or None,
                "outcome": ending.outcome or None,
                "option": ending.option or None,
                "at": ending.at.isoformat() if ending.at else None,
                "review_status": ending.status,
            }
        case _:
            return {}


def _headers(exc: Exception) -> dict[str, str]:
    found: dict[str, str] = {}
    if asked := getattr(exc, "auth_header", None):
        found["WWW-Authenticate"] = asked
    if wait := getattr(exc, "wait", None):
        found["Retry-After"] = str(wait)
    return found


def _errors(detail: object, pointer: str) -> Iterator[dict[str, str]]:
    """Yield each complaint with the JSON pointer (RFC 6901) of what it is about."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            step = str(name).replace("~", "~0").replace("/", "~1")
            yield from _errors(inner, f"{pointer}/{step}" if step else pointer)
    elif isinstance(detail, list | tuple):
        for inner in detail:
            yield from _errors(inner, pointer)
    else:
        yield {"pointer": pointer, "detail": str(detail)}
