"""Revisions by HTTP: what was submitted, with the exact bytes."""

import re

from django.db.models import Q
from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from planmode import queries
from planmode.access.endpoint import ApiRequest, Endpoint, identifier, require_seen
from planmode.access.may import Action
from planmode.access.strict import PageSerializer, QuerySerializer, next_before
from planmode.api import shapes
from planmode.api.sessions import readable
from planmode.core.errors import RevisionUnknownError
from planmode.queries import RevisionRow


class RevisionsView(Endpoint):
    """GET the revisions of a session."""

    def get(self, request: ApiRequest, session_id: str) -> Response:
        """Return them, newest first, page by page."""
        page = PageSerializer(data=request.query_params.dict()).checked()
        seen = Q(session_id=readable(request, session_id))
        limit: int = page["limit"]
        rows = queries.revision_rows(seen, limit=limit + 1, before=page["before"])
        return Response(
            {
                "results": [shapes.revision(row) for row in rows[:limit]],
                "next": next_before([row.id for row in rows], limit),
            }
        )


class RevisionView(Endpoint):
    """GET a revision."""

    def get(self, request: ApiRequest, revision_id: str) -> Response:
        """Return it with its text."""
        QuerySerializer(data=request.query_params.dict()).checked()
        row = _readable(request, revision_id)
        text = queries.revision_bytes(row.id).decode()
        return Response({**shapes.revision(row), "text": text})


class RawView(Endpoint):
    """GET the exact bytes of a revision."""

    def perform_content_negotiation(
        self,
        request: Request,
        force: bool = False,  # noqa: FBT001, FBT002, ARG002 - the signature is DRF's
    ) -> tuple[BaseRenderer, str]:
        """Refuse no ``Accept``: the bytes come as they are, problems as ever."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: ApiRequest, revision_id: str) -> HttpResponse:
        """Return them as a file to save, which no browser takes for a page."""
        row = _readable(request, revision_id)
        return HttpResponse(
            queries.revision_bytes(row.id),
            content_type="text/plain; charset=utf-8",
            headers={
                "Content-Disposition": f'attachment; filename="{_file_name(row)}"',
                "X-Content-Type-Options": "nosniff",
                "ETag": f'"{row.sha256}"',
            },
        )


def _file_name(row: RevisionRow) -> str:
    """Return a name of plain letters only: it stands in a header."""
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '-', row.plan_id)}-v{row.version}.md"


def _readable(request: ApiRequest, text: str) -> RevisionRow:
    """Return the revision that ``text`` names, when the caller may read it.

    Raises:
        RevisionUnknownError: there is none, or not for them.
        NotAllowedError: they see it, and may not.
    """
    row = queries.revision(identifier(text, RevisionUnknownError, "revision"))
    unknown = RevisionUnknownError(f"no revision {row.id}")
    require_seen(request, Action.READ_PLAN, row.owned, unknown)
    return row
