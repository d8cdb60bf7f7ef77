"""Request bodies end at a limit, before anything is kept of them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from asgiref.typing import ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, HTTPScope
from django.conf import settings

from config.parsing import BodyTooLargeError
from config.problems import FRAMEWORK, MEDIA_TYPE, Problem, document
from planmode.core.attachments import TIMES_THE_LARGEST

LARGEST_BODY: Final = 4 * 1024 * 1024
"""Bytes. Django writes a whole body to disk before it asks who sends it, so the limit is here."""
_KIND: Final = FRAMEWORK[BodyTooLargeError]
_FILES_COME_HERE: Final = re.compile(r"/sessions(?:/[^/]+/(?:messages|commands))?\Z")


class BoundedBodies:
    """Answers 413 to a larger body: at once where its length is said, else when it is reached.

    The connection ends with the answer, so that the rest is not even received.
    """

    def __init__(self, application: Callable[..., Any]) -> None:
        """Stand before ``application`` (ASGI 3), which reads the whole body before it answers."""
        self.application = application

    async def __call__(
        self, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve the request, or refuse it."""
        body = _Body(receive, limit_of(scope))
        if _said(scope) <= body.limit:
            await self.application(scope, body.receive, send)
            if not body.too_large:
                return
        await _refuse(scope, send, body.limit)


def limit_of(scope: HTTPScope) -> int:
    """Return how many bytes the body may have: more where files may come with a message."""
    kind = dict(scope["headers"]).get(b"content-type", b"")
    if kind.startswith(b"multipart/form-data") and _FILES_COME_HERE.search(scope["path"]):
        files: int = settings.ATTACHMENT_MAX_BYTES
        return LARGEST_BODY + TIMES_THE_LARGEST * files
    return LARGEST_BODY


@dataclass(slots=True)
class _Body:
    """Counts what comes; over the limit the application is told that the client has gone."""

    source: ASGIReceiveCallable
    limit: int
    size: int = 0

    @property
    def too_large(self) -> bool:
        return self.size > self.limit

    async def receive(self) -> ASGIReceiveEvent:
        message = await self.source()
        if message["type"] == "http.request":
            self.size += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.too_large else message


def _said(scope: HTTPScope) -> int:
    """Return the body's length as the client says it, 0 where it doesn't."""
    text = dict(scope["headers"]).get(b"content-length", b"")
    return int(text) if text.isdigit() else 0


async def _refuse(scope: HTTPScope, send: ASGISendCallable, limit: int) -> None:
    detail = f"The body is over {limit} bytes. Nothing was changed."
    media_type, text = "text/plain; charset=utf-8", f"{_KIND.title}. {detail}\n"
    if scope["path"].startswith("/api/"):
        media_type, text = MEDIA_TYPE, json.dumps(document(Problem(_KIND, detail)))
    content = text.encode()
    await send(
        {
            "type": "http.response.start",
            "status": _KIND.status,
            "headers": [
                (b"content-type", media_type.encode()),
                (b"content-length", str(len(content)).encode()),
                (b"connection", b"close"),
            ],
            "trailers": False,
        }
    )
    await send({"type": "http.response.body", "body": content, "more_body": False})
