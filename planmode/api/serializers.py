"""Bodies and queries of the session API, as values of the domain."""

from typing import Final

from django.conf import settings
from rest_framework import serializers

from planmode.access.strict import QuerySerializer, StrictSerializer, TextField, YesNoField
from planmode.core.permission import PermissionMode
from planmode.services import NewSession

_LONGEST_SEQ: Final = 2**63 - 1
_LONGEST_NAME: Final = 60


class NewSessionSerializer(StrictSerializer):
    """POST /sessions."""

    project = TextField(max_length=_LONGEST_NAME, default="default")
    workspace = TextField(max_length=1024)
    prompt = TextField(allow_blank=True)
    model = TextField(max_length=200, default="")
    preset = TextField(max_length=_LONGEST_NAME, default="kimi")
    permission_mode = TextField(max_length=_LONGEST_NAME, default=PermissionMode.MANUAL.value)
    plan = YesNoField(default=True)

    def session(self) -> NewSession:
        """Return what to start: never a local session, since programs ask here."""
        values = {**self.validated_data, "local": False}
        return NewSession(**{**values, "model": values["model"] or settings.DEFAULT_MODEL})


class MessageSerializer(StrictSerializer):
    """POST /sessions/ID/messages."""

    text = TextField(allow_blank=True)

    def message(self) -> str:
        """Return what to say to the agent."""
        text: str = self.validated_data["text"]
        return text


class EventsSerializer(QuerySerializer):
    """GET /sessions/ID/events."""

    after = serializers.IntegerField(default=0, min_value=0, max_value=_LONGEST_SEQ)
