"""The review desk as a Django app."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """``reviews``: cards, decisions, feed, audit, telemetry."""

    name = "reviews"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to planmode, and register the checks."""
        from reviews import checks, projections  # noqa: F401, PLC0415 - models must be loaded before

        projections.connect()
