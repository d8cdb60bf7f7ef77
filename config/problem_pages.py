"""The page that a problem's ``type`` links: what the code means."""

from collections.abc import Iterator

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.meanings import MEANING
from config.problems import BUSY, CSRF_FAILED, FRAMEWORK, INTERNAL, STATUS_OF, Kind


def kinds() -> Iterator[Kind]:
    """Yield every kind of problem that an answer can name, some of them twice."""
    yield from (Kind(status, error.code, error.title) for error, status in STATUS_OF.items())
    yield from (*FRAMEWORK.values(), CSRF_FAILED, BUSY, INTERNAL)


@require_safe
def problem_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show title, status and meaning of ``code`` to anybody: it says nothing about this place.

    Raises:
        Http404: no answer names such a code.
    """
    kind = next((kind for kind in kinds() if kind.code == code), None)
    if kind is None:
        raise Http404(f"no problem {code}")
    return render(request, "problem.html", {"kind": kind, "meaning": MEANING[code]})
