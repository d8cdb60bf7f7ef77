"""Bodies and queries of the API, read strictly: nothing is guessed."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.exceptions import ErrorDetail, ValidationError

MOST_ROWS: Final = 200
DEFAULT_ROWS: Final = 50
_LONGEST_NAME_ECHOED: Final = 80
_MOST_NAMES_ECHOED: Final = 20


class QueryInvalidError(ValidationError):
    """A parameter behind the question mark is unknown or can't be understood."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_code = "query_invalid"


class TextField(serializers.CharField):
    """A JSON string, kept as it came: not trimmed, and no number turned into text."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - DRF's own options
        """Take CharField's options."""
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: object) -> str:
        """Return ``data``.

        Raises:
            ValidationError: it is no string.
        """
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class YesNoField(serializers.BooleanField):
    """``true`` or ``false``: "yes" and 1 are refused."""

    def to_internal_value(self, data: object) -> bool:
        """Return ``data``.

        Raises:
            ValidationError: it is neither.
        """
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictSerializer(serializers.Serializer[Any]):
    """Reads an object whose every field is known by name."""

    def to_internal_value(self, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - DRF's signature
        """Return the fields' values.

        Raises:
            ValidationError: a field is wrong, missing or unknown; all of them are named at once.
        """
        wrong: dict[str, Any] = {
            name[:_LONGEST_NAME_ECHOED]: [ErrorDetail("There is no such field.", "unknown")]
            for name in sorted(set(data) - set(self.fields))[:_MOST_NAMES_ECHOED]
        }
        try:
            values = super().to_internal_value(data)
        except ValidationError as error:
            raise ValidationError({**_by_field(error), **wrong}) from error
        if wrong:
            raise ValidationError(wrong)
        return values


def _by_field(error: ValidationError) -> dict[str, Any]:
    return error.detail if isinstance(error.detail, dict) else {"": error.detail}


class QuerySerializer(StrictSerializer):
    """Reads what stands behind the question mark."""

    def checked(self) -> dict[str, Any]:
        """Return the parameters' values.

        Raises:
            QueryInvalidError: a parameter is wrong or unknown.
        """
        try:
            self.is_valid(raise_exception=True)
        except ValidationError as error:
            raise QueryInvalidError(error.detail) from error
        values: dict[str, Any] = self.validated_data
        return values


class PageSerializer(QuerySerializer):
    """``before``: the id that the page before ended with; ``limit``: how many rows, up to 200."""

    before = serializers.UUIDField(default=None)
    limit = serializers.IntegerField(default=DEFAULT_ROWS, min_value=1, max_value=MOST_ROWS)


def next_before(ids: list[UUID], limit: int) -> str | None:
    """Return what ``before`` of the next page is, ``None`` behind the last one.

    ``ids`` are those of one row more than the page shows, where there is one.
    """
    return str(ids[limit - 1]) if len(ids) > limit else None
