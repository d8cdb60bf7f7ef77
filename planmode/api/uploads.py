"""Bodies that hold files: form data, read as strictly as JSON."""

from typing import Any, Final

from django.http import QueryDict
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.views import APIView

PARSERS: Final = (*APIView.parser_classes, MultiPartParser)
"""JSON, and form data where files may come along."""
_SEVERAL: Final = frozenset({"attachments"})


def body_of(request: Request) -> Any:  # noqa: ANN401 - JSON values, and files
    """Return the body as an object; a field of form data that came twice is a list.

    A form of a browser sends its CSRF token along, which is no field of ours.
    """
    data = request.data
    if not isinstance(data, QueryDict):
        return data
    values: dict[str, Any] = {}
    for name, given in data.lists():
        if name != "csrfmiddlewaretoken":
            values[name] = given if name in _SEVERAL or len(given) > 1 else given[0]
    return values
