"""Where the pages of this installation are."""

from typing import Final

from django.conf import settings

_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - recognised, not bound


def pages_url(host: str = "", port: int = 0) -> str:
    """Return the pages' URL, no slash at its end; what is left out comes from the settings."""
    host, port = host or settings.HOST, port or settings.PORT
    if host in _EVERYWHERE:
        host = "127.0.0.1"
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}"
