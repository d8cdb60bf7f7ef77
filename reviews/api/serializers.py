"""Bodies and queries of the review desk's API, as values of the domain."""

from rest_framework import serializers

from planmode.access.strict import PageSerializer, StrictSerializer, TextField, YesNoField
from reviews.core.decisions import Decision, DecisionKind
from reviews.models import Card


class CardsSerializer(PageSerializer):
    """GET of a list of cards; without ``status`` of all of them."""

    status = serializers.ChoiceField(choices=Card.Status.choices, default="")


class DecisionSerializer(StrictSerializer):
    """POST /reviews/ID/decision."""

    decision = serializers.ChoiceField(choices=[kind.value for kind in DecisionKind])
    sha256 = serializers.RegexField("^[0-9a-f]{64}$", trim_whitespace=False)
    option = TextField(max_length=200, allow_blank=True, default="")
    feedback = TextField(allow_blank=True, default="")
    reason = TextField(allow_blank=True, default="")
    start = YesNoField(default=True)

    def decision_made(self) -> Decision:
        """Return the decision; whether it is complete is the domain's to say."""
        values = dict(self.validated_data)
        return Decision(DecisionKind(values.pop("decision")), **values)


class AnswersSerializer(StrictSerializer):
    """POST /questions/ID/answer."""

    answers = serializers.ListField(child=TextField(allow_blank=True), max_length=100)

    def texts(self) -> list[str]:
        """Return one text for each item of the question."""
        texts: list[str] = self.validated_data["answers"]
        return texts


class ApprovalSerializer(StrictSerializer):
    """POST /approvals/ID/answer."""

    allow = YesNoField()
    note = TextField(allow_blank=True, default="")


class NothingSerializer(StrictSerializer):
    """A POST whose address says it all: ``{}``."""
