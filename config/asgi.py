"""HTTP by Django, WebSockets by Channels."""

import os
import warnings

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
with warnings.catch_warnings():
    # WhiteNoise misses a folder of collected files; a checkout serves its own, uncollected.
    warnings.filterwarnings("ignore", "No directory at", UserWarning)
    django_application = get_asgi_application()

# Consumers import models, which must not be loaded before Django is set up.
from config.bodies import BoundedBodies
from config.origins import SameOriginOnly
from reviews.routing import urlpatterns

application = ProtocolTypeRouter(
    {
        "http": BoundedBodies(django_application),
        "websocket": SameOriginOnly(AuthMiddlewareStack(URLRouter(urlpatterns))),
    }
)
