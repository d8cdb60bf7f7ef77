"""Sockets open only for pages of this installation: scheme, host and port."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import validate_host

Scope = dict[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


class SameOriginOnly:
    """Refuses the handshake of any other origin, and of none."""

    def __init__(self, application: Application) -> None:
        """Stand before ``application``."""
        self.application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:  # noqa: ANN401
        """Serve the socket, or deny it."""
        if origin_is_ours(scope):
            await self.application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def origin_is_ours(scope: Scope) -> bool:
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
    same = url.scheme == scheme and url.netloc == host
    return same and validate_host(url.hostname or "", settings.ALLOWED_HOSTS)
