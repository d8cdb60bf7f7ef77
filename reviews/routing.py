"""The sockets' URLs."""

from typing import Any, Final

from channels.security.websocket import WebsocketDenier
from django.urls import path, re_path

from reviews.consumers import FeedConsumer, SessionConsumer

# Django's path() is typed for views alone.
_feed: Any = FeedConsumer.as_asgi()
_session: Any = SessionConsumer.as_asgi()
_refused: Any = WebsocketDenier.as_asgi()

urlpatterns: Final[list[Any]] = [
    path("ws/feed", _feed),
    path("ws/sessions/<str:session_id>", _session),
    re_path(r"", _refused),
]
