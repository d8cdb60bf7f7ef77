"""JSON bodies, read strictly: bounded, no duplicate keys, no NaN."""

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from django.http import HttpRequest
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

LONGEST_BODY: Final = 2 * 1024 * 1024
DEEPEST: Final = 32


class BodyTooLargeError(APIException):
    """The body is over the limit; it was not read."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = f"The body is over {LONGEST_BODY} bytes."
    default_code = "body_too_large"


class StrictJSONParser(BaseParser):
    """Parses ``application/json`` into an object of JSON values."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,  # noqa: ANN401 - the signature is DRF's
        media_type: str | None = None,  # noqa: ARG002
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Return the body's object.

        Raises:
            BodyTooLargeError: it is over 2 MiB.
            ParseError: it is no JSON object, or one that two readers could understand differently.
        """
        raw = _bounded(stream)
        try:
            value = json.loads(
                raw.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant
            )
        except (ValueError, RecursionError) as error:
            raise ParseError(f"The body is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise ParseError("The body must be a JSON object.")
        if _depth(value) > DEEPEST:
            raise ParseError(f"The body is nested deeper than {DEEPEST} levels.")
        return value


def _bounded(stream: HttpRequest) -> bytes:
    raw: bytes = stream.read(LONGEST_BODY + 1)
    if len(raw) > LONGEST_BODY:
        raise BodyTooLargeError
    return raw


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _depth(value: object) -> int:
    """Return how deep ``value`` is nested, without recursion (the parser was bounded already)."""
    deepest, level = 0, [value]
    while level:
        deepest += 1
        level = [
            item
            for container in level
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
    return deepest
