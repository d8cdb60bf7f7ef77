"""A body over the limit is refused before it is kept, whoever sends it."""

import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from pytest_django import Settings

from config.bodies import LARGEST_BODY, limit_of
from tests.processes import EmbeddedServer

pytestmark = pytest.mark.process

PATIENCE_S = 20.0
PIECE = b"x" * 65536


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that serves."""
    with EmbeddedServer(tmp_path_factory.mktemp("bodies")) as server:
        yield server.url


def request(url: str, path: str, *headers: str) -> socket.socket:
    """Send the head of a POST."""
    address = urlsplit(url)
    assert address.hostname is not None
    client = socket.create_connection((address.hostname, address.port or 0), timeout=PATIENCE_S)
    lines = [f"POST {path} HTTP/1.1", f"Host: {address.netloc}", *headers]
    client.sendall("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
    return client


def answer(client: socket.socket) -> tuple[int, str, bytes]:
    """Return status, head and body of the answer; the server must have ended the connection."""
    raw = b""
    with client:
        while received := client.recv(65536):
            raw += received
    head, _, body = raw.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode().lower(), body


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


def test_a_length_over_the_limit_is_refused_before_the_body_comes(url: str) -> None:
    status, head, body = answer(
        request(url, "/api/v1/sessions", f"Content-Length: {LARGEST_BODY + 1}")
    )
    assert status == 413
    assert "content-type: application/problem+json" in head
    assert json.loads(body)["code"] == "body_too_large"


def test_a_page_says_it_in_plain_words(url: str) -> None:
    status, head, body = answer(request(url, "/login", f"Content-Length: {LARGEST_BODY + 1}"))
    assert status == 413
    assert "content-type: text/plain" in head
    assert b"The body is too large" in body


def test_a_body_of_unsaid_length_is_refused_when_it_gets_too_large(url: str) -> None:
    """Its end never comes: who waits for it waits for ever."""
    client = request(url, "/api/v1/sessions", "Transfer-Encoding: chunked")
    pieces, rest = divmod(LARGEST_BODY + 1, len(PIECE))
    for _ in range(pieces):
        client.sendall(chunk(PIECE))
    client.sendall(chunk(PIECE[:rest]))
    status, _, body = answer(client)
    assert status == 413
    assert json.loads(body)["status"] == 413


def test_a_body_at_the_limit_reaches_the_application(url: str) -> None:
    client = request(
        url, "/api/v1/sessions", "Connection: close", f"Content-Length: {LARGEST_BODY}"
    )
    for _ in range(LARGEST_BODY // len(PIECE)):
        client.sendall(PIECE)
    status, _, _ = answer(client)
    assert status == 401


FORM = (b"content-type", b"multipart/form-data; boundary=x")
JSON = (b"content-type", b"application/json")


@pytest.mark.parametrize(
    ("path", "kind", "more"),
    [
        pytest.param("/api/v1/sessions/1/messages", FORM, True, id="message with files"),
        pytest.param("/api/v1/sessions/1/commands", FORM, True, id="command with files"),
        pytest.param("/sessions", FORM, True, id="a new session"),
        pytest.param("/api/v1/sessions/1/messages", JSON, False, id="message"),
        pytest.param("/api/v1/sessions/1/plan", FORM, False, id="elsewhere"),
        pytest.param("/login", FORM, False, id="before anybody is known"),
    ],
)
def test_only_where_files_come_there_is_room_for_them(
    path: str,
    kind: tuple[bytes, bytes],
    more: bool,  # noqa: FBT001 - a column of the table
    settings: Settings,
) -> None:
    settings.ATTACHMENT_MAX_BYTES = 1000
    scope: Any = {"type": "http", "path": path, "headers": [kind]}
    assert limit_of(scope) == LARGEST_BODY + (4000 if more else 0)
