"""Real servers, well-behaved and not, over both transports."""

import gzip
import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from planmode.agent.outside.door import Answer, OutsideError, ToolChangedError
from planmode.agent.outside.loop import loop
from planmode.agent.outside.offers import Offer, taken
from planmode.agent.outside.sdk import SdkDoor
from planmode.agent.outside.servers import Server
from planmode.agent.outside.stdio import LARGEST_MESSAGE
from tests.outside import READ_ONLY, Site, Web, http_stub, offered, plain, program, write_tools

DOOR = SdkDoor()
DEADLINE_S = 60.0


def offers(server: Server) -> dict[str, Offer]:
    """Return what the server offers now, asked as the product asks."""
    described = loop().start(DOOR.described(server)).result(DEADLINE_S)
    return {offer.name: offer for offer in taken(server.name, described).offers}


def called(server: Server, offer: Offer, **arguments: object) -> Answer:
    return loop().start(DOOR.called(server, offer, arguments)).result(DEADLINE_S)


def refusal(server: Server, offer: Offer | None = None) -> str:
    with pytest.raises(OutsideError) as refused:
        called(server, offer or offered())
    return str(refused.value)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The stub over HTTP, started once: most of what is told here is the same either way."""
    with http_stub(tmp_path_factory.mktemp("web")) as running:
        yield running


def test_a_started_server_tells_its_tools_and_answers(site: Site) -> None:
    site.offer("search", "drop", annotations=READ_ONLY, description="Does.")
    (server,) = site.serve(docs=site.stub())
    found = offers(server)
    assert {name: offer.says_read_only for name, offer in found.items()} == {
        "search": True,
        "drop": True,
    }
    assert called(server, found["search"], query="é ß") == Answer("found é ß")


def test_a_tool_that_changed_since_is_not_called(site: Site, web: Web) -> None:
    """case:C014: what was judged is what runs."""
    write_tools(web.listed, "drop", annotations=READ_ONLY, description="Does.")
    (server,) = site.serve(db={"url": web.url})
    offer = offers(server)["drop"]
    write_tools(web.listed, "drop", annotations=READ_ONLY, description="Does more.")
    with pytest.raises(ToolChangedError):
        called(server, offer, trace=str(site.folder / "trace"))
    write_tools(web.listed, "search")
    with pytest.raises(ToolChangedError):
        called(server, offer, trace=str(site.folder / "trace"))
    assert not (site.folder / "trace").exists()


def test_a_tool_that_has_no_fingerprint_any_more_is_not_called(site: Site, web: Web) -> None:
    write_tools(web.listed, "drop", inputSchema={"type": "object", "maximum": 2**60})
    (server,) = site.serve(db={"url": web.url})
    with pytest.raises(ToolChangedError):
        called(server, plain("drop"), trace=str(site.folder / "trace"))
    assert not (site.folder / "trace").exists()


def test_a_started_server_sees_little_of_our_environment(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """security:S17: no key of ours goes to a tool server."""
    monkeypatch.setenv("OPENAI_API_KEY", "ours")
    monkeypatch.setenv("DB_PASSWORD", "theirs")
    site.offer("environment")
    env = {"LEVEL": "low", "PASSWORD": {"from_env": "DB_PASSWORD"}}
    (server,) = site.serve(db=site.stub(env=env))
    seen = json.loads(called(server, plain("environment")).text)
    assert (seen["LEVEL"], seen["PASSWORD"]) == ("low", "theirs")
    assert set(seen) <= {"LEVEL", "PASSWORD", "PATH", "HOME", "LANG", "LC_CTYPE"}


def test_answers_of_every_kind_are_text(site: Site, web: Web) -> None:
    write_tools(web.listed, "image", "refuse", "link", "file", "facts")
    (server,) = site.serve(docs={"url": web.url})
    assert called(server, plain("image")).text == "(image/png: not shown)"
    assert called(server, plain("refuse")) == Answer("no such table", is_error=True)
    assert called(server, plain("link")).text == "(link: https://docs.example/a)"
    file = "inside\n(application/zip of file:///a.zip: not shown)"
    assert called(server, plain("file")).text == file
    assert json.loads(called(server, plain("facts")).text) == {"structuredContent": {"rows": 3}}


def test_words_of_an_error_are_one_bounded_line(site: Site, web: Web) -> None:
    write_tools(web.listed, "shout")
    (server,) = site.serve(docs={"url": web.url})
    message = refusal(server, plain("shout"))
    assert message.startswith("the server says: no 2026 ERROR: [31mxxx")
    assert len(message) < 600


def test_a_server_that_dies_in_a_call_is_an_error(site: Site) -> None:
    site.offer("die")
    (server,) = site.serve(docs=site.stub())
    assert "ended, or closed the connection" in refusal(server, plain("die"))


def test_a_call_that_is_never_answered_costs_its_time_only(site: Site, web: Web) -> None:
    write_tools(web.listed, "slow")
    (server,) = site.serve(docs={"url": web.url, "timeout_s": 1})
    assert refusal(server, plain("slow")) == "it did not answer within 1 s"


FLOOD = "import sys\nwhile True: sys.stdout.write('x' * 65536 + {end!r})"

NESTING = "import signal\nprint('[' * 9_000_000, flush=True)\nsignal.pause()"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param("pass", "ended, or closed", id="ends at once"),
        pytest.param("import os; os.close(1); input()", "ended, or closed", id="closes its output"),
        pytest.param("import os; os.close(0); input()", "ended, or closed", id="closes its input"),
        pytest.param("import signal; signal.pause()", "not answer within 2 s", id="hangs"),
        pytest.param(FLOOD.format(end=""), "larger than", id="one endless line"),
        pytest.param(FLOOD.format(end="\n"), "printed more than", id="endless lines"),
        pytest.param(
            "import signal; print('[' * 9_000_000, flush=True); signal.pause()",
            "not answer",
            id="nesting",
        ),
        pytest.param("while True: print(input())", "", id="echoes"),
    ],
)
def test_what_knows_no_protocol_is_an_error(site: Site, code: str, reason: str) -> None:
    (server,) = site.serve(odd=program(code))
    assert reason in refusal(server)


def test_a_program_that_is_not_there_is_an_error(site: Site) -> None:
    (server,) = site.serve(odd={"command": str(site.folder / "nothing")})
    assert refusal(server) == "it could not be started: No such file or directory"


def test_a_variable_that_is_not_set_is_an_error(site: Site) -> None:
    (server,) = site.serve(odd=program("pass", env={"A": {"from_env": "OUTSIDE_UNSET"}}))
    assert refusal(server) == "OUTSIDE_UNSET is not set, which the file of servers names"


STUBBORN = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
with open(sys.argv[1], "w") as file: file.write(f"{os.getpid()} {child.pid}")
signal.pause()
"""


