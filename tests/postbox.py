"""A mail server for tests: it takes what it is given, or refuses."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage


@dataclass(slots=True)
class Postbox:
    """What arrived; ``refuses`` are addresses that it takes nothing for, ``down`` hangs up."""

    port: int = 0
    refuses: set[str] = field(default_factory=set)
    down: bool = False
    messages: list[EmailMessage] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)

    def of(self, address: str) -> list[EmailMessage]:
        return [message for message in self.messages if message["To"] == address]


class _Session(socketserver.StreamRequestHandler):
    """One client of the server that ``box`` belongs to."""

    box: Postbox

    def handle(self) -> None:
        if self.box.down:
            return
        self.say("220 here")
        while line := self.rfile.readline():
            self.answer(line.decode().strip())

    def answer(self, line: str) -> None:
        verb = line[:4].upper()
        if verb == "RCPT" and any(address in line for address in self.box.refuses):
            self.say("550 nobody of this name")
        elif verb == "DATA":
            self.say("354 go on")
            self.take()
            self.say("250 taken")
        else:
            self.say("221 bye" if verb == "QUIT" else "250 fine")

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def take(self) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b"..") else line)
        self.box.messages.append(message_from_bytes(b"".join(lines), policy=policy.default))
        self.box.arrived.set()


@contextmanager
def postbox() -> Iterator[Postbox]:
    """Yield a server on a free port of this machine."""
    box = Postbox()
    handler = type("Session", (_Session,), {"box": box})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        box.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield box
        server.shutdown()
