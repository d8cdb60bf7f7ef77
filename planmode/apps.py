"""The agent's side as a Django app."""

from django.apps import AppConfig


class PlanmodeConfig(AppConfig):
    """``planmode``: sessions, log, guard, turns."""

    name = "planmode"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from planmode import checks  # noqa: F401, PLC0415 - models must be loaded before
