"""Sockets open only for pages of this installation."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope, WebSocketScope
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import validate_host


class SameOriginOnly:
    """Refuses the handshake of any other origin, and of none."""

    def __init__(self, application: Callable[..., Any]) -> None:
        """Stand before ``application`` (ASGI 3)."""
        self.application = application

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve the socket, or deny it."""
        if scope["type"] == "websocket" and origin_is_ours(scope):
            await self.application(scope, receive, send)
        else:
            await WebsocketDenier.as_asgi()(scope, receive, send)


def origin_is_ours(scope: WebSocketScope) -> bool:
    """Return whether the page that opens the socket is of this installation.

    With ``ALLOWED_ORIGINS`` the full origin must be listed; without, it must be that of the
    request itself, on an allowed host.
    """
    headers = dict(scope.get("headers", ()))
    origin = headers.get(b"origin", b"").decode("latin-1")
    if settings.ALLOWED_ORIGINS:
        return origin in settings.ALLOWED_ORIGINS
    url = urlsplit(origin)
    host = headers.get(b"host", b"").decode("latin-1")
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    same = url.scheme == scheme and url.netloc.lower() == host.lower()
    return same and validate_host(url.hostname or "", settings.ALLOWED_HOSTS)
