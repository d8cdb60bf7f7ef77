"""Sockets of a real server, in both shapes."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from tests.factories import submits
from tests.processes import EmbeddedServer, Installation, Login, TeamServer

pytestmark = pytest.mark.process

SOON: Final = 20.0


@pytest.fixture(scope="module", params=[EmbeddedServer, TeamServer])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder: Path = tmp_path_factory.mktemp("server")
    shape: type[Installation] = request.param
    with shape(folder) as running:
        yield running


@pytest.fixture(scope="module")
def people(server: Installation) -> dict[str, Login]:
    return server.people()


@asynccontextmanager
async def socket(
    server: Installation, path: str, by: Login | None, origin: str | None = None
) -> AsyncIterator[ClientConnection]:
    """Open a socket as a page of the server would, logged in as ``by``."""
    headers = {"Cookie": f"sessionid={by.cookie}"} if by else {}
    async with connect(
        server.url.replace("http", "ws") + path,
        origin=Origin(origin or server.url),
        additional_headers=headers,
        proxy=None,
        open_timeout=SOON,
    ) as opened:
        yield opened


async def heard(opened: ClientConnection) -> dict[str, Any]:
    """Return the next message."""
    async with asyncio.timeout(SOON):
        message: dict[str, Any] = json.loads(await opened.recv())
        return message


async def closed(opened: ClientConnection) -> int | None:
    """Return the code with which the server closes, before it says anything."""
    with pytest.raises(ConnectionClosed):
        await heard(opened)
    return opened.close_code


async def submitted(server: Installation, owner: Login) -> str:
    """Let a session submit a plan; return its id."""
    model = server.script("submits", submits())
    return await asyncio.to_thread(server.start_session, owner, model)


async def test_a_card_appears_and_who_was_away_gets_it_later(
    server: Installation, people: dict[str, Login]
) -> None:
    """case:C050."""
    reviewer = people["reviewer"]
    async with socket(server, "/ws/feed", reviewer) as feed:
        await submitted(server, people["operator"])
        first = await heard(feed)
    assert first.keys() == {"cursor", "kind", "id", "version"}
    assert (first["kind"], first["version"]) == ("plan_review.opened", 1)
    path = f"/api/v1/reviews/{first['id']}"
    review = await asyncio.to_thread(server.api, "GET", path, people["operator"])
    assert review["status"] == "open"
    await submitted(server, people["operator"])
    async with socket(server, f"/ws/feed?after={first['cursor']}", reviewer) as feed:
        second = await heard(feed)
    assert second["cursor"] > first["cursor"]
    assert second["id"] != first["id"]
    async with socket(server, f"/ws/feed?after={first['cursor'] - 1}", reviewer) as feed:
        assert [await heard(feed), await heard(feed)] == [first, second]


async def test_a_session_page_hears_that_its_log_grows(
    server: Installation, people: dict[str, Login]
) -> None:
    session_id = await submitted(server, people["operator"])
    seen = 1
    async with socket(server, f"/ws/sessions/{session_id}?after=1", people["reviewer"]) as log:
        while not await _waits(server, session_id, people["operator"]):
            message = await heard(log)
            assert message.keys() == {"seq"}
            assert message["seq"] > seen
            seen = message["seq"]


async def _waits(server: Installation, session_id: str, by: Login) -> bool:
    path = f"/api/v1/sessions/{session_id}"
    found = await asyncio.to_thread(server.api, "GET", path, by)
    state: str = found["turn"]["state"]
    return state == "waiting"


async def test_many_browsers_hear_of_one_card(
    server: Installation, people: dict[str, Login]
) -> None:
    many = 300 if isinstance(server, EmbeddedServer) else 60  # each costs PostgreSQL connections
    async with AsyncExitStack() as stack:
        opened = [socket(server, "/ws/feed", people["reviewer"]) for _ in range(many)]
        feeds = await asyncio.gather(*map(stack.enter_async_context, opened))
        await submitted(server, people["operator"])
        messages = await asyncio.gather(*map(heard, feeds))
    assert {message["kind"] for message in messages} == {"plan_review.opened"}
    assert len({message["cursor"] for message in messages}) == 1


@pytest.mark.parametrize(
    ("name", "path", "code"),
    [
        pytest.param(None, "/ws/feed", 4401, id="nobody, feed"),
        pytest.param(None, f"/ws/sessions/{uuid4()}", 4401, id="nobody, session"),
        pytest.param("stranger", "/ws/feed", 4403, id="no role"),
        pytest.param("manager", "/ws/feed", 4403, id="a role that does not hear"),
        pytest.param("reviewer", f"/ws/sessions/{uuid4()}", 4403, id="no such session"),
        pytest.param("reviewer", "/ws/sessions/x", 4403, id="no id"),
        pytest.param("reviewer", "/ws/feed?after=x", 4400, id="no number"),
        pytest.param("reviewer", "/ws/feed?after=", 4400, id="empty"),
        pytest.param("reviewer", "/ws/feed?after=-1", 4400, id="negative"),
        pytest.param("reviewer", "/ws/feed?after=%D9%A1", 4400, id="digits of another script"),
        pytest.param("reviewer", f"/ws/feed?after={10**40}", 4400, id="huge"),
    ],
)
async def test_who_may_not_listen_is_told_so(
    server: Installation, people: dict[str, Login], name: str | None, path: str, code: int
) -> None:
    async with socket(server, path, people[name] if name else None) as opened:
        assert await closed(opened) == code


@pytest.mark.parametrize("message", ["{}", b"\0", "x" * 1000])
async def test_a_socket_takes_nothing(
    server: Installation, people: dict[str, Login], message: str | bytes
) -> None:
    async with socket(server, "/ws/feed", people["reviewer"]) as opened:
        await opened.send(message)
        await opened.send(message)
        assert await closed(opened) == 4400


async def test_a_large_message_is_not_even_read(
    server: Installation, people: dict[str, Login]
) -> None:
    async with socket(server, "/ws/feed", people["reviewer"]) as opened:
        await opened.send("x" * 100_000)
        assert await closed(opened) == 1009


@pytest.mark.parametrize("path", ["/ws/feed", "/ws/elsewhere"])
async def test_a_foreign_page_gets_no_socket(
    server: Installation, people: dict[str, Login], path: str
) -> None:
    origin = "http://example.org" if path == "/ws/feed" else None
    with pytest.raises(InvalidStatus) as refused:
        async with socket(server, path, people["reviewer"], origin):
            pytest.fail("the handshake was accepted")
    assert refused.value.response.status_code == 403


async def test_logging_out_ends_the_socket(server: Installation, people: dict[str, Login]) -> None:
    cookie = people["second"].cookie
    gone = f"from django.contrib.sessions.models import Session as S; S(pk={cookie!r}).delete()"
    async with socket(server, "/ws/feed", people["second"]) as opened:
        await asyncio.to_thread(server.shell, gone)
        await submitted(server, people["operator"])
        assert await closed(opened) == 4401
