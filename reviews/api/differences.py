"""What changed between two revisions, by HTTP."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from planmode import queries
from planmode.access.endpoint import ApiRequest, Endpoint
from planmode.access.strict import QuerySerializer
from reviews.api import cards
from reviews.changes import Comparison, compared
from reviews.core.blocks import cut
from reviews.core.diff import Diff, excerpt
from reviews.core.errors import ReviewUnknownError
from reviews.core.pairing import Effort
from reviews.core.plaintext import one_below_the_other, unified_text
from reviews.core.split import SplitHunk, SplitLine, split
from reviews.models import Review

MOST_LINES: Final = 2000
"""So many changed lines, with those around them, are one answer in JSON."""


class DiffSerializer(QuerySerializer):
    """``from``: the review of the other revision; ``format``; ``words`` marks them in text.

    ``line`` is where a part of the JSON begins.
    """

    format = serializers.ChoiceField(choices=["text", "json"], default="json")
    words = serializers.BooleanField(default=False)
    line = serializers.IntegerField(default=1, min_value=1, max_value=10**9)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; the name of one is a word of the language."""
        return {**super().get_fields(), "from": serializers.CharField()}


class DiffView(Endpoint):
    """GET what changed from one revision to another of the same session."""

    def perform_content_negotiation(
        self,
        request: Request,
        force: bool = False,  # noqa: FBT001, FBT002, ARG002 - the signature is DRF's
    ) -> tuple[BaseRenderer, str]:
        """Leave ``format`` to the view."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: ApiRequest, review_id: str) -> HttpResponse | Response:
        """Return it as lines, or as text for a terminal."""
        query = DiffSerializer(data=request.query_params.dict()).checked()
        new = cards.readable(request, Review.objects.all(), review_id, ReviewUnknownError)
        others = Review.objects.filter(session_id=new.session_id)
        old = cards.readable(request, others, query["from"], ReviewUnknownError)
        texts = [queries.plan_bytes(row.sha256).decode() for row in (old, new)]
        found = compared(texts[0], texts[1])
        if query["format"] == "text":
            whole = excerpt(found.outline, *texts)
            hunks = split(whole, found.moves, cut(texts[1]), Effort())
            names = _name(old), _name(new)
            text = unified_text(hunks, found.moves, names, words=query["words"])
            return HttpResponse(
                text,
                content_type="text/plain; charset=utf-8",
                headers={"X-Content-Type-Options": "nosniff"},
            )
        start: int = query["line"]
        part = excerpt(found.outline, *texts, start=start - 1, most=MOST_LINES)
        hunks = split(part, found.moves, cut(texts[1]), Effort())
        return Response(_shape((old, new), found, part, hunks, start))


def _name(row: Review) -> str:
    return f"{row.plan_id}/v{row.revision_version}\t{row.sha256}"


def _shape(
    rows: tuple[Review, Review],
    found: Comparison,
    part: Diff,
    hunks: tuple[SplitHunk, ...],
    start: int,
) -> Mapping[str, Any]:
    end = start + MOST_LINES
    names = zip(("from", "to"), rows, strict=True)
    return {
        **{name: _revision(row) for name, row in names},
        "added": part.added,
        "removed": part.removed,
        "coarse": part.coarse,
        "moves": [
            {"old": list(move.old), "new": list(move.new), "edited": move.edited}
            for move in found.moves
        ],
        "hunks": [_hunk(hunk) for hunk in hunks],
        "next": end if end <= found.outline.shown else None,
    }


def _revision(row: Review) -> Mapping[str, Any]:
    return {
        "review": str(row.pk),
        "plan_id": row.plan_id,
        "version": row.revision_version,
        "sha256": row.sha256,
    }


def _hunk(hunk: SplitHunk) -> Mapping[str, Any]:
    return {
        "left_out": hunk.left_out,
        "path": list(hunk.path),
        "lines": [_line(line) for line in one_below_the_other(hunk.rows)],
    }


def _line(line: SplitLine) -> Mapping[str, Any]:
    return {
        "kind": line.line.kind,
        "old": line.line.old_number,
        "new": line.line.new_number,
        "moved": line.moved or None,
        "spans": [{"text": span.text, "changed": span.changed} for span in line.spans],
    }