def alive(pid: int) -> bool:
    """Return whether the process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_server_that_does_not_want_to_end_is_ended_with_its_children(site: Site) -> None:
    pids = site.folder / "pids"
    entry = {"command": sys.executable, "args": ["-c", STUBBORN, str(pids)], "timeout_s": 2}
    (server,) = site.serve(odd=entry)
    refusal(server)
    assert not [pid for pid in map(int, pids.read_text("ascii").split()) if alive(pid)]


def test_http_sends_what_is_configured_and_nothing_else(
    site: Site, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """security:S17: the way to a tool server carries its own key alone."""
    (site.folder / ".netrc").write_text("machine 127.0.0.1 login ours password ours", "utf-8")
    monkeypatch.setenv("NETRC", str(site.folder / ".netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("DOCS_KEY", "theirs")
    write_tools(web.listed, "search", annotations=READ_ONLY)
    web.headers.unlink(missing_ok=True)
    headers = {"X-Key": {"from_env": "DOCS_KEY"}}
    (server,) = site.serve(docs={"url": web.url, "headers": headers})
    assert called(server, offers(server)["search"], query="a") == Answer("found a")
    requests = [json.loads(line) for line in web.headers.read_text("utf-8").splitlines()]
    assert {request["x-key"] for request in requests} == {"theirs"}
    assert not [request for request in requests if "ours" in json.dumps(request)]
    assert not [request for request in requests if {"authorization", "cookie"} & set(request)]


@contextmanager
def answering(content: bytes, headers: Mapping[str, str]) -> Iterator[str]:
    """Give the address of a server that answers everything with ``content``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(int(headers.get("status", "200")))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            try:
                self.wfile.write(content)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream"}
ZIPPED = {**JSON, "content-encoding": "gzip"}
AWAY = {"status": "307", "location": "http://127.0.0.1:9/mcp"}


@pytest.mark.parametrize(
    ("content", "headers", "reason"),
    [
        pytest.param(b"x" * (LARGEST_MESSAGE + 1), JSON, "answered more than", id="large"),
        pytest.param(b":" + b"x" * LARGEST_MESSAGE + b"\n", STREAM, "", id="large stream"),
        pytest.param(gzip.compress(b"x" * 10**8), ZIPPED, "packed its answer", id="packed"),
        pytest.param(b"{}", JSON, "", id="empty object"),
        pytest.param(b"[" * 10**6, JSON, "", id="nesting"),
        pytest.param(b"hello", {"content-type": "text/html"}, "", id="a page"),
        pytest.param(b"", {**JSON, "status": "500"}, "the server says", id="broken"),
        pytest.param(b"", {**JSON, "status": "401"}, "the server says", id="no entry"),
        pytest.param(b"", AWAY, "not followed", id="sends elsewhere"),
    ],
)
def test_what_knows_no_protocol_over_http_is_an_error(
    site: Site, content: bytes, headers: Mapping[str, str], reason: str
) -> None:
    """security:S17: a redirection to another place gets nothing of ours."""
    with answering(content, headers) as url:
        (server,) = site.serve(odd={"url": url, "timeout_s": 10})
        assert reason in refusal(server)


def test_an_address_where_nobody_listens_is_an_error(site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken_port:
        port = taken_port.getsockname()[1]
    (server,) = site.serve(odd={"url": f"http://127.0.0.1:{port}/mcp"})
    assert refusal(server) == "it can't be reached (ConnectError)"


def test_a_list_of_tools_without_an_end_is_an_error(site: Site, web: Web) -> None:
    write_tools(web.listed, *(f"t{number}" for number in range(1001)))
    (server,) = site.serve(docs={"url": web.url})
    assert "no end" in refusal(server)


def test_a_list_in_endless_pages_is_an_error(site: Site, web: Web) -> None:
    write_tools(web.listed, "endless")
    (server,) = site.serve(docs={"url": web.url})
    assert "no end" in refusal(server)


def test_nothing_of_ours_is_left_open(site: Site) -> None:
    (server,) = site.serve(odd=program("pass"))
    refusal(server)
    before = len(list(Path("/proc/self/fd").iterdir()))
    refusal(server)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
