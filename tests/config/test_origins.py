"""Which pages may open a socket."""

from typing import cast

import pytest
from asgiref.typing import ASGIReceiveEvent, ASGISendEvent, Scope, WebSocketScope
from pytest_django import Settings

from config.origins import SameOriginOnly, origin_is_ours

OURS = b"https://plans.example"


def scope(
    origin: bytes | None, *, host: bytes = b"plans.example", scheme: str = "wss"
) -> WebSocketScope:
    headers = [(b"host", host), *([(b"origin", origin)] if origin is not None else [])]
    return cast("WebSocketScope", {"type": "websocket", "scheme": scheme, "headers": headers})


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["plans.example", "127.0.0.1"]
    settings.ALLOWED_ORIGINS = []


@pytest.mark.parametrize(
    ("origin", "host", "scheme", "ours"),
    [
        pytest.param(OURS, b"plans.example", "wss", True, id="our own page"),
        pytest.param(b"http://127.0.0.1:8000", b"127.0.0.1:8000", "ws", True, id="local"),
        pytest.param(b"https://evil.example", b"plans.example", "wss", False, id="other site"),
        pytest.param(b"https://plans.example:8443", b"plans.example", "wss", False, id="port"),
        pytest.param(b"http://plans.example", b"plans.example", "wss", False, id="scheme"),
        pytest.param(b"https://x.plans.example", b"plans.example", "wss", False, id="sub-domain"),
        pytest.param(b"https://plans.example.evil", b"plans.example", "wss", False, id="prefix"),
        pytest.param(b"https://plans.example@evil", b"plans.example", "wss", False, id="user"),
        pytest.param(b"null", b"plans.example", "wss", False, id="null"),
        pytest.param(b"", b"plans.example", "wss", False, id="empty"),
        pytest.param(None, b"plans.example", "wss", False, id="none"),
        pytest.param(b"https://evil.example", b"evil.example", "wss", False, id="host not allowed"),
    ],
)
def test_the_requests_own_origin(
    origin: bytes | None,
    host: bytes,
    scheme: str,
    ours: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """security:S10."""
    assert origin_is_ours(scope(origin, host=host, scheme=scheme)) is ours


def test_listed_origins_are_the_only_ones(settings: Settings) -> None:
    settings.ALLOWED_ORIGINS = ["https://desk.example:8443"]
    assert origin_is_ours(scope(b"https://desk.example:8443"))
    assert not origin_is_ours(scope(OURS))
    assert not origin_is_ours(scope(b"https://desk.example"))


async def _served(origin: bytes) -> tuple[list[str], list[str]]:
    """Return what the application saw, and what the client was sent."""
    seen: list[str] = []
    sent: list[str] = []
    received = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1006}])

    async def application(scope: Scope, _receive: object, _send: object) -> None:
        seen.append(scope["type"])

    async def receive() -> ASGIReceiveEvent:
        return cast("ASGIReceiveEvent", next(received))

    async def send(message: ASGISendEvent) -> None:
        sent.append(message["type"])

    await SameOriginOnly(application)(scope(origin), receive, send)
    return seen, sent


async def test_another_sites_handshake_never_reaches_the_application() -> None:
    assert await _served(b"https://evil.example") == ([], ["websocket.close"])


async def test_our_own_handshake_does() -> None:
    assert await _served(OURS) == (["websocket"], [])
