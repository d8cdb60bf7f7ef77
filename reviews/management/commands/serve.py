"""manage.py serve: the whole product in one process."""

import os
import signal
import socket
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final, Protocol

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.module_loading import import_string

from reviews.management.addresses import pages_url, port_number, why_not

APPLICATION: Final = "config.asgi:application"
WORKER: Final = "config.embedded.EmbeddedWorker"
BACKLOG: Final = 2048
LARGEST_FRAME: Final = 64 * 1024
"""Bytes: sockets take nothing, so even this is generous."""
WAKE_S: Final = 0.5
"""How often the main thread looks up. A signal may interrupt another thread, and Python runs its
handler in this one alone, once it runs at all: without this, some SIGTERMs were slept through."""
GRACE_S: Final = 5
"""Seconds that open connections have to end."""
PATIENCE_S: Final = 10.0
"""Seconds until this process ends, whatever still runs."""
CHILDREN_S: Final = 7.0
"""Seconds after which commands that still run are ended, so that their turns can be handed back."""

WEB_ONLY: Final = (
    "This process serves only. Turns are run by: celery -A config worker, any number of them, "
    "with one: celery -A config beat"
)


class Worker(Protocol):
    """What works on turns in this process."""

    def start(self) -> None:
        """Take turns."""

    def stop(self) -> None:
        """Take no more."""

    def join(self, deadline: float) -> bool:
        """Wait until ``deadline`` (monotonic seconds) at most; return whether all has ended."""


class Command(BaseCommand):
    """Serves pages, API and sockets, and works on turns."""

    help = "Serve pages, API and sockets, and work on turns, in one process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--host", default=settings.HOST, help="address to listen on")
        parser.add_argument(
            "--port",
            type=port_number,
            default=settings.PORT,
            help="port to listen on; 0 picks a free one",
        )
        parser.add_argument("--no-worker", action="store_true", help="serve only, run no turns")

    def handle(self, *, host: str, port: int, no_worker: bool, **_: Any) -> None:  # noqa: ANN401
        """Run until SIGINT or SIGTERM; a second one ends at once.

        Raises:
            CommandError: migrations are missing (exit status 2), or the port can't be had.
        """
        stop = threading.Event()
        _end_by_signal(stop)
        _check_migrations()
        listening = _listening(host, port)
        address = pages_url(host, listening.getsockname()[1])
        web = Web(listening, ready=lambda: self._say(f"Serving on {address}"), ended=stop.set)
        worker = None if no_worker or not settings.EMBEDDED else _worker(address)
        if not settings.EMBEDDED:
            self._say(WEB_ONLY)
        if worker is not None:
            worker.start()
        web.start()
        while not stop.wait(WAKE_S):
            pass
        self._say("Stopping: running steps end first. Once more ends everything at once.")
        _end(web, worker)
        if web.failed:
            raise CommandError("the web server ended by itself")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


class Web(threading.Thread):
    """The web server on its own loop; ``ready`` is called when it accepts, ``ended`` at its end."""

    def __init__(
        self,
        listening: socket.socket,
        *,
        ready: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        """Prepare to serve on ``listening``."""
        super().__init__(name="web", daemon=True)
        self._listening = listening
        self.failed = False
        self._ended = ended
        config = uvicorn.Config(
            APPLICATION,
            lifespan="off",
            log_config=None,
            access_log=False,
            ws_max_size=LARGEST_FRAME,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        self._server = Server(config, ready)

    def run(self) -> None:
        """Serve."""
        try:
            self._server.run(sockets=[self._listening])
        finally:
            self.failed = not self._server.should_exit
            self._ended()

    def stop(self) -> None:
        """Accept no more, and end what is open."""
        self._server.should_exit = True


class Server(uvicorn.Server):
    """uvicorn, which says when it accepts connections."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        """Prepare to serve by ``config``."""
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections, and say so."""
        await super().startup(sockets)
        self._ready()


def _check_migrations() -> None:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise CommandError(f"the database can't be read: {error}", returncode=2) from error
    finally:
        connection.close()
    if missing:
        raise CommandError(
            f"{len(missing)} migrations are missing; run: manage.py migrate", returncode=2
        )


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise CommandError(why_not(host, port, error)) from error


def _worker(address: str) -> Worker:
    worker: Worker = import_string(WORKER)(address)
    return worker


def _end_by_signal(stop: threading.Event) -> None:
    def end(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            _end_children()
            os._exit(1)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _end(web: Web, worker: Worker | None) -> None:
    """End everything within PATIENCE_S; what holds out longer ends with the process.

    Its turn is taken over when the lease runs out, as after any other loss of a worker.
    """
    began = time.monotonic()
    web.stop()
    if worker is not None:
        worker.stop()
        if not worker.join(began + CHILDREN_S):
            _end_children()
    deadline = began + PATIENCE_S
    web.join(max(0.0, deadline - time.monotonic()))
    if web.is_alive() or (worker is not None and not worker.join(deadline)):
        _end_children()
        os._exit(0)


def _end_children() -> None:
    """Kill the groups of the commands that this process still runs."""
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for pid in listed.read_text(encoding="ascii").split():
                with suppress(OSError):
                    os.killpg(int(pid), signal.SIGKILL)
