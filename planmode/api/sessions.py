"""Sessions by HTTP: start, look at, follow, say something."""

from functools import partial
from uuid import UUID

from django.urls import reverse
from rest_framework.response import Response

from planmode import queries, services
from planmode.access.endpoint import ApiRequest, Endpoint, answered, identifier, require_seen
from planmode.access.may import Action, Owned
from planmode.access.models import Project
from planmode.access.requests import Answer, answer_once, caller, require
from planmode.access.strict import QuerySerializer
from planmode.api import shapes
from planmode.api.serializers import EventsSerializer, NewSessionSerializer, SaidSerializer
from planmode.api.uploads import PARSERS, body_of
from planmode.core.errors import ProjectUnknownError, SessionUnknownError


def readable(request: ApiRequest, text: str, action: Action = Action.READ_PLAN) -> UUID:
    """Return the id of the session that ``text`` names, when the caller may do ``action`` to it.

    Raises:
        SessionUnknownError: there is none, or not for them.
        NotAllowedError: they see it, and may not.
    """
    session_id = identifier(text, SessionUnknownError, "session")
    unknown = SessionUnknownError(f"no session {session_id}")
    require_seen(request, action, queries.owned(session_id), unknown)
    return session_id


class SessionsView(Endpoint):
    """POST a new session."""

    def post(self, request: ApiRequest) -> Response:
        """Start it; 201 with its address."""
        body = NewSessionSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        new = body.session()
        may_start = partial(_require_start, request, new.project)
        answer = answer_once(request, partial(_start, request, new), may_see=may_start)
        return answered(answer, Location=reverse("api-session", args=[answer.body["id"]]))


def _start(request: ApiRequest, new: services.NewSession) -> Answer:
    _require_start(request, new.project)
    session_id = services.start_session(new, owner=request.user)
    return Answer(201, shapes.session(queries.session(session_id)))


def _require_start(request: ApiRequest, project: str) -> None:
    require(request, Action.START_SESSION, Owned(_project_id(request, project)))


def _project_id(request: ApiRequest, name: str) -> int:
    """Return the project's id, as long as the caller has any role in it."""
    project = Project.objects.filter(name=name).first()
    here = {project_id for project_id, _ in caller(request).roles}
    if project is None or not here & {None, project.pk}:
        raise ProjectUnknownError(f"no project {name!r}")
    return project.pk


class SessionView(Endpoint):
    """GET a session."""

    def get(self, request: ApiRequest, session_id: str) -> Response:
        """Return how it stands."""
        QuerySerializer(data=request.query_params.dict()).checked()
        return Response(shapes.session(queries.session(readable(request, session_id))))


class EventsView(Endpoint):
    """GET a session's log, page by page."""

    def get(self, request: ApiRequest, session_id: str) -> Response:
        """Return up to 200 events behind ``after``; ``next_after`` asks for what follows."""
        after: int = EventsSerializer(data=request.query_params.dict()).checked()["after"]
        found = queries.events(readable(request, session_id), after=after)
        return Response(
            {
                "results": [shapes.event(logged) for logged in found],
                "next_after": found[-1].seq if found else after,
            }
        )


class MessagesView(Endpoint):
    """POST a message to the agent."""

    parser_classes = PARSERS

    def post(self, request: ApiRequest, session_id: str) -> Response:
        """Take it in; 202, since the agent reads it at its next step."""
        body = SaidSerializer(data=body_of(request))
        body.is_valid(raise_exception=True)
        post = partial(_post, request, session_id, body)
        may_post = partial(readable, request, session_id, Action.POST_MESSAGE)
        return answered(answer_once(request, post, may_see=may_post))


def _post(request: ApiRequest, text: str, body: SaidSerializer) -> Answer:
    session_id = readable(request, text, Action.POST_MESSAGE)
    services.post_message(session_id, body.message(), body.files(), author=request.user)
    return Answer(202, {"session": str(session_id), "seq": queries.session(session_id).seq})
