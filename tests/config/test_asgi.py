"""The application's door, where foreign handshakes end."""

import asyncio
from typing import Any

import pytest

from config.asgi import application


@pytest.mark.parametrize("origin", [b"http://example.org", b"null", None])
async def test_a_foreign_page_is_refused_without_a_look_at_its_cookie(origin: bytes | None) -> None:
    headers = [(b"host", b"127.0.0.1"), (b"cookie", b"sessionid=stolen")]
    if origin is not None:
        headers.append((b"origin", origin))
    said = await answers({"path": "/ws/feed", "headers": headers})
    assert said == ["websocket.close"], "before the accept this is a 403"


async def answers(scope: dict[str, Any]) -> list[str]:
    """Return the kinds of messages with which the application answers a handshake."""
    said: list[str] = []
    client: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    client.put_nowait({"type": "websocket.connect"})
    client.put_nowait({"type": "websocket.disconnect", "code": 1000})

    async def send(message: Any) -> None:  # noqa: ANN401 - an ASGI message
        said.append(message["type"])

    full: Any = {"type": "websocket", "scheme": "ws", "query_string": b"", **scope}
    receive: Any = client.get
    await application(full, receive, send)
    return said
