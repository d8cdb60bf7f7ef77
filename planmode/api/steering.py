"""Steering by HTTP: commands, the working plan, and going back."""

from functools import partial
from uuid import UUID

from django.urls import reverse
from rest_framework.response import Response

from planmode import queries, services
from planmode.access.endpoint import ApiRequest, Endpoint, answered
from planmode.access.may import Action
from planmode.access.requests import Answer, answer_once
from planmode.access.strict import QuerySerializer
from planmode.api import shapes
from planmode.api.serializers import (
    ForkSerializer,
    NothingSerializer,
    PlanSerializer,
    SaidSerializer,
    UndoSerializer,
)
from planmode.api.sessions import readable
from planmode.api.uploads import PARSERS, body_of


class CommandsView(Endpoint):
    """POST what an operator types: a message, or a command with a slash."""

    parser_classes = PARSERS

    def post(self, request: ApiRequest, session_id: str) -> Response:
        """Do it; 200 with what became of it, in words."""
        body = SaidSerializer(data=body_of(request))
        body.is_valid(raise_exception=True)
        files = len(body.validated_data["attachments"])
        action = services.action_of(body.message(), attachments=files)
        may_run = partial(readable, request, session_id, action)
        return answered(
            answer_once(request, partial(_run, request, may_run, body), may_see=may_run)
        )


def _run(request: ApiRequest, may_run: partial[UUID], body: SaidSerializer) -> Answer:
    session_id = may_run()
    done = services.run_command(session_id, body.message(), body.files(), by=request.user)
    answer = {"session": str(session_id), "seq": done.seq, "said": done.said}
    return Answer(200, {**answer, "choice": done.choice.value if done.choice else None})


class PlanView(Endpoint):
    """GET and PUT the working plan."""

    http_method_names = ("get", "head", "put")

    def get(self, request: ApiRequest, session_id: str) -> Response:
        """Return it, with the hash that an edit names."""
        QuerySerializer(data=request.query_params.dict()).checked()
        return Response(shapes.plan(queries.plan(readable(request, session_id))))

    def put(self, request: ApiRequest, session_id: str) -> Response:
        """Replace it, when it is still the one that was read."""
        body = PlanSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        may_edit = partial(readable, request, session_id, Action.STEER)
        edit = partial(_edit, request, may_edit, body)
        return answered(answer_once(request, edit, may_see=may_edit))


def _edit(request: ApiRequest, may_edit: partial[UUID], body: PlanSerializer) -> Answer:
    session_id = may_edit()
    base: str = body.validated_data["base_sha256"]
    services.edit_plan(session_id, body.plan(), base_sha256=base, by=request.user)
    return Answer(200, shapes.plan(queries.plan(session_id)))


class RetryView(Endpoint):
    """POST a wish to try the newest turn again."""

    def post(self, request: ApiRequest, session_id: str) -> Response:
        """Make it due; 202, since a worker takes it."""
        NothingSerializer(data=request.data).is_valid(raise_exception=True)
        may_retry = partial(readable, request, session_id, Action.POST_MESSAGE)
        retry = partial(_retry, request, may_retry)
        return answered(answer_once(request, retry, may_see=may_retry))


def _retry(request: ApiRequest, may_retry: partial[UUID]) -> Answer:
    session_id = may_retry()
    services.retry_turn(session_id, by=request.user)
    return Answer(202, shapes.session(queries.session(session_id)))


class UndoView(Endpoint):
    """POST the number of a message that is to be taken back."""

    def post(self, request: ApiRequest, session_id: str) -> Response:
        """Go back to before it; 200 with the session as it then stands."""
        body = UndoSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        may_undo = partial(readable, request, session_id, Action.STEER)
        undo = partial(_undo, request, may_undo, body.validated_data["to"])
        return answered(answer_once(request, undo, may_see=may_undo))


def _undo(request: ApiRequest, may_undo: partial[UUID], to: int) -> Answer:
    session_id = may_undo()
    services.undo(session_id, to, by=request.user)
    return Answer(200, shapes.session(queries.session(session_id)))


class ForkView(Endpoint):
    """POST a wish for a session that begins as this one did."""

    def post(self, request: ApiRequest, session_id: str) -> Response:
        """Start it; 201 with its address."""
        body = ForkSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        may_fork = partial(readable, request, session_id, Action.FORK_SESSION)
        fork = partial(_fork, request, may_fork, body.validated_data["at"])
        answer = answer_once(request, fork, may_see=may_fork)
        return answered(answer, Location=reverse("api-session", args=[answer.body["id"]]))


def _fork(request: ApiRequest, may_fork: partial[UUID], at: int | None) -> Answer:
    copy = services.fork(may_fork(), by=request.user, at=at)
    return Answer(201, shapes.session(queries.session(copy)))
