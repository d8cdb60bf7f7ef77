"""The app that knows projects, members and tokens."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """``planmode.access``, label ``access``."""

    name = "planmode.access"
    label = "access"
    default_auto_field = "django.db.models.BigAutoField"
