"""How a log-in becomes a person, with what they chose."""

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User


class PreferencesBackend(ModelBackend):
    """Django's own log-in; each page needs the person's preferences, which come along."""

    def get_user(self, user_id: int) -> User | None:
        """Return the person, unless they may not log in any more."""
        user = User.objects.select_related("preferences").filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
