"""HTTP by Django, WebSockets by Channels."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_asgi_application()

# Consumers import models, which must not be loaded before Django is set up.
from config.origins import SameOriginOnly  # noqa: E402
from reviews.routing import urlpatterns  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": SameOriginOnly(AuthMiddlewareStack(URLRouter(urlpatterns))),
    }
)
