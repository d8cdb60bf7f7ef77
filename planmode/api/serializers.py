"""Bodies and queries of the session API, as values of the domain."""

from typing import Final

from rest_framework import serializers

from planmode.access.strict import QuerySerializer, StrictSerializer, TextField, YesNoField
from planmode.services import NewAttachment, NewSession

_LONGEST_SEQ: Final = 2**63 - 1
_LONGEST_NAME: Final = 60
_LONGEST_RULE: Final = 1000


class NewSessionSerializer(StrictSerializer):
    """POST /sessions."""

    project = TextField(max_length=_LONGEST_NAME, default="default")
    workspace = TextField(max_length=1024, default="")
    prompt = TextField(allow_blank=True)
    model = TextField(max_length=200, default="")
    preset = TextField(max_length=_LONGEST_NAME, default="")
    permission_mode = TextField(max_length=_LONGEST_NAME, default="")
    plan = YesNoField(default=True)
    rules = serializers.ListField(child=TextField(max_length=_LONGEST_RULE), default=list)

    def session(self) -> NewSession:
        """Return what to start: never a local session, since programs ask here."""
        values = {**self.validated_data, "local": False}
        values["rules"] = tuple(values["rules"])
        return NewSession(**values)


class MessageSerializer(StrictSerializer):
    """POST /sessions/ID/messages."""

    text = TextField(allow_blank=True)

    def message(self) -> str:
        """Return what to say to the agent."""
        text: str = self.validated_data["text"]
        return text


class SaidSerializer(MessageSerializer):
    """POST /sessions/ID/messages and /commands: a text, and files as form data has them."""

    attachments = serializers.ListField(child=serializers.FileField(), default=list)

    def files(self) -> list[NewAttachment]:
        """Return the files, in their order."""
        return [
            NewAttachment(file.name or "", file.read(), file.content_type or "")
            for file in self.validated_data["attachments"]
        ]


class PlanSerializer(StrictSerializer):
    """PUT /sessions/ID/plan."""

    content = TextField(allow_blank=True)
    base_sha256 = serializers.RegexField(r"\A[0-9a-f]{64}\Z")

    def plan(self) -> bytes:
        """Return the bytes that the plan file shall have."""
        text: str = self.validated_data["content"]
        return text.encode()


class UndoSerializer(StrictSerializer):
    """POST /sessions/ID/undo."""

    to = serializers.IntegerField(min_value=1, max_value=_LONGEST_SEQ)


class ForkSerializer(StrictSerializer):
    """POST /sessions/ID/fork."""

    at = serializers.IntegerField(default=None, min_value=1, max_value=_LONGEST_SEQ)


class NothingSerializer(StrictSerializer):
    """A body that says nothing: {}."""


class EventsSerializer(QuerySerializer):
    """GET /sessions/ID/events."""

    after = serializers.IntegerField(default=0, min_value=0, max_value=_LONGEST_SEQ)
