"""Where this installation listens, and where its pages are."""

import errno
import socket
from argparse import ArgumentTypeError
from typing import Final

from django.conf import settings

LAST_PORT: Final = 65535
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - recognised, not bound

_NO_ADDRESS: Final = frozenset(
    {errno.EADDRNOTAVAIL, socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAMILY}
)
"""What the attempt fails with when the host is at fault."""


def pages_url(host: str = "", port: int = 0) -> str:
    """Return the pages' URL, no slash at its end; what is left out comes from the settings."""
    host, port = host or settings.HOST, port or settings.PORT
    if host in _EVERYWHERE:
        host = "127.0.0.1"
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}"


def port_number(text: str) -> int:
    """Return the port that ``text`` is; 0 stands for any free one.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not (text.isascii() and text.isdigit() and int(text) <= LAST_PORT):
        raise ArgumentTypeError(f"{text!r} is no port: use a whole number from 0 to {LAST_PORT}")
    return int(text)


def why_not(host: str, port: int, error: OSError) -> str:
    """Return which of the two can't be listened on and what to do, for ``error`` of the attempt."""
    if error.errno in _NO_ADDRESS:
        return (
            f"{host!r} is no address of this machine ({error.strerror}); "
            "choose another host: --host 127.0.0.1, or HOST=127.0.0.1 make demo"
        )
    other = port + 1 if port < LAST_PORT else 0
    return (
        f"port {port} of {host} can't be used ({error.strerror}); "
        f"choose another port: --port {other}, or PORT={other} make demo"
    )
