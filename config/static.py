"""WhiteNoise for an ASGI server: small files, answered whole."""

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Serves static files without streaming.

    WhiteNoise streams from a plain iterator, which Django under ASGI reads in a thread and warns
    of. Ours are a few kilobytes each.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the file as WhiteNoise would: status and headers are its own."""
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status))
        del response["content-type"]
        for name, value in found.headers:
            response[name] = value
        if found.file is not None:  # the headers are of the start, the file may have changed since
            response["Content-Length"] = str(len(content))
        return response
