"""JSON bodies, read strictly: bounded, no duplicate keys, no NaN."""

import json
import math
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from django.http import HttpRequest
from django.utils.http import parse_header_parameters
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

LONGEST_BODY: Final = 2 * 1024 * 1024
DEEPEST: Final = 32
_UTF8: Final = frozenset({"utf-8", "utf8", "us-ascii"})


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
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the body's object.

        Raises:
            UnsupportedMediaType: it is compressed, or says to be in another charset than UTF-8.
            BodyTooLargeError: it is over 2 MiB.
            ParseError: it is no JSON object, or one that two readers could understand differently.
        """
        _check_plain(media_type or "", parser_context or {})
        raw = _bounded(stream)
        try:
            value = json.loads(
                raw.decode("utf-8"),
                object_pairs_hook=_once,
                parse_constant=_no_constant,
                parse_float=_finite,
            )
        except (ValueError, RecursionError) as error:
            raise ParseError(f"The body is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise ParseError("The body must be a JSON object.")
        if _depth(value) > DEEPEST:
            raise ParseError(f"The body is nested deeper than {DEEPEST} levels.")
        _check_text(value)
        return value


def _check_plain(media_type: str, context: Mapping[str, Any]) -> None:
    """Refuse what would have to be unpacked first: a small body could become a huge one."""
    _, parameters = parse_header_parameters(media_type)
    charset = parameters.get("charset", "utf-8").lower()
    request = context.get("request")
    encoding = request.headers.get("Content-Encoding", "identity") if request else "identity"
    if charset not in _UTF8 or encoding.lower() != "identity":
        raise UnsupportedMediaType(f"{media_type}, encoded as {encoding}")


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


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _check_text(value: dict[str, Any]) -> None:
    """Refuse halves of surrogate pairs, which no UTF-8 text can hold: not even our answer."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ParseError("The body holds half of a surrogate pair.") from error


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
